//! Several `-o` in one `audit`: one on stdout, the others in files.
#![expect(
    clippy::disallowed_methods,
    clippy::expect_used,
    reason = "the answers are files, and tests fail by panicking"
)]

use crate::support::{Finished, Run, root};
use std::fs;
use std::path::Path;

fn audit(directory: &Path, more: &[&str]) -> Finished {
    let file = root().join("examples/released.json");
    let arguments = [&["audit", "-f", file.to_str().expect("a path")], more].concat();
    Run::new(&arguments).current_dir(directory).finish()
}

fn names(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn each_file_has_what_its_format_prints_alone() {
    let directory = tempfile::tempdir().expect("a folder");
    let formats = ["json", "yaml", "sarif", "junit", "markdown", "github", "prometheus", "name", "wide"];
    let outputs: Vec<String> = formats.iter().map(|format| format!("{format}=out.{format}")).collect();
    let flags: Vec<&str> = outputs.iter().flat_map(|output| ["-o", output.as_str()]).collect();
    let alone = audit(directory.path(), &[]);
    let together = audit(directory.path(), &[&["-o", "table"], flags.as_slice()].concat());
    assert_eq!((together.code, &together.stdout, &together.stderr), (alone.code, &alone.stdout, &alone.stderr));
    for format in formats {
        let alone = audit(directory.path(), &["-o", format]);
        let file = fs::read_to_string(directory.path().join(format!("out.{format}"))).expect("a file");
        assert!(!file.is_empty() && file == alone.stdout, "{format}: {file}");
        assert_eq!(alone.code, together.code, "{format}: the exit code must depend on the findings only");
    }
    assert_eq!(names(directory.path()).len(), formats.len(), "the folder must contain only the files of the formats");
}

#[test]
fn stdout_stays_empty_if_all_formats_have_files() {
    let directory = tempfile::tempdir().expect("a folder");
    let run = audit(directory.path(), &["-o", "json=out.json", "--fail-on", "info"]);
    assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{}", run.stderr);
    assert!(run.stderr.contains("on 6 volumes and 1 claim"), "stderr must have the summary: {}", run.stderr);
}

#[test]
fn a_file_has_no_colour() {
    let directory = tempfile::tempdir().expect("a folder");
    let run = audit(directory.path(), &["--color", "always", "-o", "table", "-o", "wide=out.txt"]);
    let file = fs::read_to_string(directory.path().join("out.txt")).expect("a file");
    assert!(run.stdout.contains('\u{1b}') && !file.contains('\u{1b}'), "{file}");
}

/// Each of these outputs is refused before the input is read. The input file does not even exist.
#[test]
fn what_cannot_be_printed_is_refused_before_anything_is_read() {
    let cases: [(&[&str], &str); 9] = [
        (&["-o", "table", "-o", "json"], "-o table and -o json would both be printed to stdout"),
        (&["-o", "json=a", "-o", "yaml=./a"], "-o json=a and -o yaml=./a name the same file"),
        (&["-o", "json=old", "-o", "sarif=link"], "-o json=old and -o sarif=link name the same file"),
        (&["-o", "nonsense=a"], "the output format 'nonsense=a' does not exist for this command: -o takes table, wide"),
        (&["-o", "table", "-o", "jsonpath={.items}"], "the output format 'jsonpath' is not supported"),
        (&["-o", "json="], "-o json= names no file"),
        (&["-o", "json=-"], "-o json=- names no file"),
        (&["-o", "json=missing/a"], "-o json=missing/a: the file cannot be written\n  because: its directory does not"),
        (&["-o", "sarif=folder"], "-o sarif=folder: the file cannot be written\n  because: it is a directory"),
    ];
    for (flags, said) in cases {
        let directory = tempfile::tempdir().expect("a folder");
        fs::create_dir(directory.path().join("folder")).expect("a folder");
        fs::write(directory.path().join("old"), "old").expect("a file");
        #[cfg(unix)]
        std::os::unix::fs::symlink("old", directory.path().join("link")).expect("a link");
        if cfg!(not(unix)) && flags.contains(&"sarif=link") {
            continue;
        }
        let run = Run::new(&[&["audit", "-f", "no-such-file.json"], flags].concat()).current_dir(directory.path());
        let run = run.finish();
        assert_eq!((run.code, run.stdout.as_str()), (Some(2), ""), "{flags:?}: {}", run.stderr);
        assert!(run.stderr.starts_with(&format!("error: {said}")), "{flags:?}: {}", run.stderr);
        assert_eq!(fs::read_to_string(directory.path().join("old")).expect("a file"), "old");
        assert!(names(directory.path()).iter().all(|name| ["folder", "link", "old"].contains(&name.as_str())));
    }
}

#[cfg(unix)]
#[test]
fn what_is_no_regular_file_is_not_replaced() {
    let directory = tempfile::tempdir().expect("a folder");
    let run = audit(directory.path(), &["-o", "json=/dev/null"]);
    assert_eq!(run.code, Some(2), "{}", run.stderr);
    assert!(run.stderr.contains("it is not a regular file"), "{}", run.stderr);
}

/// If there is no answer, the file is not changed. If there is an answer, it replaces the old content, also if the path
/// is a symbolic link. The mode of the file does not change.
#[cfg(unix)]
#[test]
fn a_file_is_written_whole_or_not_at_all() {
    use std::os::unix::fs::PermissionsExt as _;
    let directory = tempfile::tempdir().expect("a folder");
    let (file, link) = (directory.path().join("old.json"), directory.path().join("link.json"));
    fs::write(&file, "old and much longer than nothing").expect("a file");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).expect("rights");
    std::os::unix::fs::symlink("old.json", &link).expect("a link");
    let failed = audit(directory.path(), &["pvc/no-such-claim", "-n", "db", "-o", "json=link.json"]);
    assert_eq!(failed.code, Some(2), "{}", failed.stderr);
    assert_eq!(fs::read_to_string(&file).expect("a file"), "old and much longer than nothing");
    let run = audit(directory.path(), &["-o", "json=link.json"]);
    let written = fs::read_to_string(&file).expect("a file");
    assert_eq!(written, audit(directory.path(), &["-o", "json"]).stdout, "{}", run.stderr);
    assert!(fs::symlink_metadata(&link).expect("a link").is_symlink());
    assert_eq!(fs::metadata(&file).expect("a file").permissions().mode() & 0o777, 0o640);
    assert_eq!(names(directory.path()), ["link.json", "old.json"]);
}
