//! Input that is broken, truncated or hostile.

use super::{claim, gzip, load, load_path, options, volume};
use pvctl::source::SourceError;
use pvctl::source::files::{Fault, read_with};
use serde_json::json;
use std::fmt::Write as _;
use std::fs;
use std::io::Read;
use tempfile::TempDir;

fn fault(input: impl AsRef<[u8]>) -> SourceError {
    load(input).unwrap_err()
}

#[test]
fn broken_json_is_told_with_its_byte() {
    let good = volume("a").to_string();
    let cases: Vec<(Vec<u8>, usize)> = vec![
        (format!("{good} garbage").into(), good.len() + 1),
        (format!("{good}]").into(), good.len()),
        (format!("{good}\0").into(), good.len()),
        (b"{\"kind\":\"List\",\"items\":[{\"a\":1},]}".to_vec(), 32),
        (b"{\"kind\":\"List\",\"items\":[{\"a\":1}{}]}".to_vec(), 31),
        (b"{\"kind\":\"List\",\"items\":[{\"a\":tru}]}".to_vec(), 32),
        (b"{\"kind\":\"List\",\"items\":[{\"a\":\"\xff\"}]}".to_vec(), 30),
        (b"{\"kind\":\"List\",\"items\":[{\"a\":]}]}".to_vec(), 29),
        (b"{\"kind\":\"List\",\"items\":[]\n,\"metadata\":{]}}".to_vec(), 39),
        (b"{\"metadata\":{]}, \"kind\":\"List\",\"items\":[]}".to_vec(), 13),
        (b"{\"kind\":\"Event\" \"a\":1}".to_vec(), 16),
        (b"{\"a\":nul}".to_vec(), 8),
        (b"[1 2]".to_vec(), 3),
    ];
    for (input, place) in cases {
        let error = fault(&input);
        let shown = String::from_utf8_lossy(&input).into_owned();
        assert!(matches!(error.fault, Fault::Syntax(_)), "{shown}: {error}");
        let byte = usize::try_from(error.place.byte.unwrap()).unwrap();
        assert!(byte.abs_diff(place) <= 1, "{shown}: {error}");
        assert!(error.to_string().starts_with("standard input, byte "), "{error}");
    }
}

#[test]
fn the_line_is_told_for_a_file() {
    let directory = TempDir::new().unwrap();
    let path = directory.path().join("a.json");
    let text = serde_json::to_string_pretty(&json!({"kind": "List", "items": [volume("a")]})).unwrap();
    let line = text.lines().position(|line| line.contains("1Gi")).unwrap() + 1;
    let broken = text.replace("\"1Gi\"", "1Gi");
    for bytes in [broken.clone().into_bytes(), gzip(&broken)] {
        fs::write(&path, bytes).unwrap();
        let error = load_path(&path).unwrap_err();
        assert_eq!(error.place.line, Some(line as u64), "{error}");
        assert!(error.message().contains(&format!(", line {line} (byte ")), "{error}");
    }
}

#[test]
fn broken_yaml_is_told_with_its_line() {
    for (input, line) in [
        ("kind: List\nitems: [\n", 3),
        ("kind: A\nkind: B\n", 2),
        ("kind: A\nmetadata:\n\tname: x\n", 3),
        ("kind: \"A\nmetadata: {}\n", 1),
        ("kind: *nowhere\n", 1),
    ] {
        let error = fault(input);
        assert!(matches!(error.fault, Fault::Syntax(_)), "{input}: {error}");
        assert!(error.place.line.unwrap().abs_diff(line) <= 1, "{input}: {error}");
        assert!(!error.message().contains('\n'), "{error}");
    }
}

#[test]
fn input_that_is_not_text_is_reported_clearly() {
    assert_eq!(fault("").fault, Fault::Empty);
    assert_eq!(fault(" \n\t\n").fault, Fault::Empty);
    assert_eq!(fault(gzip("")).fault, Fault::Empty);
    assert_eq!(fault(b"\x7fELF\x02\x01\x01\0\0\0\0").fault, Fault::Binary);
    assert_eq!(fault(gzip(gzip("{}"))).fault, Fault::Binary);
    let utf16: Vec<u8> = "\u{feff}{\"a\":1}".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(fault(&utf16).fault, Fault::Encoding("UTF-16"));
    assert_eq!(fault(&utf16[2..]).fault, Fault::Encoding("UTF-16"));
    assert!(fault(&utf16).to_string().contains("UTF-8"));
    assert_eq!(fault("just words").fault, Fault::NotObjects("a text"));
    assert_eq!(fault("12").fault, Fault::NotObjects("a number"));
    assert!(matches!(fault(b"kind: \xff\xfe\n").fault, Fault::Syntax(_) | Fault::Unreadable(_)));
}

#[test]
fn a_truncated_input_is_never_taken_for_a_whole_one() {
    let list = json!({"apiVersion": "v1", "items": [volume("a"), claim("db", "b")], "kind": "List"}).to_string();
    for end in 1..list.len() {
        let error = fault(&list.as_bytes()[..end]);
        assert!(matches!(error.fault, Fault::Truncated | Fault::Syntax(_)), "{end}: {error}");
    }
    let packed = gzip(&list);
    for end in 20..packed.len() {
        let error = fault(&packed[..end]);
        assert!(matches!(error.fault, Fault::Truncated | Fault::Syntax(_)), "{end}: {error}");
    }
}

#[test]
fn the_first_fault_in_the_order_of_the_input_is_told() {
    let mut input = String::from("{\"kind\":\"List\",\"items\":[{\"kind\":nul}");
    for nth in 0..20_000 {
        let _ = write!(input, ",{}", volume(&format!("v{nth}")));
    }
    input.push_str(",}");
    for _ in 0..5 {
        assert!(fault(&input).place.byte.unwrap() < 40);
    }
}

#[test]
fn hostile_input_ends_in_a_clear_error() {
    let deep = format!("{{\"kind\":\"List\",\"items\":[{{\"a\":{}", "[".repeat(10_000));
    assert!(matches!(fault(deep).fault, Fault::TooDeep(_)));
    let deep = format!("{{\"a\":{}1{}}}", "{\"a\":".repeat(10_000), "}".repeat(10_000));
    assert!(matches!(fault(deep).fault, Fault::TooDeep(_)));
    assert!(matches!(fault(format!("a: {}", "[".repeat(10_000))).fault, Fault::Syntax(_)));
    let steps: String = (1..30).fold("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n".to_owned(), |mut bomb, nth| {
        let before = format!("*a{}", nth - 1);
        let _ = writeln!(bomb, "a{nth}: &a{nth} [{}]", vec![before; 10].join(","));
        bomb
    });
    assert!(matches!(fault(steps).fault, Fault::Syntax(_)));
}

/// A stream that is never in memory as a whole.
struct Endless {
    start: &'static [u8],
    left: u64,
}

impl Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        if !self.start.is_empty() {
            return self.start.read(buffer);
        }
        let count = buffer.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        buffer[..count].fill(b'9');
        self.left -= count as u64;
        Ok(count)
    }
}

#[test]
fn an_object_beyond_all_measure_is_refused_in_bounded_memory() {
    for start in [
        &b"{\"kind\":\"PersistentVolume\",\"spec\":{\"capacity\":{\"storage\":\""[..],
        b"{\"kind\":\"List\",\"items\":[{\"x\":\"",
        b"{\"kind\":\"List\",\"items\":[",
        b"{\"",
    ] {
        let mut input = Endless { start, left: 1 << 30 };
        let error = read_with(&options(), &mut input).unwrap_err();
        assert!(matches!(error.fault, Fault::TooLarge(_)), "{error}");
        assert!(input.left > 900 << 20, "too much was read: only {} bytes are left", input.left);
    }
}

/// The output of `yes` is a YAML document that is one text without an end. It is refused after a limited part.
#[test]
fn a_text_that_never_ends_is_refused() {
    let mut given = 0;
    let error = read_with(&options(), &mut LettersWithoutEnd { given: &mut given }).unwrap_err();
    assert!(error.to_string().contains("this is not a Kubernetes object"), "{error}");
    assert!(given < 8 << 20, "{given} bytes were read");
}

/// An input of lines of one letter that never ends.
struct LettersWithoutEnd<'a> {
    given: &'a mut usize,
}

impl Read for LettersWithoutEnd<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        assert!(*self.given < 64 << 20, "the reader must stop before 64 MiB");
        for (byte, letter) in buffer.iter_mut().zip(b"y\n".iter().cycle()) {
            *byte = *letter;
        }
        *self.given += buffer.len();
        Ok(buffer.len())
    }
}
