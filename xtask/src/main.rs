//! Tasks of the project: `cargo xtask --help`.
#![expect(clippy::print_stderr, reason = "a task says why it failed")]

use anyhow::{Context as _, Result, bail};
use clap::{Args, Parser, Subcommand};
use pvctl::controllers::{KubeVersion, KubernetesBehavior};
use std::io::{Write as _, stdout};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{SystemTime, UNIX_EPOCH};
use xtask::differential::{Question, Run, differential};
#[cfg(unix)]
use xtask::mutants::{Trial, mutants};
use xtask::oracle::{
    Oracle, Worlds, api_manager_release, attacher_release, build_arguments, provisioner_release, resizer_release,
};
use xtask::replay::replay;
use xtask::{corpus, shrink};

/// Writes a line to standard output, and ignores errors: a reader that has closed the output needs no more lines.
macro_rules! say {
    ($($text:tt)*) => {
        drop(writeln!(stdout(), $($text)*))
    };
}

/// Compares the predictions with what the real controllers do.
#[derive(Parser)]
struct Tasks {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Compares the real controllers and the predictions on new random worlds, until enough worlds differ.
    Differential(Differential),
    /// Compares recorded answers with the predictions; by default all files below tests/conformance.
    Replay {
        /// The files of recorded answers.
        files: Vec<PathBuf>,
    },
    /// Records the answers of the real controllers in a file that the tests replay.
    Record(Record),
    /// Lists the releases of Kubernetes whose controllers the oracle has, the newest last. Each line has the arguments
    /// with which `go build` builds the oracle of this release.
    Versions,
    /// Changes the controllers and the simulation in small ways, and checks whether the recordings notice.
    #[cfg(unix)]
    Mutants(Mutants),
    /// Plans repairs in random worlds, and checks whether the whole adversary finds a loss.
    Plans(Plans),
}

#[derive(Args)]
struct Plans {
    /// The number of worlds.
    #[arg(long, default_value_t = 1000)]
    worlds: u64,
    /// The number of the first world, with which an interrupted run can be continued.
    #[arg(long, default_value_t = 0)]
    from: u64,
    /// The seed of the random worlds.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The number of threads.
    #[arg(long, default_value_t = 2)]
    threads: u64,
}

#[derive(Args)]
struct Common {
    /// What the real controllers are asked.
    #[arg(long, value_enum, default_value = "decide")]
    ask: Question,
    /// The minor version of Kubernetes whose controllers answer.
    #[arg(long, default_value_t = KubeVersion::DEFAULT, value_parser = version)]
    kube_version: KubeVersion,
    /// Feature gates that differ from their defaults, as NAME=BOOL,...
    #[arg(long, default_value = "")]
    gates: String,
}

#[derive(Args)]
struct Differential {
    #[command(flatten)]
    common: Common,
    /// The number of worlds.
    #[arg(long, default_value_t = 5000)]
    worlds: u64,
    /// The seed of the random worlds; `daily` is the number of the day, so that every day has different worlds.
    #[arg(long, default_value = "daily")]
    seed: String,
    /// Ends the run when this number of worlds differ.
    #[arg(long, default_value_t = 5)]
    differences: usize,
    /// Starts from the first world, even if an earlier run of the same seed was interrupted.
    #[arg(long)]
    restart: bool,
}

#[derive(Args)]
struct Record {
    #[command(flatten)]
    common: Common,
    /// A file of worlds to answer; without this option, random worlds are made.
    #[arg(long)]
    from: Option<PathBuf>,
    /// The number of random worlds.
    #[arg(long, default_value_t = 100)]
    worlds: u64,
    /// The seed of the random worlds.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// The file to write; its name ends with the release, as in decisions-1.N.PATCH.jsonl.gz.
    #[arg(long)]
    to: PathBuf,
}

#[cfg(unix)]
#[derive(Args)]
struct Mutants {
    /// The number of mutants to try, counting only those that compile; without this option, all mutants.
    #[arg(long)]
    sample: Option<usize>,
    /// The seed that selects the mutants.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Tries only mutants whose name, `FILE:LINE:COLUMN: WHAT`, contains this text.
    #[arg(long, default_value = "")]
    only: String,
    /// Replays only the recordings whose names contain this text, and builds faster. Other recordings may notice a
    /// mutant that these recordings do not notice.
    #[arg(long, default_value = "")]
    recordings: String,
    /// The number of mutants that are tried at the same time.
    #[arg(long, default_value_t = 1)]
    jobs: usize,
}

fn version(text: &str) -> Result<KubeVersion> {
    KubeVersion::parse(text).with_context(|| format!("{text} is not modelled"))
}

/// Returns the oracle of a question and a minor version, the behavior of this version, and the release of its
/// controllers.
fn oracle(root: &Path, asked: &Common) -> Result<(Oracle, KubernetesBehavior, String)> {
    let (version, gates) = (asked.kube_version, &asked.gates);
    let release = version.recorded().with_context(|| format!("there is no oracle of {version}"))?;
    let has_own_oracle = matches!(
        asked.ask,
        Question::Provision
            | Question::Attacher
            | Question::Resize
            | Question::Share
            | Question::Mount
            | Question::Manage
            | Question::ManageLogs
    );
    if has_own_oracle && (version != KubeVersion::DEFAULT || !gates.is_empty()) {
        bail!(
            "--ask provision, attacher, resize, share, mount, manage and manage-logs take neither --kube-version nor \
             --gates"
        );
    }
    let (oracle, release) = match asked.ask {
        Question::Provision => (Oracle::build_provisioner(root)?, provisioner_release()),
        Question::Attacher => (Oracle::build_attacher(root)?, attacher_release()),
        Question::Resize => (Oracle::build_resizer(root)?, resizer_release()),
        Question::Share => (Oracle::build_shared_volume(root)?, api_manager_release()),
        Question::Mount | Question::Manage | Question::ManageLogs => (Oracle::build_kubelet(root)?, release),
        _ => (Oracle::build(root, version, gates)?, release),
    };
    Ok((oracle, KubernetesBehavior::of(version), release))
}

fn main() -> ExitCode {
    match run(Tasks::parse().task) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// Runs a task. Returns false if the task found a difference, a possible end that was not seen, a loss, or a mutant
/// that no recording noticed.
fn run(task: Task) -> Result<bool> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("the project's folder")?;
    match task {
        Task::Differential(asked) => {
            let seed = match asked.seed.as_str() {
                "daily" => SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs() / 86_400,
                given => given.parse().with_context(|| format!("--seed {given:?} is not a number"))?,
            };
            let (oracle, behavior, version) = oracle(root, &asked.common)?;
            let question = asked.common.ask;
            let run = Run {
                root,
                oracle: &oracle,
                behavior: &behavior,
                version: &version,
                question,
                seed,
                worlds: asked.worlds,
                differences: asked.differences,
            };
            let (project, arguments) = (question.project(), question.arguments().join(" "));
            say!("{project} {version}, {arguments}, seed {seed}, {} worlds", asked.worlds);
            if asked.restart {
                xtask::differential::forget(&run)?;
            }
            let done = differential(&run, |text| say!("{text}"))?;
            say!(
                "{} worlds in {:.0} s: {}; {} worlds differ",
                done.done,
                done.seconds,
                done.counts,
                done.differing.len()
            );
            if done.counts.is_empty() {
                bail!("nothing was compared");
            }
            Ok(done.differing.is_empty())
        }
        Task::Plans(asked) => {
            let started = SystemTime::now();
            let worlds = asked.from..asked.from.saturating_add(asked.worlds);
            let seconds = || started.elapsed().map_or(0, |passed| passed.as_secs());
            let found = |harm: &str| say!("{harm}");
            let progress = |tally: &xtask::plans::Tally| {
                let (worlds, plans, harmful) = (tally.worlds, tally.plans, tally.harmful.len());
                say!("{worlds} worlds in {} s: {plans} plans, {harmful} harmful", seconds());
            };
            let tally = xtask::plans::plans(asked.seed, worlds, asked.threads.max(1), found, progress)?;
            say!("{tally}");
            say!("seed {}, {} s", asked.seed, seconds());
            if tally.accepted.is_empty() {
                bail!("no plan was accepted: nothing was searched");
            }
            Ok(tally.harmful.is_empty())
        }
        Task::Replay { files } => {
            let files = if files.is_empty() { corpus::files(&root.join("tests/conformance"))? } else { files };
            let mut agree = true;
            for file in files {
                let verdict = replay(&file)?;
                for difference in &verdict.differences {
                    say!("{difference}");
                }
                for object in &verdict.wider {
                    say!("{object}: not every predicted end was seen");
                }
                for component in &verdict.wider_worlds {
                    say!("{component}: not every predicted end was seen");
                }
                if verdict.counts.is_empty() {
                    bail!("{}: nothing was compared", file.display());
                }
                // If the prediction says that an end is possible, the end must have been seen.
                let shown = verdict.wider.iter().all(|wider| !wider.exact) && verdict.wider_worlds.is_empty();
                agree &= verdict.differences.is_empty() && shown;
                say!("{}: {} differences; {}", file.display(), verdict.differences.len(), verdict.counts);
            }
            Ok(agree)
        }
        Task::Record(asked) => {
            let (oracle, _, version) = oracle(root, &asked.common)?;
            let name = asked.to.file_name().unwrap_or_default().to_string_lossy();
            if ![".jsonl", ".jsonl.gz"].iter().any(|end| name.ends_with(&format!("-{version}{end}"))) {
                bail!("--to {}: the name has to end with -{version}.jsonl or -{version}.jsonl.gz", asked.to.display());
            }
            let (arguments, kind) = (asked.common.ask.arguments(), asked.common.ask.worlds());
            let made = Worlds { seed: asked.seed, start: 0, count: asked.worlds, kind };
            let lines = match &asked.from {
                Some(file) => {
                    let worlds: Vec<_> =
                        corpus::lines(file)?.map(|line| Ok(shrink::stripped(&line?))).collect::<Result<_>>()?;
                    oracle.answer(&worlds, arguments)?
                }
                None => oracle.answer_worlds(made, arguments)?,
            };
            corpus::write(&asked.to, &lines)?;
            let project = asked.common.ask.project();
            say!("wrote {} worlds with the answers of {project} {version} to {}", lines.len(), asked.to.display());
            Ok(true)
        }
        Task::Versions => {
            for version in KubeVersion::all() {
                if let Some(release) = version.recorded() {
                    let words: Vec<String> = [release].into_iter().chain(build_arguments(version)).collect();
                    say!("{}", words.join(" "));
                }
            }
            Ok(true)
        }
        #[cfg(unix)]
        Task::Mutants(Mutants { sample, seed, only, recordings, jobs }) => {
            let trial = Trial { root, sample, seed, only: &only, recordings: &recordings, jobs };
            let tried = mutants(&trial, |text| say!("{text}"))?;
            for name in tried.survivors() {
                say!("survived: {name}");
            }
            say!("seed {seed}: {tried}");
            if tried.viable() == 0 {
                bail!("no mutant was tried");
            }
            Ok(tried.survivors().next().is_none())
        }
    }
}
