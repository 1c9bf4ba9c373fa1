//! The table of predictions in a narrow terminal.
#![cfg(unix)]

use crate::support::root;
use crate::support::screen::Screen;

/// If a claim or volume is bound and stays so, a table of 80 columns has only one line for it, even if its name is
/// long.
#[test]
fn what_is_bound_and_stays_so_is_one_line() {
    let file = root().join("examples/healthy.json");
    let file = file.to_string_lossy();
    let (code, shown) = Screen::start(80, &[], &["predict", "-f", &file, "--color", "never"]).end();
    assert_eq!(code, Some(0), "{shown}");
    let (_, table) = shown.split_once("NAMESPACE").unwrap_or_default();
    let rows: Vec<&str> = table.lines().skip(1).map(str::trim_end).filter(|line| !line.is_empty()).collect();
    for (at, row) in rows.iter().enumerate().filter(|(_, row)| row.contains(" Bound ")) {
        assert!(row.chars().count() <= 80, "{row}");
        assert!(rows.get(at + 1).is_none_or(|next| !next.starts_with(' ')), "{row}: {shown}");
    }
    assert_eq!(rows.iter().filter(|row| row.contains("pvc/") && row.contains(" Bound ")).count(), 3, "{shown}");
    // The output must say that something is left out.
    assert!(shown.contains("have one line here"), "{shown}");
    // A volume that changes keeps all its columns.
    let (_, free) = table.split_once("pv/local-ssd").unwrap_or_default();
    assert!(free.lines().nth(1).is_some_and(|line| line.contains("EXPECTED Available")), "{shown}");
}
