//! Tests of `pvctl::report::shared::wrap`.

use pvctl::report::shared::wrap::wrap;

#[test]
fn lines_are_broken_between_words_and_indented() {
    assert_eq!(wrap("one two three four", Some(9), 2), "one two\n  three\n  four");
    assert_eq!(wrap("  - one two three", Some(10), 4), "  - one\n    two\n    three");
    assert_eq!(wrap("数据 数据 数据", Some(9), 0), "数据 数据\n数据");
    assert_eq!(wrap("a\u{1b}[1m", Some(80), 0), "a\\x1b[1m");
    assert_eq!(wrap("one two", None, 0), "one two");
}
