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

const UNIQUE: &str = "kubernetes.io/csi/d1.csi^h1";

/// Returns the ids of the leaves of each line, and what it names.
fn told(text: &str) -> Vec<(Vec<&'static str>, Vec<String>)> {
    let reading = read_log(text);
    assert_eq!(reading.unknown, [], "{text}");
    let lines = reading.syncs.iter().flat_map(|sync| &sync.lines);
    lines
        .map(|line| {
            let objects = line.objects.iter().map(|object| format!("{} {}", object.kind, object.name));
            let volumes = line.volumes.iter().map(|name| format!("volume {name}"));
            let pods = line.pod_uids.iter().map(|uid| format!("uid {uid}"));
            (line.steps.iter().map(|leaf| leaf.id()).collect(), objects.chain(volumes).chain(pods).collect())
        })
        .collect()
}

/// A line has only the unique name of the volume. Another line tells the PersistentVolume.
#[test]
fn a_volume_is_named_as_other_lines_name_it() {
    let started = entry(
        "reconciler.go",
        &format!(
            r#""attacherDetacher.AttachVolume started" volumeName="{UNIQUE}" nodeName="n1" scheduledPods=["db/p1"]"#
        ),
    );
    let names = |volume: &str| vec![volume.to_owned(), "Node n1".to_owned(), "Pod p1".to_owned()];
    let mut alone = told(&started);
    for (_, named) in &mut alone {
        named.sort();
    }
    assert_eq!(
        alone,
        [(vec!["AA4"], ["Node n1".to_owned(), "Pod p1".to_owned(), format!("volume {UNIQUE}")].to_vec())]
    );
    let done = entry(
        "operation_generator.go",
        &format!(r#"AttachVolume.Attach succeeded for volume "pv-1" (UniqueName: "{UNIQUE}") from node "n1" "#),
    );
    let both = told(&format!("{started}{done}"));
    assert_eq!(both.len(), 2);
    for (line, (leaf, volume)) in both.iter().zip([("AA4", "PersistentVolume pv-1"), ("AA5", "PersistentVolume pv-1")])
    {
        assert_eq!(line.0, [leaf]);
        assert!(line.1.contains(&volume.to_owned()) && line.1.contains(&"Node n1".to_owned()), "{line:?}");
        assert!(line.1.iter().all(|name| names(volume).contains(name)), "{line:?}");
    }
}

/// The attach/detach controller and the kubelet use the same code for operations. The other lines tell whose log it is.
#[test]
fn the_component_is_that_of_the_other_lines() {
    let failed = |error: &str| {
        let key = format!("{{volumeName:{UNIQUE} podName: nodeName:}}");
        entry(
            "nestedpendingoperations.go",
            &format!(
                r#"Operation for "{key}" failed. No retries permitted until x (durationBeforeRetry 1s). Error: {error}"#
            ),
        )
    };
    let error =
        format!(r#"MountVolume.SetUp failed for volume "pv-1" (UniqueName: "{UNIQUE}") pod "p1" (UID: "u1") : no"#);
    let pod = vec!["PersistentVolume pv-1".to_owned(), "uid u1".to_owned()];
    assert_eq!(told(&failed(&error)), [(vec!["KM8"], pod)]);
    let error = format!(r#"AttachVolume.Attach failed for volume "pv-1" (UniqueName: "{UNIQUE}") from node "n1" : no"#);
    let leaves: Vec<Vec<&str>> = told(&failed(&error)).into_iter().map(|(leaves, _)| leaves).collect();
    assert_eq!(leaves, [["AA6", "AO5"]]);
    let component = |text: &str| -> Vec<&str> { read_log(text).syncs.iter().map(|sync| sync.log.component).collect() };
    let plugin = entry("plugins.go", r#""Loaded volume plugin" pluginName="kubernetes.io/csi""#);
    let of_kubelet = entry("volume_manager.go", r#""Starting Kubelet Volume Manager""#);
    assert_eq!(component(&format!("{plugin}{of_kubelet}")), ["kubelet-volume-manager"; 2]);
    let of_controller = entry("attach_detach_controller.go", r#""Starting attach detach controller""#);
    assert_eq!(component(&format!("{plugin}{of_controller}")), ["persistentvolume-attach-detach-controller"; 2]);
}

/// The line about an event has the leaf that records the event.
#[test]
fn an_event_is_found_with_its_leaf() {
    let event = |object: &str, kind: &str, reason: &str, message: &str| {
        let text = format!(
            r#""Event occurred" object="{object}" fieldPath="" kind="{kind}" apiVersion="v1" type="Warning" reason="{reason}" message="{message}""#
        );
        told(&entry("event.go", &text))
    };
    let multi = r#"Multi-Attach error for volume \"pv-1\" Volume is already used by pod(s) p2"#;
    let names = vec!["Pod p1".to_owned(), "PersistentVolume pv-1".to_owned()];
    assert_eq!(event("db/p1", "Pod", "FailedAttachVolume", multi), [(vec!["AA3"], names)]);
    let waits = event("db/p1", "Pod", "FailedMount", "Unable to attach or mount volumes: unmounted volumes=[a]");
    assert_eq!(waits, [(vec!["KW1"], vec!["Pod p1".to_owned()])]);
    let text = entry(
        "event.go",
        r#""Event occurred" object="db/c1" fieldPath="" kind="PersistentVolumeClaim" apiVersion="v1" type="Normal" reason="WaitForFirstConsumer" message="x""#,
    );
    let reading = read_log(&text);
    let ends: Vec<&str> = reading.syncs.iter().flat_map(|sync| &sync.ends).map(|leaf| leaf.id()).collect();
    assert_eq!(ends, ["C7"]);
}
