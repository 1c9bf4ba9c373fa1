//! Tests of `pvctl::terminal`.

use pvctl::cli::ColorWhen;
use pvctl::terminal::{ColorEnvironment, colored_error, usable_width, wrapped_lines};

#[test]
fn the_flag_goes_before_the_environment_and_that_before_the_stream() {
    let none = ColorEnvironment::default();
    let no_color = ColorEnvironment { no_color: true, force: true, ..none };
    let force = ColorEnvironment { force: true, dumb: true, ..none };
    let dumb = ColorEnvironment { dumb: true, ..none };
    let off = ColorEnvironment { off: true, ..none };
    let cases = [
        (none, ColorWhen::Auto, true, true),
        (none, ColorWhen::Auto, false, false),
        (none, ColorWhen::Never, true, false),
        (no_color, ColorWhen::Always, false, true),
        (no_color, ColorWhen::Auto, true, false),
        (force, ColorWhen::Auto, false, true),
        (force, ColorWhen::Never, true, false),
        (dumb, ColorWhen::Auto, true, false),
        (off, ColorWhen::Auto, true, false),
    ];
    for (environment, when, terminal, expected) in cases {
        assert_eq!(environment.color(when, terminal), expected, "{environment:?} {when:?} {terminal}");
    }
}

#[test]
fn a_width_that_cannot_be_is_no_width() {
    assert_eq!(usable_width(None, || Some(80)), Some(80));
    assert_eq!(usable_width(None, || Some(0)), None);
    assert_eq!(usable_width(None, || None), None);
    assert_eq!(usable_width(Some("100"), || Some(80)), Some(100));
    assert_eq!(usable_width(Some("0"), || Some(80)), Some(80));
    assert_eq!(usable_width(Some("wide"), || Some(19)), None);
}

#[test]
fn messages_are_broken_between_words() {
    let said = "error: one two three\n  because: four five\nhint: six";
    assert_eq!(wrapped_lines(said, None), said);
    assert_eq!(wrapped_lines(said, Some(15)), "error: one two\n  three\n  because: four\n    five\nhint: six");
}

#[test]
fn only_the_leading_words_of_an_error_have_colour() {
    assert_eq!(
        colored_error("error: hint: x\n  because: y\nhint: z"),
        "\x1b[1;31merror:\x1b[0m hint: x\n  because: y\n\x1b[1;36mhint:\x1b[0m z\n"
    );
}
