//! Tests of `pvctl_core::text`.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use pvctl_core::text::{escape_json, human_age, nearest, pad, sanitize, truncate, width};
use std::borrow::Cow;

#[test]
fn json_hides_nothing_and_means_the_same() {
    let text = "größe 数据 \u{7f} \u{9b}31m \u{202e}lave\u{200b} \u{e0041} \u{1f5c4}\n";
    let json = serde_json::to_vec(&serde_json::json!({ "text": text })).unwrap();
    let escaped = String::from_utf8(escape_json(&json).into_owned()).unwrap();
    assert_eq!(escaped, "{\"text\":\"größe 数据 \\u007f \\u009b31m \\u202elave\\u200b \\udb40\\udc41 \u{1f5c4}\\n\"}");
    let read: serde_json::Value = serde_json::from_str(&escaped).unwrap();
    assert_eq!(read["text"], text);
    assert!(matches!(escape_json(b"{\n  \"a\": 1\n}"), Cow::Borrowed(_)));
}

#[test]
fn harmless_text_is_not_copied() {
    assert!(matches!(sanitize("data-0 größe 数据 \u{1f5c4}"), Cow::Borrowed(_)));
}

#[test]
fn control_characters_become_visible() {
    let cases = [
        ("\u{1b}[31mred", "\\x1b[31mred"),
        ("a\nb\r\tc", "a\\nb\\r\\tc"),
        ("bell\u{7}\u{7f}", "bell\\x07\\x7f"),
        ("\u{9b}31m", "\\u{9b}31m"),
        ("abc\u{202e}gpj.exe", "abc\\u{202e}gpj.exe"),
        ("\u{2066}x\u{2069}", "\\u{2066}x\\u{2069}"),
        ("zero\u{200b}width\u{feff}", "zero\\u{200b}width\\u{feff}"),
        ("line\u{2028}separator", "line\\u{2028}separator"),
        ("tag\u{e0041}", "tag\\u{e0041}"),
    ];
    for (given, expected) in cases {
        assert_eq!(sanitize(given), expected, "{given:?}");
    }
}

#[test]
fn every_ascii_control_and_every_bidi_override_is_caught() {
    let controls = (0..0x20).chain(0x7f..0xa0).chain(0x202a..=0x202e).chain(0x2066..=0x2069);
    for character in controls.filter_map(char::from_u32) {
        let safe = sanitize(&character.to_string()).into_owned();
        assert!(safe.starts_with('\\') && safe.is_ascii(), "{character:?} became {safe:?}");
    }
}

#[test]
fn cutting_and_padding_count_columns() {
    assert_eq!(truncate("persistent", 10), "persistent");
    assert_eq!(truncate("persistent", 5), "pers…");
    assert_eq!(truncate("数据卷", 4), "数…", "a wide character is never halved");
    assert_eq!(truncate("abc", 1), "…");
    assert_eq!(truncate("abc", 0), "");
    assert_eq!(pad("数据", 6), "数据  ");
    assert_eq!(pad("longer", 3), "longer");
    assert_eq!(width("数据-0"), 6);
}

#[test]
fn ages_are_those_of_kubectl() {
    // The boundaries at which upstream's `HumanDuration` (apimachinery 0.36) changes its form, and what it prints
    // there.
    let cases = [
        (-2, "<invalid>"),
        (-1, "0s"),
        (0, "0s"),
        (1, "1s"),
        (70, "70s"),
        (119, "119s"),
        (120, "2m"),
        (190, "3m10s"),
        (599, "9m59s"),
        (600, "10m"),
        (70 * 60, "70m"),
        (180 * 60 - 1, "179m"),
        (180 * 60, "3h"),
        (181 * 60, "3h1m"),
        (8 * 3600 - 1, "7h59m"),
        (8 * 3600, "8h"),
        (47 * 3600, "47h"),
        (48 * 3600, "2d"),
        (49 * 3600, "2d1h"),
        (8 * 86_400 - 1, "7d23h"),
        (8 * 86_400, "8d"),
        (367 * 86_400, "367d"),
        (2 * 365 * 86_400 - 1, "729d"),
        (2 * 365 * 86_400, "2y"),
        ((2 * 365 + 1) * 86_400, "2y1d"),
        (8 * 365 * 86_400 - 1, "7y364d"),
        (8 * 365 * 86_400, "8y"),
        (i64::MIN, "<invalid>"),
    ];
    for (seconds, expected) in cases {
        assert_eq!(human_age(seconds), expected, "{seconds} seconds");
    }
}

#[test]
fn the_nearest_name_is_found() {
    let names = ["data-0", "data-1", "logs", "postgres-data", "Data-0"];
    assert_eq!(nearest("dta-0", names, 3), ["data-0", "Data-0"]);
    assert_eq!(nearest("dat-0", names, 1), ["data-0"]);
    assert_eq!(nearest("lgos", names, 3), ["logs"], "a swap of neighbours is one error");
    assert_eq!(nearest("postgres", names, 3), ["postgres-data"], "a beginning counts");
    assert!(nearest("unrelated", names, 3).is_empty());
    assert!(nearest("", names, 3).is_empty());
}
