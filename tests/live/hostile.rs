//! The hostile objects of `tests/files` on a real API server, which accepts all of them. The program logs every
//! request.
#![expect(clippy::expect_used, clippy::print_stderr, reason = "a test fails by panicking, and says what it counted")]

use super::api::Api;
use super::plane::Plane;
use crate::files::hostile::{QUESTIONS, assert_harmless, objects};
use crate::support::Run;
use serde_json::json;

/// The token of the user, which is a credential as well and must not be printed.
const TOKEN: &str = "s3cret-annotation-t0ken";

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
async fn no_secret_is_printed_at_any_verbosity() {
    let plane = Plane::without_admission();
    let api = Api::of(&plane).await;
    let namespace = json!({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "db"}});
    api.create(&namespace).await.expect("a namespace");
    for object in objects() {
        let mut stored = api.create(&object).await.expect("an object that the API server takes");
        if object.get("status").is_some() {
            stored["status"] = object["status"].clone();
            stored["apiVersion"] = object["apiVersion"].clone();
            stored["kind"] = object["kind"].clone();
            api.replace_status(&stored).await.expect("a status that the API server takes");
        }
    }
    let mut shown = 0;
    for question in QUESTIONS.iter().copied() {
        for verbosity in ["0", "6", "9"] {
            let all = [question, &["-v", verbosity]].concat();
            let run = plane.pvctl(&all);
            assert_harmless(&run, &all.join(" "));
            assert_eq!(verbosity != "0", run.stderr.contains("/api/v1/persistentvolumes"), "{all:?}: {}", run.stderr);
            shown += 1;
        }
    }
    let config = plane.kubeconfig().to_string_lossy().into_owned();
    let refused = Run::new(&["predict", "-v", "9", "--token", TOKEN]).env("KUBECONFIG", &config).finish();
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(3), ""), "{}", refused.stderr);
    assert!(!refused.stderr.contains(TOKEN) && refused.stderr.contains("401"), "{}", refused.stderr);
    eprintln!("{shown} answers");
}
