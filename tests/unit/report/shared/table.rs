//! Tests of `pvctl::report::shared::table`.

use pvctl::report::shared::table::{Table, TableStyle};
use pvctl::text::width;

fn table() -> Table {
    let mut table = Table::new(vec!["NAME", "BINDING", "WHY", "AGE"]);
    table.row(vec![
        "pv/\u{6570}\u{636e}".into(),
        String::new(),
        "its claim is gone and nothing else keeps it".into(),
        "3d".into(),
    ]);
    table.row(vec!["pv/x\u{1b}[2J".into(), "db/data-0".into(), "bound to db/data-0".into(), "4d".into()]);
    table
}

const VOLUME: &str = "pv/pvc-05da3193-4fa1-45f5-a5ae-fe755353f361";
const PATCH: &str = "kubectl patch pv pvc-05da3193-4fa1-45f5-a5ae-fe755353f361 --type=json -p \
                     '[{\"op\":\"replace\",\"path\":\"/spec/persistentVolumeReclaimPolicy\"}]'";

fn findings() -> Table {
    let mut table = Table::new(vec!["NAMESPACE", "NAME", "SEVERITY", "DATA", "RULE", "AFFECTS", "WHY", "AGE", "TRY"]);
    let why = "its claim ci/build-cache is gone, and for two days nobody has deleted it";
    for cells in [
        ["", VOLUME, "warning", "possible", "pv-released-delete-no-deleter", "", why, "2d13h", PATCH],
        ["db", "pvc/data", "error", "none", "lost-pv-missing", "pvc/b -n db", "its volume is gone", "3d", "wait"],
    ] {
        table.row(cells.map(str::to_owned).to_vec());
    }
    table
}

fn text(columns: Option<usize>) -> String {
    rendered(&table(), columns)
}

fn rendered(table: &Table, columns: Option<usize>) -> String {
    colored::control::set_override(false);
    table.text(TableStyle { width: columns, headers: true })
}

#[test]
fn names_ids_and_commands_are_never_cut() {
    let at_80 = format!(
        "NAMESPACE  NAME                                         SEVERITY  DATA\n\
         <none>     {VOLUME}  warning   possible\n    \
         RULE pv-released-delete-no-deleter  AGE 2d13h\n    \
         its claim ci/build-cache is gone, and for two days nobody has deleted it\n    \
         {PATCH}\n\
         db         pvc/data                                     error     none\n    \
         RULE lost-pv-missing  AFFECTS pvc/b -n db  AGE 3d\n    \
         its volume is gone\n    \
         wait\n"
    );
    assert_eq!(rendered(&findings(), Some(80)), at_80);
    let at_110 = rendered(&findings(), Some(115));
    let rows: Vec<&str> = at_110.lines().filter(|line| !line.starts_with("    ")).collect();
    assert_eq!(rows.len(), 3, "{at_110}");
    assert!(rows[1].ends_with("warning   possible  pv-released-delete-no-deleter  2d13h"), "{at_110}");
    assert!(at_110.contains("\n    AFFECTS pvc/b -n db\n"), "{at_110}");
    let at_200 = rendered(&findings(), Some(200));
    assert!(at_200.contains(&format!("deleted it\n    {PATCH}\n")) && at_200.contains("3d\n    wait\n"), "{at_200}");
    assert!(!at_200.contains("TRY"), "{at_200}");
    let piped = rendered(&findings(), None);
    assert!(piped.lines().count() == 3 && piped.contains(&format!("   2d13h   {PATCH}\n")), "{piped}");
}

#[test]
fn cells_after_a_long_name_continue_below_it() {
    let mut table = Table::new(vec!["NAME", "SEVERITY", "WHY"]);
    let name = "pvc/abcdefghijklmnopqrstuvwxyz";
    table.row(vec![name.into(), "error".into(), "its volume is gone".into()]);
    let expected = format!("NAME{}SEVERITY\n{name}\n{}error\n    its volume is gone\n", " ".repeat(16), " ".repeat(20));
    assert_eq!(rendered(&table, Some(28)), expected);
}

#[test]
fn a_large_table_has_all_of_its_text_as_well() {
    let mut table = findings();
    for _ in 0..10_000 {
        table.row(["a", "pvc/b", "info", "none", "c", "", "d", "1s", ""].map(str::to_owned).to_vec());
    }
    let long = format!("pvc/{}", "n".repeat(200));
    table.row(["a", &long, "error", "none", "c", "", "d", "1s", ""].map(str::to_owned).to_vec());
    for columns in [None, Some(80), Some(200)] {
        let text = rendered(&table, columns);
        assert!(text.contains(VOLUME) && text.contains(PATCH) && text.contains(&long), "{columns:?}");
        assert!(!text.contains('\u{2026}'), "{columns:?}");
    }
    assert_eq!(rendered(&table, None).lines().count(), 10_004);
    assert!(
        rendered(&table, Some(80))
            .starts_with("NAMESPACE  NAME                                         SEVERITY  DATA\n<none>     pv/pvc-")
    );
}

#[test]
fn without_a_width_every_row_is_one_line() {
    assert_eq!(
        text(None),
        "NAME          BINDING     WHY                                           AGE\n\
         pv/\u{6570}\u{636e}       <none>      its claim is gone and nothing else keeps it   3d\n\
         pv/x\\x1b[2J   db/data-0   bound to db/data-0                            4d\n"
    );
}

#[test]
fn sentences_are_wrapped_where_there_is_room_and_stand_below_where_there_is_none() {
    assert_eq!(
        text(Some(70)),
        "NAME          BINDING     WHY                                  AGE\n\
         pv/\u{6570}\u{636e}       <none>      its claim is gone and nothing else   3d\n                          keeps it\n\
         pv/x\\x1b[2J   db/data-0   bound to db/data-0                   4d\n"
    );
    assert_eq!(
        text(Some(30)),
        "NAME         BINDING    AGE\n\
         pv/\u{6570}\u{636e}      <none>     3d\n    its claim is gone and\n    nothing else keeps it\n\
         pv/x\\x1b[2J  db/data-0  4d\n    bound to db/data-0\n"
    );
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    for columns in [20, 24, 30, 40, 60, 80] {
        for line in text(Some(columns)).lines() {
            assert!(width(line) <= columns.max(28), "{columns}: {line:?}");
        }
    }
}
