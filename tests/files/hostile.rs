//! Objects that contain credentials and terminal control characters. Neither appears in any output.

use crate::support::{Finished, Run};
use pvctl::cli;
use serde_json::{Value, json};

/// The texts that no output may contain. Each is in another field of the objects. The name of a Secret is not one of
/// them: no verb reads the Secret, and its name helps people to find out that it is missing.
pub(crate) const SECRETS: [&str; 6] = [
    "s3cret-attribute",
    "s3cret-annotation",
    "s3cret-applied",
    "s3cret-environment",
    "s3cret-parameter",
    "s3cret-claim",
];

/// Control sequences that clear the screen, change the title and reverse the reading direction. There are also C1 codes
/// and invisible characters.
const CONTROL_SEQUENCES: &str =
    "\u{1b}[2J\u{1b}]0;owned\u{7}\u{202e}\u{2066}\u{9b}31m\u{200b}\u{feff}\r\n\u{8}\u{7f}evil";

/// Returns the objects as a real API server stores them, with these texts in annotations, in messages and in texts of
/// drivers.
pub(crate) fn objects() -> Vec<Value> {
    let applied = json!({"spec": {"csi": {"volumeAttributes": {"password": "s3cret-applied"}}}}).to_string();
    let annotations = |more: Value| {
        let mut all = json!({
            "kubectl.kubernetes.io/last-applied-configuration": applied,
            "example.com/token": format!("s3cret-annotation {CONTROL_SEQUENCES}"),
            "example.com/note": CONTROL_SEQUENCES,
        });
        if let (Some(all), Some(more)) = (all.as_object_mut(), more.as_object()) {
            all.extend(more.clone());
        }
        all
    };
    let reference = json!({"name": "credentials", "namespace": "db"});
    vec![
        json!({
            "apiVersion": "storage.k8s.io/v1", "kind": "StorageClass",
            "metadata": {"name": "fast", "annotations": annotations(json!({}))},
            "provisioner": "csi.example.com", "volumeBindingMode": "Immediate",
            "parameters": {"csi.storage.k8s.io/provisioner-secret-name": "credentials", "password": "s3cret-parameter"}
        }),
        json!({
            "apiVersion": "v1", "kind": "PersistentVolume",
            "metadata": {"name": "pv-1", "annotations": annotations(json!({
                "pv.kubernetes.io/provisioned-by": "csi.example.com", "pv.kubernetes.io/bound-by-controller": CONTROL_SEQUENCES
            }))},
            "spec": {
                "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "fast",
                "persistentVolumeReclaimPolicy": "Delete",
                "csi": {
                    "driver": "csi.example.com", "volumeHandle": "handle-1",
                    "volumeAttributes": {"password": "s3cret-attribute", "note": CONTROL_SEQUENCES},
                    "nodePublishSecretRef": reference, "nodeStageSecretRef": reference,
                    "controllerPublishSecretRef": reference, "controllerExpandSecretRef": reference
                }
            },
            "status": {"phase": "Failed", "message": CONTROL_SEQUENCES, "reason": CONTROL_SEQUENCES}
        }),
        json!({
            "apiVersion": "v1", "kind": "PersistentVolumeClaim",
            "metadata": {"namespace": "db", "name": "data", "annotations": annotations(json!({
                "volume.kubernetes.io/selected-node": CONTROL_SEQUENCES, "example.com/password": "s3cret-claim"
            }))},
            "spec": {
                "accessModes": ["ReadWriteOnce"], "storageClassName": "fast",
                "resources": {"requests": {"storage": "5Gi"}}
            },
            "status": {"phase": "Pending"}
        }),
        json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": {"namespace": "db", "name": "web", "annotations": annotations(json!({}))},
            "spec": {
                "containers": [{"name": "c", "image": "i", "env": [{"name": "PASSWORD", "value": "s3cret-environment"}]}],
                "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]
            },
            "status": {"phase": "Pending", "message": CONTROL_SEQUENCES}
        }),
        json!({
            "apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": {"namespace": "db", "name": "web", "annotations": annotations(json!({}))},
            "spec": {
                "selector": {"matchLabels": {"app": "web"}},
                "template": {
                    "metadata": {"labels": {"app": "web"}, "annotations": annotations(json!({}))},
                    "spec": {"containers": [{
                        "name": "c", "image": "i", "args": [CONTROL_SEQUENCES],
                        "env": [{"name": "PASSWORD", "value": "s3cret-environment"}]
                    }]}
                }
            }
        }),
        json!({
            "apiVersion": "v1", "kind": "Service",
            "metadata": {"namespace": "db", "name": "web", "annotations": annotations(json!({}))},
            "spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]}
        }),
        json!({
            "apiVersion": "storage.k8s.io/v1", "kind": "VolumeAttributesClass",
            "metadata": {"name": "gold", "annotations": annotations(json!({}))},
            "driverName": "csi.example.com", "parameters": {"password": "s3cret-parameter", "note": CONTROL_SEQUENCES}
        }),
    ]
}

/// Every verb that reads, in every format.
pub(crate) const QUESTIONS: &[&[&str]] = &[
    &["predict", "-A"],
    &["predict", "-A", "-o", "wide"],
    &["predict", "-A", "-o", "json", "--trace"],
    &["predict", "-A", "-o", "yaml", "--trace"],
    &["predict", "-A", "-o", "name"],
    &["predict", "-A", "--attachments"],
    &["predict", "-A", "--attachments", "-o", "json"],
    &["explain", "pv/pv-1", "-n", "db"],
    &["explain", "pv/pv-1", "-n", "db", "-o", "json"],
    &["explain", "pv/pv-1", "-n", "db", "-o", "yaml"],
    &["explain", "pvc/data", "-n", "db"],
    &["explain", "pvc/data", "-n", "db", "-o", "json"],
    &["explain", "pods", "-n", "db", "-o", "wide"],
    &["explain", "pvc/data", "-n", "db", "-o", "yaml"],
    &["explain", "sc/fast", "-n", "db"],
    &["explain", "sc/fast", "-n", "db", "-o", "json"],
    &["match", "pvc/data", "-n", "db"],
    &["match", "pvc/data", "-n", "db", "-o", "wide"],
    &["match", "pvc/data", "-n", "db", "-o", "name"],
    &["match", "pvc/data", "-n", "db", "-o", "json"],
    &["match", "pvc/data", "-n", "db", "-o", "yaml"],
    &["shared", "-A"],
    &["shared", "-A", "-o", "wide"],
    &["shared", "-A", "-o", "name"],
    &["shared", "-A", "-o", "json"],
    &["shared", "-A", "-o", "yaml"],
    &["audit", "-A"],
    &["audit", "-A", "-o", "wide"],
    &["audit", "-A", "-o", "json"],
    &["audit", "-A", "-o", "yaml"],
    &["audit", "-A", "-o", "sarif"],
    &["audit", "-A", "-o", "junit"],
    &["audit", "-A", "-o", "markdown"],
    &["audit", "-A", "-o", "name"],
    &["audit", "-A", "-o", "github"],
    &["audit", "-A", "-o", "prometheus"],
    &["snapshot", "-o", "json"],
    &["snapshot", "-o", "yaml"],
];

/// Fails if the output contains a secret or a character that a terminal would interpret.
pub(crate) fn assert_harmless(run: &Finished, what: &str) {
    // `-o name` prints nothing if no volume fits.
    assert!(!run.stdout.is_empty() || what.contains("-o name"), "{what}: {}", run.stderr);
    for (stream, text) in [("stdout", &run.stdout), ("stderr", &run.stderr)] {
        for secret in SECRETS {
            assert!(!text.contains(secret), "{what}: {secret} on {stream}:\n{text}");
        }
        let acts = |character: char| {
            (character.is_control() && character != '\n')
                || matches!(u32::from(character), 0x200b..=0x200f | 0x2028..=0x202e | 0x2060..=0x2069 | 0xfeff)
        };
        let found = text.chars().find(|character| acts(*character));
        assert_eq!(found, None, "{what}: on {stream}:\n{}", text.escape_debug());
    }
}

#[test]
fn secrets_and_control_characters_are_not_printed() {
    let list = json!({"apiVersion": "v1", "kind": "List", "items": objects()}).to_string();
    let mut evil = 0;
    for question in QUESTIONS {
        let all = [*question, &["-f", "-", "--assume-complete"]].concat();
        let run = Run::new(&all).env("COLUMNS", "400").stdin(list.as_bytes()).finish();
        assert_harmless(&run, &all.join(" "));
        evil += usize::from(run.stdout.contains("evil"));
    }
    assert!(evil > 2, "only {evil} outputs contained the text \"evil\", so the test proves nothing");
}

#[test]
fn each_verb_that_reads_files_is_asked_in_each_of_its_formats() {
    let command = cli::command();
    let (mut asked, mut missing) = (0, Vec::new());
    for verb in command.get_subcommands() {
        let has = |id: &str| verb.get_arguments().any(|argument| argument.get_id() == id);
        if !has("filenames") || has("dry_run") {
            continue;
        }
        let output = verb.get_arguments().find(|argument| argument.get_id() == "output");
        let formats = output.map(clap::Arg::get_possible_values).unwrap_or_default();
        let default = output.and_then(|output| output.get_default_values().first()).map(|word| word.to_string_lossy());
        for format in formats.iter().map(clap::builder::PossibleValue::get_name) {
            let is_asked = QUESTIONS.iter().any(|question| {
                let names = question.windows(2).any(|words| words == ["-o", format]);
                let is_default = !question.contains(&"-o") && default.as_deref().is_none_or(|word| word == format);
                question[0] == verb.get_name() && (names || is_default)
            });
            if is_asked {
                asked += 1;
            } else {
                missing.push(format!("{} -o {format}", verb.get_name()));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:?}");
    assert!(asked > 15, "only {asked} formats were found");
}

/// Each of these inputs cannot be read, so the program prints an error about it.
#[test]
fn errors_contain_no_secrets_and_no_control_characters() {
    let mut volume = objects().swap_remove(1);
    volume["spec"]["capacity"]["storage"] = format!("1{CONTROL_SEQUENCES}").into();
    volume["metadata"]["name"] = format!("pv{CONTROL_SEQUENCES}").into();
    let text = volume.to_string();
    for input in [text.as_str(), &text[..text.floor_char_boundary(text.len() / 2)], CONTROL_SEQUENCES] {
        let run = Run::new(&["predict", "-f", "-", "--strict"]).stdin(input.as_bytes()).finish();
        assert_eq!(run.code, Some(3), "{}", run.stderr);
        let said = Finished { stdout: run.stderr.clone(), ..run };
        assert_harmless(&said, "an error");
    }
}
