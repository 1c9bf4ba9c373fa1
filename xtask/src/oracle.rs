//! Runs the oracle: the real controllers as a separate program, built from `oracle/`.

use crate::line::Line;
use anyhow::{Context as _, Result, bail};
use pvctl::controllers::KubeVersion;
use pvctl::controllers::attacher::EXTERNAL_ATTACHER;
use pvctl::controllers::provisioner::EXTERNAL_PROVISIONER;
use pvctl::controllers::resizer::EXTERNAL_RESIZER;
use pvctl::controllers::shared_volume::API_MANAGER;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;

/// The oracle, built and ready to answer.
#[derive(Clone, Debug)]
pub struct Oracle {
    program: PathBuf,
    /// Feature gates that differ from their defaults, as `NAME=BOOL,…`. The text is empty if no gate differs.
    gates: String,
}

/// Returns the arguments of `go build` in `oracle/` that choose a version. The list is empty for the default version,
/// whose modules are those of `go.mod`.
pub fn build_arguments(version: KubeVersion) -> Vec<String> {
    if version == KubeVersion::DEFAULT {
        return Vec::new();
    }
    // A build tag cannot contain a dot.
    let tag = version.to_string().replace('.', "_");
    vec![format!("-modfile=minors/{version}.mod"), format!("-tags=k8s_{tag}")]
}

/// Returns the release of external-provisioner, and the release of the Kubernetes modules with which its oracle is
/// built.
pub fn provisioner_release() -> String {
    format!("{EXTERNAL_PROVISIONER}-{}", KubeVersion::DEFAULT.recorded().unwrap_or_default())
}

/// Returns the release of external-attacher, and the release of the Kubernetes modules with which its oracle is built.
pub fn attacher_release() -> String {
    format!("{EXTERNAL_ATTACHER}-{}", KubeVersion::DEFAULT.recorded().unwrap_or_default())
}

/// Returns the release of external-resizer, and the release of the Kubernetes modules with which its oracle is built.
pub fn resizer_release() -> String {
    format!("{EXTERNAL_RESIZER}-{}", KubeVersion::DEFAULT.recorded().unwrap_or_default())
}

/// Returns the release of api-manager, and the release of Kubernetes whose API server its oracle imitates.
pub fn api_manager_release() -> String {
    format!("{API_MANAGER}-{}", KubeVersion::DEFAULT.recorded().unwrap_or_default())
}

/// Builds the program of a folder.
fn build(folder: &Path, program: &Path, arguments: Vec<String>) -> Result<()> {
    let mut build = Command::new("go");
    build.current_dir(folder).args(["build", "-buildvcs=false", "-o"]).arg(program).args(arguments);
    let status = build.arg(".").status().context("the oracle needs the Go toolchain: `go` cannot be started")?;
    if !status.success() {
        bail!("`go build` in {} failed", folder.display());
    }
    Ok(())
}

/// A sequence of worlds that the oracle makes.
#[derive(Clone, Copy, Debug)]
pub struct Worlds {
    /// The seed of the random worlds.
    pub seed: u64,
    /// The number of the first world.
    pub start: u64,
    /// The number of worlds.
    pub count: u64,
    /// The arguments of the oracle that describe the worlds to make.
    pub kind: &'static [&'static str],
}

impl Oracle {
    /// Builds the oracle of a version with the Go toolchain. `gates` has the feature gates that differ from their
    /// defaults, as `NAME=BOOL,…`.
    ///
    /// # Errors
    /// Returns an error if there is no Go toolchain, or if the build fails.
    pub fn build(root: &Path, version: KubeVersion, gates: &str) -> Result<Self> {
        let program = root.join("target/oracle").join(format!("oracle{version}"));
        build(&root.join("oracle"), &program, build_arguments(version))?;
        Ok(Self { program, gates: gates.to_owned() })
    }

    /// Builds the oracle of the external provisioner with the Go toolchain.
    ///
    /// # Errors
    /// Returns an error if there is no Go toolchain, or if the build fails.
    pub fn build_provisioner(root: &Path) -> Result<Self> {
        let program = root.join("target/oracle").join(format!("provisioner{}", provisioner_release()));
        build(&root.join("oracle/provisioner"), &program, Vec::new())?;
        Ok(Self { program, gates: String::new() })
    }

    /// Builds the oracle of the external attacher with the Go toolchain.
    ///
    /// # Errors
    /// Returns an error if there is no Go toolchain, or if the build fails.
    pub fn build_attacher(root: &Path) -> Result<Self> {
        let program = root.join("target/oracle").join(format!("attacher{}", attacher_release()));
        build(&root.join("oracle/attacher"), &program, Vec::new())?;
        Ok(Self { program, gates: String::new() })
    }

    /// Builds the oracle of the external resizer with the Go toolchain.
    ///
    /// # Errors
    /// Returns an error if there is no Go toolchain, or if the build fails.
    pub fn build_resizer(root: &Path) -> Result<Self> {
        let program = root.join("target/oracle").join(format!("resizer{}", resizer_release()));
        build(&root.join("oracle/resizer"), &program, Vec::new())?;
        Ok(Self { program, gates: String::new() })
    }

    /// Builds the oracle of the shared-volume controller with the Go toolchain.
    ///
    /// # Errors
    /// Returns an error if there is no Go toolchain, or if the build fails.
    pub fn build_shared_volume(root: &Path) -> Result<Self> {
        let program = root.join("target/oracle").join(format!("shared-volume{}", api_manager_release()));
        build(&root.join("oracle/shared_volume"), &program, Vec::new())?;
        Ok(Self { program, gates: String::new() })
    }

    /// Builds the oracle of the kubelet with the Go toolchain.
    ///
    /// # Errors
    /// Returns an error if there is no Go toolchain, or if the build fails.
    pub fn build_kubelet(root: &Path) -> Result<Self> {
        let release = KubeVersion::DEFAULT.recorded().unwrap_or_default();
        let program = root.join("target/oracle").join(format!("kubelet{release}"));
        build(&root.join("oracle/kubelet"), &program, Vec::new())?;
        Ok(Self { program, gates: String::new() })
    }

    /// Returns the path of the program.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Returns the feature gates that differ from their defaults, as `NAME=BOOL,…`.
    pub fn gates(&self) -> &str {
        &self.gates
    }

    /// Lets the oracle make worlds and answer them.
    ///
    /// # Errors
    /// Returns an error if the program fails or prints something other than lines.
    pub fn answer_worlds(&self, worlds: Worlds, arguments: &[&str]) -> Result<Vec<Line>> {
        let Worlds { seed, start, count, kind } = worlds;
        let mut source = Command::new(&self.program)
            .arg("worlds")
            .args(["--seed", &seed.to_string(), "--start", &start.to_string(), "--count", &count.to_string()])
            .args(kind)
            .stdout(Stdio::piped())
            .spawn()
            .context("the oracle cannot be started")?;
        let made = source.stdout.take().context("no output of the oracle")?;
        let answering = self.answering(arguments).stdin(made).spawn().context("the oracle cannot be started")?;
        let answers = read(answering)?;
        finish(source)?;
        if answers.len() as u64 != count {
            bail!("the oracle answered {} of {count} worlds", answers.len());
        }
        Ok(answers)
    }

    fn answering(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        command.args(arguments).args(["--gates", &self.gates]).stdout(Stdio::piped());
        command
    }

    /// Lets the oracle answer given worlds, in their order.
    ///
    /// # Errors
    /// Returns an error if the program fails or prints something other than lines.
    pub fn answer(&self, lines: &[Line], arguments: &[&str]) -> Result<Vec<Line>> {
        let mut answering =
            self.answering(arguments).stdin(Stdio::piped()).spawn().context("the oracle cannot be started")?;
        let mut input = answering.stdin.take().context("no input of the oracle")?;
        let mut text = Vec::new();
        for line in lines {
            serde_json::to_writer(&mut text, line)?;
            text.push(b'\n');
        }
        let writing = thread::spawn(move || input.write_all(&text));
        let answers = read(answering);
        // The error of the program is returned first, because it says more than the error of the broken pipe.
        let written = writing.join();
        let answers = answers?;
        written.map_err(|_| anyhow::anyhow!("writing to the oracle panicked"))??;
        if !answers.iter().map(|line| &line.id).eq(lines.iter().map(|line| &line.id)) {
            bail!("the oracle answered other worlds than it was asked about");
        }
        Ok(answers)
    }
}

fn read(mut child: Child) -> Result<Vec<Line>> {
    let mut output = child.stdout.take().context("no output of the oracle")?;
    let mut text = String::new();
    output.read_to_string(&mut text)?;
    // The error of the program is returned first, because it says more than the error about the incomplete line.
    finish(child)?;
    let line = |(place, text): (usize, &str)| {
        let begin: String = text.chars().take(80).collect();
        let number = place + 1;
        serde_json::from_str(text).with_context(|| format!("what the oracle printed as line {number}: {begin}"))
    };
    text.lines().enumerate().map(line).collect()
}

fn finish(mut child: Child) -> Result<()> {
    let status = child.wait()?;
    if !status.success() {
        bail!("the oracle ended with {status}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use pvctl::controllers::KubeVersion;
    use pvctl::controllers::attacher::EXTERNAL_ATTACHER;
    use pvctl::controllers::provisioner::{EXTERNAL_PROVISIONER, PROVISIONER_LIBRARY};
    use pvctl::controllers::resizer::EXTERNAL_RESIZER;
    use pvctl::controllers::shared_volume::API_MANAGER;

    #[test]
    fn the_provisioner_has_the_versions_of_its_module() {
        let module = include_str!("../../oracle/provisioner/go.mod");
        let release = KubeVersion::DEFAULT.recorded().unwrap_or_default();
        let kubernetes = release.strip_prefix("1.").unwrap_or_default();
        for wanted in [
            format!("github.com/kubernetes-csi/external-provisioner/v6 v{EXTERNAL_PROVISIONER}"),
            format!("sigs.k8s.io/sig-storage-lib-external-provisioner/v13 v{PROVISIONER_LIBRARY}"),
            format!("k8s.io/client-go => k8s.io/client-go v0.{kubernetes}"),
        ] {
            assert!(module.contains(&wanted), "{wanted}");
        }
    }

    #[test]
    fn the_kubelet_has_the_version_of_its_module() {
        let release = KubeVersion::DEFAULT.recorded().unwrap_or_default();
        let wanted = format!("k8s.io/kubernetes v{release}");
        assert!(include_str!("../../oracle/kubelet/go.mod").contains(&wanted), "{wanted}");
    }

    #[test]
    fn the_attacher_has_the_versions_of_its_module() {
        let module = include_str!("../../oracle/attacher/go.mod");
        let release = KubeVersion::DEFAULT.recorded().unwrap_or_default();
        let kubernetes = release.strip_prefix("1.").unwrap_or_default();
        for wanted in [
            format!("github.com/kubernetes-csi/external-attacher/v4 v{EXTERNAL_ATTACHER}"),
            format!("k8s.io/client-go => k8s.io/client-go v0.{kubernetes}"),
        ] {
            assert!(module.contains(&wanted), "{wanted}");
        }
    }

    #[test]
    fn the_resizer_has_the_versions_of_its_module() {
        let module = include_str!("../../oracle/resizer/go.mod");
        let release = KubeVersion::DEFAULT.recorded().unwrap_or_default();
        let kubernetes = release.strip_prefix("1.").unwrap_or_default();
        for wanted in [
            format!("github.com/kubernetes-csi/external-resizer/v2 v{EXTERNAL_RESIZER}"),
            format!("k8s.io/client-go => k8s.io/client-go v0.{kubernetes}"),
        ] {
            assert!(module.contains(&wanted), "{wanted}");
        }
    }

    #[test]
    fn the_shared_volume_controller_has_the_version_of_its_module() {
        let wanted = format!("github.com/storageos/api-manager v{API_MANAGER}");
        assert!(include_str!("../../oracle/shared_volume/go.mod").contains(&wanted), "{wanted}");
    }
}
