//! Input from outside is read within limits. Answers and files that would take gigabytes of memory are refused with a
//! message. If a single object is too large, there is an issue about that object only. The tests measure the memory of
//! the whole process.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(
    clippy::disallowed_types,
    clippy::disallowed_methods,
    reason = "the test makes files, and looks at a process"
)]

use crate::support::Run;
use crate::support::api::ApiServer;
use crate::support::faults::Fault;
use flate2::{Compress, Compression, FlushCompress};
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

const VOLUMES: &str = "/api/v1/persistentvolumes";
const LIST: &str = r#"{"kind":"PersistentVolumeList","apiVersion":"v1","metadata":{"resourceVersion":"7"},"items":["#;
const MIB: usize = 1 << 20;
/// The most memory that the program may use, in bytes.
const MOST_MEMORY: usize = 512 * MIB;

/// The result of a finished run.
struct Ended {
    code: Option<i32>,
    stdout: String,
    stderr: String,
    /// The peak memory in bytes, or zero if the system does not report it.
    peak: usize,
}

/// Runs the program to its end and measures its peak memory. A process that was just started can still show the memory
/// of the process that started it, as long as its name is not yet that of the program. The name comes first in the
/// status, so memory that follows the right name is that of the program.
fn measured(arguments: &[&str]) -> Ended {
    let (mut command, home) = Run::new(arguments).into_command();
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let own = text.starts_with("Name:\tkubectl-pvctl\n").then_some(&text);
        let high = own.and_then(|text| text.lines().find_map(|line| line.strip_prefix("VmHWM:")));
        let kib = high.and_then(|line| line.trim().strip_suffix(" kB")?.parse::<usize>().ok());
        peak = peak.max(kib.unwrap_or_default() * 1024);
        std::thread::sleep(Duration::from_millis(2));
    }
    let output = child.wait_with_output().unwrap();
    drop(home);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ended { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr), peak }
}

impl Ended {
    /// Asserts that the program refused its input with these words and used little memory.
    fn is_refused(&self, words: &[&str]) {
        assert_eq!(self.code, Some(3), "{}", self.stderr);
        // The lines are wrapped at the width of a terminal, so all white space is replaced by single spaces.
        let said = self.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        for word in words {
            assert!(said.contains(word), "stderr must contain {word:?}: {said}");
        }
        assert!(self.stderr.len() < 5000, "stderr has {} bytes, which is too long", self.stderr.len());
        assert!(self.peak > 0 || !cfg!(target_os = "linux"), "the memory of the program was not read");
        assert!(self.peak < MOST_MEMORY, "the program took {} MiB, which is too much", self.peak / MIB);
    }
}

/// A body that is sent in pieces.
struct Sent {
    headers: String,
    start: Vec<u8>,
    /// The piece that follows the start. It is sent `times` times.
    piece: Vec<u8>,
    times: usize,
    end: Vec<u8>,
}

impl Sent {
    fn plain(piece: impl Into<Vec<u8>>, times: usize, end: &str) -> Self {
        let (start, end) = (LIST.as_bytes().to_vec(), end.as_bytes().to_vec());
        Self { headers: String::new(), start, piece: piece.into(), times, end }
    }

    /// Returns the same body compressed by gzip, without the end of the gzip stream.
    fn gzip(self) -> Self {
        let mut start = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff];
        start.extend(deflated(&self.start));
        let headers = "Content-Encoding: gzip\r\n".to_owned();
        Self { headers, start, piece: deflated(&self.piece), times: self.times, end: Vec::new() }
    }

    fn to(&self, out: &mut impl std::io::Write) -> std::io::Result<()> {
        out.write_all(&self.start)?;
        for _ in 0..self.times {
            out.write_all(&self.piece)?;
        }
        out.write_all(&self.end)
    }
}

/// Returns a part of a deflate stream that refers to no earlier data. So it can be repeated.
fn deflated(text: &[u8]) -> Vec<u8> {
    let mut packed = Vec::with_capacity(text.len() / 2 + 1024);
    Compress::new(Compression::fast(), false).compress_vec(text, &mut packed, FlushCompress::Full).unwrap();
    packed
}

/// Starts an API server that sends this body as its list of volumes and has no other objects.
fn serve(volumes: Sent) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let volumes = Arc::new(volumes);
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let volumes = Arc::clone(&volumes);
            // An error only means that the client closed the connection.
            std::thread::spawn(move || stream.and_then(|stream| answer(stream, &volumes)));
        }
    });
    url
}

fn answer(mut stream: TcpStream, volumes: &Sent) -> std::io::Result<()> {
    let mut request = Vec::new();
    let mut byte = [0];
    while !request.ends_with(b"\r\n\r\n") && stream.read(&mut byte)? > 0 {
        request.push(byte[0]);
    }
    let request = String::from_utf8_lossy(&request);
    let path = request.split(' ').nth(1).unwrap_or_default();
    let head = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: application/json\r\n";
    if path.starts_with(VOLUMES) {
        write!(stream, "{head}{}\r\n", volumes.headers)?;
        return volumes.to(&mut stream);
    }
    let body = if path.starts_with("/version") {
        json!({"major": "1", "minor": "36", "gitVersion": "v1.36.3-test"})
    } else {
        json!({"metadata": {"resourceVersion": "7"}, "items": []})
    };
    write!(stream, "{head}\r\n{body}")
}

fn volume(name: &str) -> Value {
    json!({
        "apiVersion": "v1", "kind": "PersistentVolume",
        "metadata": {"name": name, "uid": format!("uid-{name}"), "resourceVersion": "10"},
        "spec": {
            "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "fast",
            "persistentVolumeReclaimPolicy": "Retain", "csi": {"driver": "d", "volumeHandle": name}
        },
        "status": {"phase": "Available"}
    })
}

/// Returns small objects of about one MiB together, each followed by a comma.
fn small_objects() -> Vec<u8> {
    let object = br#"{"metadata":{"name":"a"}},"#;
    object.repeat(MIB / object.len())
}

const LARGE_LIST: [&str; 3] = [
    "more than 384 MiB in one answer to the request for persistentvolumes, but at most 384 MiB are read",
    "--chunk-size",
    "-o json' and read them with -f",
];

#[test]
fn a_list_without_an_end_is_refused_as_soon_as_it_is_too_large() {
    let server = serve(Sent::plain(small_objects(), 2048, ""));
    measured(&["predict", "-A", "--server", &server]).is_refused(&LARGE_LIST);
}

/// The body has two gigabytes of small objects, which are compressed to less than 16 MiB.
#[test]
fn a_compressed_list_is_measured_as_it_is_unpacked() {
    let sent = Sent::plain(small_objects(), 2048, "").gzip();
    assert!(sent.piece.len() < 8 << 10, "{} bytes", sent.piece.len());
    measured(&["predict", "-A", "--server", &serve(sent)]).is_refused(&LARGE_LIST);
}

/// The name of the volume is half a gigabyte long.
#[test]
fn a_name_of_half_a_gigabyte_is_no_name() {
    let mut sent = Sent::plain(vec![b'x'; MIB], 512, "\"}}]}");
    sent.start.extend_from_slice(br#"{"metadata":{"name":""#);
    measured(&["predict", "-A", "--server", &serve(sent)]).is_refused(&LARGE_LIST);
}

#[test]
fn an_answer_that_states_its_length_is_refused_before_it_is_read() {
    let mut sent = Sent::plain(Vec::new(), 0, "");
    sent.headers = format!("Content-Length: {}\r\n", 2_u64 << 30);
    let ended = measured(&["predict", "-A", "--server", &serve(sent)]);
    ended.is_refused(&["sends 2048 MiB in one answer", "at most 384 MiB are read"]);
    assert!(ended.peak < 100 * MIB, "the program took {} MiB, which is too much", ended.peak / MIB);
}

#[test]
fn an_answer_with_too_many_objects_is_refused_before_they_are_decoded() {
    let sent = Sent::plain(br#"{"a":1},"#.repeat(1000), 301, r#"{"a":1}]}"#);
    let ended = measured(&["predict", "-A", "--server", &serve(sent)]);
    ended.is_refused(&["more than 300000 objects in one answer to the request for persistentvolumes"]);
}

#[test]
fn an_object_that_is_too_large_is_an_issue_of_its_own() {
    let mut large = volume("large");
    large["metadata"]["annotations"] = json!({"a": "x".repeat(9 * MIB)});
    let named = volume(&"x".repeat(9 * MIB));
    let piece = format!("{},{large},{named},{}", volume("first"), volume("last"));
    let server = serve(Sent::plain(piece, 1, "]}"));
    let ended = measured(&["predict", "-A", "--server", &server]);
    let large = "persistentvolumes: PersistentVolume large cannot be decoded: it is larger than 8 MiB (";
    ended.is_refused(&[large, "persistentvolumes: PersistentVolume cannot be decoded: it is larger than 8 MiB ("]);
    assert!(ended.stdout.contains("first") && ended.stdout.contains("last"), "{}", ended.stdout);
    let kept = measured(&["snapshot", "-A", "--server", &server]);
    assert!(kept.stderr.contains("left out") && kept.stdout.len() < MIB, "{}", kept.stderr);
    let written: Value = serde_json::from_str(&kept.stdout).unwrap();
    let volumes = written["items"].as_array().unwrap().iter().filter(|item| item["kind"] == "PersistentVolume");
    assert_eq!(volumes.count(), 2);
}

/// The user may not list volumes, so the program gets them one by one.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_single_object_that_is_too_large_is_an_issue() {
    let fake = ApiServer::start().await;
    let mut large = volume("large");
    large["metadata"]["annotations"] = json!({"a": "x".repeat(9 * MIB)});
    let claim = json!({
        "apiVersion": "v1", "kind": "PersistentVolumeClaim",
        "metadata": {"namespace": "db", "name": "data", "uid": "uid-data", "resourceVersion": "11"},
        "spec": {"accessModes": ["ReadWriteOnce"], "volumeName": "large", "resources": {"requests": {"storage": "1Gi"}}},
        "status": {"phase": "Bound"}
    });
    fake.hold([large, claim]);
    fake.fail(&format!("{VOLUMES}?"), usize::MAX, Fault::Refused(403, "no list"));
    let url = fake.url();
    let run = move || measured(&["predict", "-n", "db", "--server", &url]);
    let ended = tokio::task::spawn_blocking(run).await.unwrap();
    ended.is_refused(&["a single reading: PersistentVolume large cannot be decoded: it is larger than 8 MiB ("]);
}

/// The file holds two gigabytes, compressed to less than 16 MiB. In one case the content is a single text, in the other
/// case it is small objects.
#[test]
fn a_compressed_file_is_measured_as_it_is_unpacked() {
    let folder = tempfile::tempdir().unwrap();
    for (start, piece) in [(r#"{"metadata":{"name":""#, vec![b'x'; MIB]), ("", small_objects())] {
        let path = folder.path().join("dump.json.gz");
        let mut sent = Sent::plain(piece, 2048, "");
        sent.start.extend_from_slice(start.as_bytes());
        let sent = sent.gzip();
        sent.to(&mut std::fs::File::create(&path).unwrap()).unwrap();
        assert!(std::fs::metadata(&path).unwrap().len() < 16 << 20);
        let ended = measured(&["predict", "-f", path.to_str().unwrap()]);
        ended.is_refused(&["dump.json.gz: is compressed and expands to over 100 times its size", "gunzip"]);
    }
}

/// If some objects of a file are too large, the others are still examined. The large part is one string, many short
/// strings, or nested lists.
#[test]
fn items_of_a_file_that_are_too_large_are_issues() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("dump.json");
    let mut objects = vec![volume("first")];
    for (nth, filling) in [
        json!("x\\\"y".repeat(MIB * 5 / 3)),
        Value::from(vec!["{\\\"}"; MIB]),
        Value::from(vec![json!([1, {"a": [true]}]); MIB * 3 / 5]),
    ]
    .into_iter()
    .enumerate()
    {
        let mut large = volume(&format!("large-{nth}"));
        large["spec"]["x"] = filling;
        assert!(large.to_string().len() > 9 * MIB, "{nth}");
        objects.extend([large, volume(&format!("after-{nth}"))]);
    }
    let text = json!({"apiVersion": "v1", "items": objects, "kind": "List"}).to_string();
    std::fs::write(&path, &text).unwrap();
    let file = path.to_str().unwrap();
    let ended = measured(&["predict", "-f", file]);
    for nth in 0..3 {
        let size = objects[1 + 2 * nth].to_string().len();
        let sentence =
            format!("PersistentVolume large-{nth} cannot be decoded: it is larger than 8 MiB ({size} bytes)");
        ended.is_refused(&[&sentence]);
        assert!(ended.stdout.contains(&format!("after-{nth}")), "{}", ended.stdout);
    }
    let strict = measured(&["predict", "--strict", "-f", file]);
    strict.is_refused(&["PersistentVolume large-0"]);
    assert!(strict.stdout.is_empty(), "{}", strict.stdout);
    let kept = measured(&["snapshot", "-f", file]);
    assert!(kept.stderr.contains("left out"), "{}", kept.stderr);
    let written: Value = serde_json::from_str(&kept.stdout).unwrap();
    assert_eq!(written["items"].as_array().unwrap().len(), 4);
}
