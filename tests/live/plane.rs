//! A control plane on loopback that runs as long as its value lives. `oracle/cluster/up` starts and stops the
//! processes.
#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    clippy::expect_used,
    clippy::panic,
    reason = "a test starts processes and fails by panicking"
)]

use crate::support::{Finished, Run, root};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::OnceLock;
use std::{env, fs};
use xtask::oracle::Oracle;

/// The folder in which `oracle/cluster/build` puts the components.
const BUILT: &str = "target/control-plane";

/// The argument that lets the API server store objects unchanged.
const NO_ADMISSION: &str = "--disable-admission-plugins=ServiceAccount,DefaultStorageClass,\
                            StorageObjectInUseProtection,PersistentVolumeClaimResize,Priority,TaintNodesByCondition,\
                            LimitRanger";

/// The name of the process in which the external provisioners run.
pub(crate) const DRIVERS: &str = "provisioner";

/// The answer of `oracle/cluster/up`, which says where the control plane is.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Answer {
    kubeconfig: PathBuf,
    etcd: String,
    directory: PathBuf,
    error: String,
}

/// etcd, kube-apiserver, and the components that are started later. All of them end when this value is dropped. They
/// also end with the process of the test, because the end of the process closes the pipe of their supervisor.
pub(crate) struct Plane {
    supervisor: Child,
    commands: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    place: Answer,
}

impl Plane {
    /// Starts a control plane whose API server gets these further arguments.
    pub(crate) fn start(arguments: &[&str]) -> Self {
        let mut command = Command::new(supervisor());
        command.env("KUBEBUILDER_ASSETS", assets());
        for argument in arguments {
            command.arg(format!("--api-argument={argument}"));
        }
        let mut supervisor =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the control plane starts");
        let commands = supervisor.stdin.take();
        let answers = BufReader::new(supervisor.stdout.take().expect("stdout is a pipe"));
        let mut plane = Self { supervisor, commands, answers, place: Answer::default() };
        plane.place = plane.answer();
        plane
    }

    /// Starts a control plane that stores objects unchanged. It does not have the admission plugins that would change
    /// them.
    pub(crate) fn without_admission() -> Self {
        Self::start(&[NO_ADMISSION])
    }

    /// Starts a control plane like [`Plane::without_admission`], with these feature gates of the API server.
    pub(crate) fn without_admission_with(gates: &BTreeSet<String>) -> Self {
        let gates: Vec<String> = gates.iter().map(|gate| format!("{gate}=true")).collect();
        Self::start(&[NO_ADMISSION, &format!("--feature-gates={}", gates.join(","))])
    }

    fn answer(&mut self) -> Answer {
        let mut line = String::new();
        self.answers.read_line(&mut line).expect("the control plane answers");
        let answer: Answer = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{line:?}: {error}"));
        assert!(answer.error.is_empty(), "{}", answer.error);
        answer
    }

    fn command(&mut self, command: &Value) {
        let commands = self.commands.as_mut().expect("the control plane must still run");
        writeln!(commands, "{command}").expect("the control plane listens");
        self.answer();
    }

    /// Starts the controllers of volumes and claims, with a short period between resyncs.
    pub(crate) fn start_controllers(&mut self) {
        self.start_controllers_and("");
    }

    /// Starts the same controllers and the ones in `more`.
    pub(crate) fn start_controllers_and(&mut self, more: &str) {
        let comma = if more.is_empty() { "" } else { "," };
        self.start_named(
            &format!(
                "persistentvolume-binder-controller,persistentvolume-protection-controller,\
                 persistentvolumeclaim-protection-controller{comma}{more}"
            ),
            &[],
        );
    }

    /// Starts the attach/detach controller alone, with these flags.
    pub(crate) fn start_attaching(&mut self, flags: &[(&str, &str)]) {
        let flags: Vec<String> = flags.iter().map(|(flag, value)| format!("--{flag}={value}")).collect();
        self.start_named("persistentvolume-attach-detach-controller", &flags);
    }

    fn start_named(&mut self, controllers: &str, more: &[String]) {
        self.remove_log("kube-controller-manager");
        let controllers = format!("--controllers={controllers}");
        let arguments = [
            controllers.as_str(),
            "--leader-elect=false",
            "--secure-port=0",
            "--controller-start-interval=0",
            "--pvclaimbinder-sync-period=1s",
            "--kube-api-qps=500",
            "--kube-api-burst=1000",
            "-v=2",
        ];
        let arguments: Vec<&str> = arguments.into_iter().chain(more.iter().map(String::as_str)).collect();
        self.command(&json!({"start": "kube-controller-manager", "args": arguments}));
    }

    /// Starts the default scheduler.
    pub(crate) fn start_scheduler(&mut self) {
        let arguments = ["--leader-elect=false", "--secure-port=0", "--kube-api-qps=500", "--kube-api-burst=1000"];
        self.command(&json!({"start": "kube-scheduler", "args": arguments}));
    }

    /// Starts the default scheduler, which tries again after one second at the latest. The default is ten seconds.
    pub(crate) fn start_hasty_scheduler(&mut self) {
        let config = json!({
            "apiVersion": "kubescheduler.config.k8s.io/v1",
            "kind": "KubeSchedulerConfiguration",
            "leaderElection": {"leaderElect": false},
            "clientConnection": {"kubeconfig": self.place.kubeconfig, "qps": 500, "burst": 1000},
            "podInitialBackoffSeconds": 1,
            "podMaxBackoffSeconds": 1,
        });
        let file = self.place.directory.join("scheduler.json");
        fs::write(&file, config.to_string()).expect("the configuration is written");
        let arguments = [format!("--config={}", file.display()), "--secure-port=0".to_owned()];
        self.command(&json!({"start": "kube-scheduler", "args": arguments}));
    }

    /// Starts the real external provisioners of these drivers. The seed decides what the drivers answer.
    pub(crate) fn start_drivers(&mut self, drivers: &[&str], seed: usize) {
        self.remove_log(DRIVERS);
        let arguments = ["run", "--drivers", &drivers.join(","), "--seed", &seed.to_string()];
        self.command(&json!({"start": DRIVERS, "program": provisioner(), "args": arguments}));
    }

    /// Stops the controllers immediately.
    pub(crate) fn stop_controllers(&mut self) {
        self.stop("kube-controller-manager");
    }

    /// Stops a component immediately.
    pub(crate) fn stop(&mut self, component: &str) {
        self.command(&json!({"stop": component}));
    }

    /// Removes the log of a component, so that a test does not find a line of an earlier start.
    fn remove_log(&self, component: &str) {
        _ = fs::remove_file(self.place.directory.join(format!("{component}.log")));
    }

    /// Returns the log of a component.
    pub(crate) fn log(&self, component: &str) -> String {
        fs::read_to_string(self.place.directory.join(format!("{component}.log"))).unwrap_or_default()
    }

    /// Returns the path of the administrator's kubeconfig.
    pub(crate) fn kubeconfig(&self) -> &Path {
        &self.place.kubeconfig
    }

    /// Returns the address at which etcd listens, without authentication.
    pub(crate) fn etcd(&self) -> &str {
        &self.place.etcd
    }

    /// Runs our program as the administrator.
    pub(crate) fn pvctl(&self, arguments: &[&str]) -> Finished {
        Run::new(arguments).env("KUBECONFIG", &self.place.kubeconfig.to_string_lossy()).finish()
    }

    /// Runs kubectl as the administrator, with `input` on stdin.
    pub(crate) fn kubectl_with(&self, arguments: &[&str], input: &[u8]) -> Finished {
        let run = Run::of(&kubectl(), arguments).env("KUBECONFIG", &self.place.kubeconfig.to_string_lossy());
        run.stdin(input).finish()
    }
}

impl Drop for Plane {
    fn drop(&mut self) {
        // When its input is closed, the supervisor ends, together with everything that it started.
        self.commands = None;
        _ = self.supervisor.wait();
    }
}

/// Returns the folder with etcd, kube-apiserver and the other components.
fn assets() -> PathBuf {
    let folder = env::var_os("KUBEBUILDER_ASSETS").map_or_else(|| root().join(BUILT), PathBuf::from);
    for component in ["etcd", "kube-apiserver", "kube-controller-manager", "kubectl"] {
        assert!(
            folder.join(component).exists(),
            "{} does not exist: run oracle/cluster/build first, or set KUBEBUILDER_ASSETS to a folder that has it",
            folder.join(component).display()
        );
    }
    folder
}

/// Returns the path of kubectl in the version of the control plane.
pub(crate) fn kubectl() -> PathBuf {
    assets().join("kubectl")
}

/// Returns the program with the real external provisioner. It is built once per run of the tests.
fn provisioner() -> &'static Path {
    static BUILD: OnceLock<Oracle> = OnceLock::new();
    BUILD.get_or_init(|| Oracle::build_provisioner(root()).expect("go, which builds the provisioner")).program()
}

/// Returns the program that starts and stops the components. It is built once per run of the tests.
fn supervisor() -> &'static Path {
    static BUILD: OnceLock<PathBuf> = OnceLock::new();
    BUILD.get_or_init(|| {
        let program = root().join(BUILT).join("up");
        let built = Command::new("go")
            .args(["build", "-o"])
            .arg(&program)
            .arg("./up")
            .current_dir(root().join("oracle/cluster"))
            .output()
            .expect("go, which builds the oracle");
        assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
        program
    })
}
