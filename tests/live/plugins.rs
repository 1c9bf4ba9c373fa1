//! Credential plugins that fail in every way. Each run must end in time, with one sentence that names the plugin and
//! the way out. The sentence must not contain the output of the plugin.
#![expect(clippy::print_stderr, clippy::unwrap_used, reason = "the test says how much it saw, and fails by panicking")]

use super::plane;
use super::recorder::{Authority, Sent};
use super::stand::{TestServers, kubeconfig};
use super::tls::assert_said;
use crate::support::{BINARY, Finished, Run};
use serde_json::{Value, json};
use std::path::Path;
use std::time::Duration;

const SECRET: &str = "plug1ns3cret";

/// How much longer than its limit a run may take on a busy machine.
const SLACK: Duration = Duration::from_secs(8);

/// Each case has the script of the plugin, the change of `exec` in the kubeconfig, a part of our message, and a part of
/// our hint.
const WRONG: [(&str, &str, &str, &str); 23] = [
    ("echo {secret}; exit 3", "{}", "failed (exit status: 3)", "run it by hand"),
    ("echo {secret}; kill -9 $$", "{}", "failed (signal: 9", "run it by hand"),
    ("exit 0", "{}", "did not answer with an ExecCredential", "run it by hand"),
    ("echo Token: {secret}", "{}", "did not answer with an ExecCredential", "run it by hand"),
    ("echo '<html>{secret}</html>'", "{}", "did not answer with an ExecCredential", "run it by hand"),
    ("head -c 4096 /dev/urandom", "{}", "did not answer with an ExecCredential", "run it by hand"),
    (
        r#"echo '{"kind":"Pod","apiVersion":"v1","metadata":{"name":"{secret}"}}'"#,
        "{}",
        "did not answer with",
        "by hand",
    ),
    ("answer '{}'", "{}", "answered with neither a token nor", "run it by hand"),
    (r#"answer '{"token":""}'"#, "{}", "answered with neither a token nor", "run it by hand"),
    (r#"answer '{"clientCertificateData":"{secret}"}'"#, "{}", "answered with neither a token nor", "run it by hand"),
    (
        r#"answer '{"clientCertificateData":"{secret}","clientKeyData":"x"}'"#,
        "{}",
        "cannot be used",
        "certificate, key",
    ),
    (r#"answer '{"token":"{secret}\nx"}'"#, "{}", "the token cannot be sent", "credential plugin"),
    (r#"answer '{"token":17}'"#, "{}", "did not answer with an ExecCredential", "run it by hand"),
    ("yes {secret}", "{}", "printed more than a credential", "run it by hand"),
    ("exec sleep 20", "{}", "did not answer within 2 s", "log in with the plugin first"),
    ("sleep 12 2>/dev/null & exit 0", "{}", "did not answer within 2 s", "log in with the plugin first"),
    (
        r#"answer '{"token":"{secret}"}'; exec sleep 20 >&-"#,
        "{}",
        "did not answer within 2 s",
        "log in with the plugin first",
    ),
    ("cat >/dev/null; exit 4", "{}", "failed (exit status: 4)", "run it by hand"),
    (
        "exit 0",
        r#"{"interactiveMode":"Always"}"#,
        "needs a terminal, but standard input is not a terminal",
        "run it by hand",
    ),
    (
        "exit 0",
        r#"{"command":"no-such-plugin"}"#,
        "the credential plugin no-such-plugin is not installed",
        "run it by hand",
    ),
    (
        "exit 0",
        r#"{"command":"no-such-plugin","installHint":"\nInstall it with\u001b[1m krew:\nkubectl krew install it\n"}"#,
        "the credential plugin no-such-plugin is not installed",
        "Install it with",
    ),
    ("exit 0", r#"{"command":"./text"}"#, "text could not be started: Permission denied", "run it by hand"),
    // Only the server's answer shows that the token has expired.
    (
        r#"answer '{"token":"expired","expirationTimestamp":"2001-01-01T00:00:00Z"}'"#,
        "{}",
        "does not accept",
        "log in again",
    ),
];

/// Scripts of plugins whose answer is accepted.
const WELL: [&str; 6] = [
    r#"answer '{"token":"{secret}"}'"#,
    r#"answer '{"token":"{secret}","expirationTimestamp":"2001-01-01T00:00:00Z"}'"#,
    r#"answer '{"token":"{secret}","expirationTimestamp":"3001-01-01T00:00:00Z"}'"#,
    r#"sleep 1; answer '{"token":"{secret}"}'"#,
    r#"test -n "$KUBERNETES_EXEC_INFO" -a -n "$MORE" -a "$1" = get-token && answer '{"token":"{secret}"}'"#,
    "printf 'apiVersion: client.authentication.k8s.io/v1\\nkind: ExecCredential\\nstatus:\\n  token: {secret}\\n'",
];

struct World {
    stand: TestServers,
    server: String,
}

impl World {
    fn new() -> Self {
        let stand = TestServers::new();
        let authority = Authority::new("the authority");
        let acceptor = authority.server(&["127.0.0.1"], |_| {});
        let server = stand.listen("tls", "127.0.0.1", Some(acceptor), Vec::new());
        stand.write("ca.crt", &authority.pem);
        stand.write("text", "not a program\n");
        Self { stand, server: format!("https://{server}") }
    }

    fn run(&self, program: &Path, words: &[&str], script: &str, change: &str) -> (Finished, Sent, Duration) {
        let version = "client.authentication.k8s.io/v1";
        let answer = format!(
            "answer() {{ printf '{{\"kind\":\"ExecCredential\",\"apiVersion\":\"{version}\",\"status\":%s}}' \"$1\"; }}"
        );
        self.stand.write_program("plugin", &format!("{answer}\n{}", script.replace("{secret}", SECRET)));
        let mut exec = json!({
            "apiVersion": version, "command": "./plugin", "args": ["get-token"], "interactiveMode": "IfAvailable",
            "env": [{"name": "MORE", "value": "more"}], "provideClusterInfo": true,
        });
        let change: Value = serde_json::from_str(change).unwrap();
        for (key, value) in change.as_object().unwrap() {
            exec[key] = value.clone();
        }
        let cluster = json!({"server": self.server, "certificate-authority": "ca.crt"});
        let config = self.stand.write("config", &kubeconfig(&cluster, &json!({"exec": exec})));
        let run = Run::of(program, words).env("KUBECONFIG", config.to_str().unwrap());
        let (finished, sent, taken) = self.stand.run(run);
        let is_said = finished.stderr.contains(SECRET) || finished.stdout.contains(SECRET);
        assert!(!is_said || program != Path::new(BINARY), "{script}: {finished:?}");
        (finished, sent, taken)
    }
}

#[test]
fn each_fault_of_a_plugin_ends_in_a_sentence() {
    let world = World::new();
    for (script, change, said, advice) in WRONG {
        let words = ["predict", "--request-timeout", "2s"];
        let (finished, sent, taken) = world.run(BINARY.as_ref(), &words, script, change);
        assert_said(&format!("{script} {change}"), &finished, 3, said, advice);
        assert!(taken < Duration::from_secs(2) + SLACK, "{script} took {taken:?}");
        assert!(sent.facts.is_empty() || script.contains("expired"), "{script}: {sent:?}");
        assert!(!finished.stderr.contains('\u{1b}'));
    }
    for script in WELL {
        let (finished, sent, _) = world.run(BINARY.as_ref(), &["predict", "--request-timeout", "30s"], script, "{}");
        assert_eq!(finished.code, Some(0), "{script}: {}", finished.stderr);
        let authorization: Vec<&String> = sent.facts.iter().flat_map(|facts| &facts.authorization).collect();
        assert_eq!(authorization, [&format!("Bearer {SECRET}")], "{script}");
    }
}

/// Without a limit, a plugin may take as long as it needs, because a person may be logging in. kubectl behaves in the
/// same way.
#[test]
fn without_a_limit_a_plugin_may_take_its_time() {
    let world = World::new();
    let script = format!("sleep 3; answer '{{\"token\":\"{SECRET}\"}}'");
    for words in [&["predict"][..], &["predict", "--request-timeout=0"]] {
        let (finished, _, taken) = world.run(BINARY.as_ref(), words, &script, "{}");
        assert!(finished.code == Some(0) && taken >= Duration::from_secs(3), "{taken:?} {}", finished.stderr);
    }
}

/// The person sees the output of the plugin on stderr, before our message.
#[test]
fn the_stderr_of_a_plugin_is_passed_on() {
    let world = World::new();
    let (finished, ..) = world.run(BINARY.as_ref(), &["predict"], "echo open this address >&2; exit 1", "{}");
    assert!(finished.stderr.starts_with("open this address\nerror: the credential plugin "), "{}", finished.stderr);
}

#[test]
#[ignore = "needs a control plane: oracle/cluster/build, then cargo test --profile thorough -- --ignored live"]
fn kubectl_fails_at_the_same_plugins() {
    let world = World::new();
    let kubectl = plane::kubectl();
    let mut tried = 0;
    for (script, change, ..) in WRONG {
        // kubectl would wait until these plugins end, and would keep all their output in memory. So it is not run.
        if script.contains("sleep") || script.starts_with("yes") {
            continue;
        }
        let (finished, sent, _) = world.run(&kubectl, &["get", "pvc"], script, change);
        assert_ne!(finished.code, Some(0), "{script}");
        assert!(sent.facts.is_empty() || script.contains("expired"), "{script}: {sent:?}");
        tried += 1;
    }
    for script in WELL {
        let (finished, theirs, _) = world.run(&kubectl, &["get", "pvc"], script, "{}");
        assert_eq!(finished.code, Some(0), "{script}: {}", finished.stderr);
        let (_, ours, _) = world.run(BINARY.as_ref(), &["predict"], script, "{}");
        assert_eq!(ours, theirs, "{script}");
    }
    // kubectl does not apply the request timeout to plugins.
    let (finished, _, taken) = world.run(&kubectl, &["get", "pvc", "--request-timeout=1s"], "sleep 4; exit 3", "{}");
    assert!(finished.code != Some(0) && taken >= Duration::from_secs(4), "{taken:?} {}", finished.stderr);
    eprintln!("{} faults ({tried} of them also with kubectl) and {} plugins that work", WRONG.len(), WELL.len());
}
