//! Tests of `pvctl::report::audit::markdown`.

use pvctl::report::audit::markdown::{cell, code, code_cell};

#[test]
fn text_stays_text() {
    for (given, expected) in [
        ("a|b", "a\\|b"),
        ("<b>&amp;", "&lt;b&gt;&amp;amp;"),
        ("@team/x and me@x", "@&#8203;team/x and me@&#8203;x"),
        ("see #1", "see #&#8203;1"),
        ("http://x", "http:&#8203;//x"),
        ("WWW.x", "WWW&#8203;.x"),
        ("a`b*c_d[e](f)~g$", "a\\`b\\*c\\_d\\[e\\](f)\\~g\\$"),
        ("a\nb\\", "a\\\\nb\\\\"),
        ("- a", "\\- a"),
        ("12. a", "12\\. a"),
        ("1Gi. a-b", "1Gi. a-b"),
    ] {
        assert_eq!(cell(given), expected);
    }
}

#[test]
fn code_ends_where_it_is_meant_to() {
    for (given, expected) in [
        ("pv/a", "`pv/a`"),
        ("a`b", "``a`b``"),
        ("``a", "``` ``a ```"),
        (" a", "`  a `"),
        ("", "` `"),
        ("@me|\n", "`@me|\\n`"),
    ] {
        assert_eq!(code(given), expected);
    }
    assert_eq!(code_cell("a|b"), "`a\\|b`");
}
