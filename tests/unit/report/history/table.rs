//! Tests of `pvctl::report::history::table`.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use pvctl::model::Timestamp;
use pvctl::report::history::{History, HistoryFormat, Repair};

/// Ages have the format of kubectl. The newest repair is first.
#[test]
fn the_age_of_a_repair_is_the_last_column() {
    let repair = |id: &str, at: Option<&str>, state| Repair {
        id: id.to_owned(),
        at: at.map(str::to_owned),
        goal: Some("pv/data is kept".to_owned()),
        state,
        ..Repair::default()
    };
    let history = History::new(vec![
        repair("d", Some("2026-06-04T11:55:00Z"), "finished"),
        repair("c", Some("2026-06-04T03:00:00Z"), "finished"),
        repair("b", Some("2026-06-02T12:00:00Z"), "open"),
        Repair { goal: None, ..repair("a", None, "unreadable") },
    ]);
    let now = Timestamp::parse("2026-06-04T12:00:00Z").unwrap();
    assert_eq!(
        HistoryFormat::Table.render(&history, false, now, None).unwrap(),
        "ID   STATE        WHAT              AGE\n\
         d    finished     pv/data is kept   5m\n\
         c    finished     pv/data is kept   9h\n\
         b    open         pv/data is kept   2d\n\
         a    unreadable   <none>            <unknown>\n"
    );
}
