//! Tests of `pvctl_core::controllers::log`. The lines of the tests are in the forms that klog 2.140 and
//! `k8s.io/component-base` 0.36 write.

use pvctl_core::controllers::log::{LogLine, lines, read_log};
use pvctl_core::world::{LogEntry, LogLevel, LogValue};

const BEGIN: &str = r#"I1128 03:09:15.123456       1 pv_controller_base.go:602] "syncClaimByKey" claimKey="db/data-0""#;

fn only(text: &str) -> LogLine {
    let mut found = lines(text);
    let line = found.next();
    assert!(found.next().is_none(), "{text}");
    line.and_then(Result::ok).unwrap_or_else(|| LogLine {
        number: 0,
        time: String::new(),
        file: String::new(),
        message: String::new(),
        values: Vec::new(),
    })
}

#[test]
fn a_line_is_read_with_every_prefix() {
    for prefix in [
        "",
        "[pod/kube-controller-manager-a/kube-controller-manager] ",
        "2026-11-28T03:09:15.123456789Z stderr F ",
        "Nov 28 03:09:15 node-1 kube-controller-manager[812]: ",
    ] {
        let line = only(&format!("{prefix}{BEGIN}"));
        assert_eq!((line.number, line.time.as_str()), (1, "I1128 03:09:15.123456"), "{prefix}");
        assert_eq!((line.file.as_str(), line.message.as_str()), ("pv_controller_base.go", "syncClaimByKey"));
        assert_eq!(line.value("claimKey"), Some("db/data-0"));
    }
    // The severity and the date were cut off.
    assert_eq!(only(&BEGIN[6..]).time, "03:09:15.123456");
    let json = r#"{"ts":1764299355123.4,"caller":"persistentvolume/pv_controller.go:240","msg":"Claim entered phase","v":2,"PVC":{"name":"data-0","namespace":"db"},"phase":"Bound"}"#;
    let docker = serde_json::json!({ "log": format!("{BEGIN}\n"), "stream": "stderr", "time": "x" }).to_string();
    assert_eq!(only(&docker).value("claimKey"), Some("db/data-0"));
    let line = only(json);
    assert_eq!((line.file.as_str(), line.value("PVC")), ("pv_controller.go", Some("db/data-0")));
    assert_eq!((line.time.as_str(), line.value("phase")), ("1764299355123.4", Some("Bound")));
}

#[test]
fn values_are_read_as_klog_writes_them() {
    let text = concat!(
        "E1128 03:09:15.123456       1 x.go:1] \"m \\\"q\\\" \\x07\\u00e9\" err=<\n\tfirst\n\tsecond = \"x\"\n > PVC=\"db/a\" ",
        "list=[\"a b\",\"c\"] n=3 map={\"a\":\"b c\"} last=\"\"\nno entry"
    );
    let found: Vec<Result<LogLine, usize>> = lines(text).collect();
    assert_eq!(found.len(), 2);
    assert_eq!(found.get(1), Some(&Err(5)));
    let first = found.into_iter().next().and_then(Result::ok);
    assert!(first.is_some());
    if let Some(line) = first {
        assert_eq!(line.message, "m \"q\" \u{7}é");
        let expected = [
            ("err", "first\nsecond = \"x\""),
            ("PVC", "db/a"),
            ("list", "[\"a b\",\"c\"]"),
            ("n", "3"),
            ("map", "{\"a\":\"b c\"}"),
            ("last", ""),
        ];
        for (key, value) in expected {
            assert_eq!(line.value(key), Some(value), "{key}");
        }
    }
}

#[test]
fn any_text_is_read() {
    let line = format!("{BEGIN} a=< b=\"\\U0010ffff\\xzz\" c=\"");
    for end in (0..=line.len()).filter(|end| line.is_char_boundary(*end)) {
        for text in [line[..end].to_owned(), format!("{}\n\t=<\n >", &line[..end]), format!("{{{}", &line[..end])] {
            let reading = read_log(&text);
            let lines: usize = reading.syncs.iter().map(|sync| sync.lines.len()).sum();
            assert!(lines + reading.unknown.len() <= 3, "{text}");
        }
    }
}

#[test]
fn an_entry_is_written_as_klog_writes_it() {
    let entry = LogEntry {
        level: LogLevel::Info4,
        message: "a \"b\"".into(),
        values: vec![
            ("x", LogValue::Text("c\td".to_owned())),
            ("y", LogValue::Text("e\nf".to_owned())),
            ("z", LogValue::List(vec!["g".to_owned(), "h i".to_owned()])),
        ],
    };
    assert_eq!(entry.to_string(), "\"a \\\"b\\\"\" x=\"c\\td\" y=<\n\te\n\tf\n > z=[\"g\",\"h i\"]");
    let line = only(&format!("I0101 00:00:00.000000 1 x.go:1] {entry}"));
    assert_eq!((line.message.as_str(), line.value("x"), line.value("y")), ("a \"b\"", Some("c\td"), Some("e\nf")));
}

fn entry(file: &str, text: &str) -> String {
    format!("I1128 03:09:15.123456       1 {file}:1] {text}\n")
}

/// The two workers of the controller write at the same time. Each line goes to the sync of its object.
#[test]
fn the_lines_of_two_workers_are_told_apart() {
    let (base, main) = ("pv_controller_base.go", "pv_controller.go");
    let text = [
        entry(base, r#""syncClaimByKey" claimKey="db/a""#),
        entry(base, r#""syncVolumeByKey" volumeKey="pv-9""#),
        entry(main, r#""Synchronizing PersistentVolumeClaim" PVC="db/a" claimStatus="x""#),
        entry(main, r#""Synchronizing PersistentVolume" volumeName="pv-9" volumeStatus="x""#),
        entry(main, r#""Synchronizing unbound PersistentVolumeClaim, volume requested" PVC="db/a" volumeName="pv-1""#),
        entry(main, r#""Synchronizing PersistentVolume, volume is unused" volumeName="pv-9""#),
        entry("graph_builder.go", r#""GraphBuilder process object""#),
        entry(
            main,
            "\"Synchronizing unbound PersistentVolumeClaim， volume requested and not found, will try again next time\" \
             PVC=\"db/a\" volumeName=\"pv-1\"",
        ),
    ]
    .concat();
    let reading = read_log(&text);
    let told: Vec<(String, Vec<&str>, Vec<usize>)> = reading
        .syncs
        .iter()
        .map(|sync| {
            let object = sync.object.as_ref().map(|object| object.name.to_string()).unwrap_or_default();
            let ends = sync.ends.iter().map(|leaf| leaf.id()).collect();
            (object, ends, sync.lines.iter().map(|line| line.number).collect())
        })
        .collect();
    let expected = [("a".to_owned(), vec!["C17"], vec![1, 3, 5, 8]), ("pv-9".to_owned(), vec!["V2"], vec![2, 4, 6])];
    assert_eq!(told, expected);
    assert_eq!(reading.unknown.iter().map(|line| line.number).collect::<Vec<_>>(), [7]);
}

/// A sync that writes no message of its leaf ended at a leaf that has none. This is known only of a finished sync.
#[test]
fn a_finished_sync_without_messages_changed_nothing() {
    let ends = |text: &str| -> Vec<Vec<&'static str>> {
        let reading = read_log(text);
        reading.syncs.iter().map(|sync| sync.ends.iter().map(|leaf| leaf.id()).collect()).collect()
    };
    let file = "pvc_protection_controller.go";
    let begin = entry(file, r#""Processing PVC" PVC="db/a""#);
    let end = entry(file, r#""Finished processing PVC" PVC="db/a" duration="31.204µs""#);
    assert_eq!(ends(&format!("{begin}{end}")), [["X7"]]);
    assert_eq!(ends(&begin).first().map(Vec::len), Some(8));
}
