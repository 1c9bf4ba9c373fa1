//! Tests of `pvctl::source::files::input`.

#![expect(clippy::unwrap_used, reason = "tests")]

use flate2::Compression;
use flate2::write::GzEncoder;
use pvctl::source::files::Fault;
use pvctl::source::files::input::{Bounded, Format, HIGHEST_RATIO, RATIO_COUNTS_FROM, prepare, read_error};
use std::cell::Cell;
use std::io::{self, Read, Write as _};
use std::rc::Rc;

fn fault(mut reader: impl Read) -> Fault {
    let error = io::copy(&mut reader, &mut io::sink()).unwrap_err();
    read_error("x", &error, 0).fault
}

#[test]
fn expansion_ends_at_its_limit() {
    let mut packed = GzEncoder::new(Vec::new(), Compression::best());
    packed.write_all(format!("[{}]", " ".repeat(100_000)).as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    assert_eq!(fault(prepare("x", packed.as_slice(), 50_000).unwrap().reader), Fault::Expansion(50_000));
    let whole = io::copy(&mut prepare("x", packed.as_slice(), 200_000).unwrap().reader, &mut io::sink()).unwrap();
    assert_eq!(whole, 100_002);
}

#[test]
fn expansion_beyond_any_plausible_ratio_ends_early() {
    let bounded = |compressed| Bounded {
        inner: io::repeat(b' ').take(2 * RATIO_COUNTS_FROM),
        expanded: 0,
        compressed: Rc::new(Cell::new(compressed)),
        limit: u64::MAX,
    };
    assert!(matches!(fault(bounded(1000)), Fault::Implausible(bytes) if bytes < RATIO_COUNTS_FROM + (1 << 20)));
    assert!(io::copy(&mut bounded(2 * RATIO_COUNTS_FROM / HIGHEST_RATIO), &mut io::sink()).is_ok());
}

#[test]
fn the_mark_of_utf_8_is_passed_over() {
    let input = prepare("x", "\u{feff} {}".as_bytes(), 10).unwrap();
    assert_eq!((input.format, input.skipped), (Format::Json, 3));
}
