//! Compares the real controllers and the predictions on new random worlds: the differential run. The run ends after a
//! number of worlds, or when enough worlds differ.

use crate::judge::{Counts, Verdict};
use crate::line::Line;
use crate::oracle::{Oracle, Worlds};
use crate::replay::judge_all;
use crate::schedule::with_schedules;
use crate::shrink::{shrink, stripped};
use anyhow::{Context as _, Result};
use clap::ValueEnum;
use pvctl::controllers::KubernetesBehavior;
use serde::{Deserialize, Serialize};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Instant;
use std::{env, fs};

/// The number of worlds between two reports of the progress.
const CHUNK: u64 = 500;

/// What the oracle is asked: a value of `--ask`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Question {
    /// The possible decisions of one sync of each object.
    Decide,
    /// The ends with the binder alone. The binder is the PersistentVolume controller.
    Settle,
    /// The ends with the binder and the protection controllers.
    SettleAll,
    /// The ends with the binder and the protection controllers, in worlds in which the binder itself creates volumes.
    SettleHostPath,
    /// The possible decisions of one sync of each object, in worlds with generic ephemeral volumes.
    DecideEphemeral,
    /// The possible decisions of one sync of each object, and what the controllers log.
    Logs,
    /// What the attach/detach controller does over some time, and what it logs.
    AttachLogs,
    /// The ends with all controllers, in worlds with generic ephemeral volumes.
    SettleEphemeral,
    /// The ends of pods, volumes and claims, if kube-scheduler takes part as well.
    Pods,
    /// The result of the search for a volume.
    Match,
    /// What kube-scheduler says about each pod without a node.
    Schedule,
    /// What the attach/detach controller does over some time.
    Attach,
    /// How attaching ends, if only the controller and the attachers act.
    AttachEnds,
    /// All ends of attaching, under all behaviors of the attachers, in small worlds.
    AttachEveryEnd,
    /// What the external provisioner decides. This question has its own oracle program.
    Provision,
    /// What the external attacher decides. This question has its own oracle program.
    Attacher,
    /// What the external resizer decides. This question has its own oracle program.
    Resize,
    /// What the shared-volume controller of api-manager decides. This question has its own oracle program.
    Share,
    /// What the kubelet does with the volumes of the pods of a node. This question has its own oracle program.
    Mount,
    /// What the kubelet's volume manager does in time: drivers that fail, pods that come and go, volumes on the disk.
    Manage,
    /// What the kubelet's volume manager does in time, and what it logs.
    ManageLogs,
}

impl Question {
    /// Returns the arguments with which the oracle runs more schedules to find rare ends, or `None` if the question
    /// runs no schedules.
    fn longer(self) -> Option<Vec<&'static str>> {
        let more: &[_] = match self {
            Self::Pods => &["--schedules", "400", "--quiet", "400", "--most", "8000", "--seed", "2"],
            _ => &["--schedules", "2000", "--most", "4000", "--seed", "2"],
        };
        self.following().map(|_| [self.arguments(), more].concat())
    }

    /// Returns the arguments with which the oracle follows given schedules, or `None` if the question has no ends.
    fn following(self) -> Option<&'static [&'static str]> {
        match self {
            Self::Settle => Some(&["follow", "--controllers", "binder"]),
            Self::SettleAll | Self::SettleHostPath | Self::SettleEphemeral => Some(&["follow", "--controllers", "all"]),
            Self::Pods => Some(&["follow", "--controllers", "all", "--scheduler"]),
            Self::Decide
            | Self::DecideEphemeral
            | Self::Logs
            | Self::AttachLogs
            | Self::Match
            | Self::Schedule
            | Self::Attach
            | Self::AttachEnds
            | Self::AttachEveryEnd
            | Self::Provision
            | Self::Attacher
            | Self::Resize
            | Self::Share
            | Self::Mount
            | Self::Manage
            | Self::ManageLogs => None,
        }
    }

    /// Returns the project whose code answers.
    pub fn project(self) -> &'static str {
        match self {
            Self::Provision => "external-provisioner",
            Self::Attacher => "external-attacher",
            Self::Resize => "external-resizer",
            Self::Share => "api-manager",
            _ => "Kubernetes",
        }
    }

    /// Returns the arguments of the oracle for this question.
    pub fn arguments(self) -> &'static [&'static str] {
        match self {
            Self::Decide | Self::DecideEphemeral => &["decide", "--controllers", "all"],
            Self::Logs => &["decide", "--controllers", "all", "--logs"],
            Self::Settle => &["settle", "--controllers", "binder"],
            Self::SettleAll | Self::SettleHostPath | Self::SettleEphemeral => &["settle", "--controllers", "all"],
            Self::Pods => &["settle", "--controllers", "all", "--scheduler"],
            Self::Match => &["match"],
            Self::Schedule => &["schedule"],
            Self::Attach | Self::AttachEnds | Self::AttachEveryEnd => &["attach"],
            Self::AttachLogs => &["attach", "--logs"],
            Self::Provision => &["provision"],
            Self::Attacher | Self::Resize | Self::Share => &["sync"],
            Self::Mount => &["mount"],
            Self::Manage => &["manage"],
            Self::ManageLogs => &["manage", "--logs"],
        }
    }

    /// Returns the arguments of the oracle that describe the worlds to make.
    pub fn worlds(self) -> &'static [&'static str] {
        match self {
            Self::SettleHostPath => &["--host-path"],
            Self::DecideEphemeral | Self::SettleEphemeral => &["--ephemeral"],
            Self::Pods => &["--pods"],
            Self::Schedule => &["--scheduling"],
            Self::Attach | Self::AttachLogs => &["--attaching"],
            Self::AttachEnds => &["--attaching-ends"],
            Self::AttachEveryEnd => &["--attaching-every-end"],
            Self::Decide
            | Self::Logs
            | Self::Settle
            | Self::SettleAll
            | Self::Match
            | Self::Provision
            | Self::Attacher
            | Self::Resize
            | Self::Share
            | Self::Mount => &[],
            Self::Manage | Self::ManageLogs => &["--runs"],
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Decide => "decide",
            Self::Settle => "settle",
            Self::SettleAll => "settle-all",
            Self::SettleHostPath => "settle-host-path",
            Self::DecideEphemeral => "decide-ephemeral",
            Self::Logs => "logs",
            Self::AttachLogs => "attach-logs",
            Self::SettleEphemeral => "settle-ephemeral",
            Self::Pods => "pods",
            Self::Match => "match",
            Self::Schedule => "schedule",
            Self::Attach => "attach",
            Self::AttachEnds => "attach-ends",
            Self::AttachEveryEnd => "attach-every-end",
            Self::Provision => "provision",
            Self::Attacher => "attacher",
            Self::Resize => "resize",
            Self::Share => "share",
            Self::Mount => "mount",
            Self::Manage => "manage",
            Self::ManageLogs => "manage-logs",
        }
    }
}

/// A differential run.
#[derive(Debug)]
pub struct Run<'a> {
    /// The folder of the project.
    pub root: &'a Path,
    /// The oracle that answers.
    pub oracle: &'a Oracle,
    /// The behavior of the oracle's version.
    pub behavior: &'a KubernetesBehavior,
    /// The version of the oracle, for the names of files.
    pub version: &'a str,
    /// What the oracle is asked: a value of `--ask`.
    pub question: Question,
    /// The seed of the random worlds.
    pub seed: u64,
    /// The number of worlds.
    pub worlds: u64,
    /// The run ends when this number of worlds differ.
    pub differences: usize,
}

/// The progress of a run. It is kept in a file, so that an interrupted run can continue.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Progress {
    /// A hash of the two compared programs. The progress of other programs is ignored.
    pub programs: u64,
    /// The number of finished worlds.
    pub done: u64,
    /// The time for these worlds in seconds, over all runs.
    pub seconds: f64,
    /// The numbers of compared answers.
    pub counts: Counts,
    /// The names of the worlds that differ.
    pub differing: Vec<String>,
}

/// Returns the question and the feature gates, for the names of files.
fn asked(run: &Run<'_>) -> String {
    let gates: String = run.oracle.gates().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let name = run.question.name();
    if gates.is_empty() { name.to_owned() } else { format!("{name}-{gates}") }
}

/// Returns the file with the progress of a run.
fn progress_file(run: &Run<'_>) -> PathBuf {
    run.root.join(format!("target/differential/{}-{}-seed-{}.json", asked(run), run.version, run.seed))
}

/// Returns the progress of an earlier run of the same programs. It is empty if there was no such run.
fn earlier(file: &Path, programs: u64) -> Result<Progress> {
    let anew = Progress { programs, ..Progress::default() };
    let text = match fs::read(file) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(anew),
        Err(error) => return Err(error).with_context(|| format!("{}", file.display())),
    };
    // The file of an older program is ignored, whatever its form is.
    let progress = serde_json::from_slice::<Progress>(&text).ok();
    Ok(progress.filter(|progress| progress.programs == programs).unwrap_or(anew))
}

/// Compares the worlds of a run, and continues an interrupted run of the same seed. Worlds that differ are shrunk and
/// written below `tests/conformance/found/`, where the tests replay them. At most `differences` worlds are written.
///
/// # Errors
/// Returns an error if the oracle fails or a file cannot be written.
pub fn differential(run: &Run<'_>, mut say: impl FnMut(&str)) -> Result<Progress> {
    let file = progress_file(run);
    let mut progress = earlier(&file, programs(run.oracle)?)?;
    if progress.done > 0 {
        say(&format!("continuing after {} worlds, which {} records", progress.done, file.display()));
    }
    fs::create_dir_all(file.parent().context("a folder for the progress")?)?;
    while progress.done < run.worlds && progress.differing.len() < run.differences {
        let start = Instant::now();
        let count = CHUNK.min(run.worlds - progress.done);
        let worlds = Worlds { seed: run.seed, start: progress.done, count, kind: run.question.worlds() };
        let lines = run.oracle.answer_worlds(worlds, run.question.arguments())?;
        for (line, mut verdict) in follow(run, look_longer(run, follow(run, judged(run, lines)?)?)?)? {
            verdict.expect_proof();
            for object in &verdict.wider {
                say(&format!("{object}: some predicted ends were reached by no schedule"));
            }
            for difference in &verdict.differences {
                say(&format!("{}: {difference}", line.id));
            }
            if !verdict.differences.is_empty() {
                if progress.differing.len() < run.differences {
                    let path = keep(run, &line)?;
                    say(&format!("{}: the reduced world with this difference is in {}", line.id, path.display()));
                }
                progress.differing.push(line.id.clone());
            }
            progress.counts += verdict.counts;
        }
        progress.done += count;
        progress.seconds += start.elapsed().as_secs_f64();
        // If a run is interrupted while it writes, the earlier file is unchanged.
        let aside = file.with_extension("new");
        fs::write(&aside, serde_json::to_vec(&progress)?)?;
        fs::rename(&aside, &file)?;
        say(&format!("{} of {} worlds, {} differ", progress.done, run.worlds, progress.differing.len()));
    }
    Ok(progress)
}

/// A world with the real answers, and the result of the comparison.
type Judged = (Line, Verdict);

fn judged(run: &Run<'_>, lines: Vec<Line>) -> Result<Vec<Judged>> {
    let verdicts = judge_all(&lines, run.behavior)?;
    Ok(lines.into_iter().zip(verdicts).collect())
}

/// Asks the oracle again with many more schedules, if a predicted end of a world was not seen. Such an end may be
/// possible but rare.
fn look_longer(run: &Run<'_>, worlds: Vec<Judged>) -> Result<Vec<Judged>> {
    let Some(arguments) = run.question.longer() else { return Ok(worlds) };
    again(run, worlds, |(line, _)| Ok(stripped(line)), &arguments)
}

/// Asks the oracle to follow a schedule for each predicted end that no random schedule reached.
fn follow(run: &Run<'_>, worlds: Vec<Judged>) -> Result<Vec<Judged>> {
    let Some(arguments) = run.question.following() else { return Ok(worlds) };
    again(run, worlds, |(line, verdict)| with_schedules(line, verdict, run.behavior), arguments)
}

/// Asks the oracle again about the worlds with a predicted end that was not seen. `form` returns the line that the
/// oracle gets.
fn again(
    run: &Run<'_>,
    mut worlds: Vec<Judged>,
    form: impl Fn(&Judged) -> Result<Line>,
    arguments: &[&str],
) -> Result<Vec<Judged>> {
    // The oracle is not asked again about a world that differs, because other random schedules may not show the
    // difference.
    let is_open = |verdict: &Verdict| {
        verdict.differences.is_empty() && !(verdict.wider.is_empty() && verdict.wider_worlds.is_empty())
    };
    let open: Vec<&mut Judged> = worlds.iter_mut().filter(|(_, verdict)| is_open(verdict)).collect();
    if open.is_empty() {
        return Ok(worlds);
    }
    let asked: Vec<Line> = open.iter().map(|world| form(world)).collect::<Result<_>>()?;
    let answered = judged(run, run.oracle.answer(&asked, arguments)?)?;
    for (world, answer) in open.into_iter().zip(answered) {
        *world = answer;
    }
    Ok(worlds)
}

fn programs(oracle: &Oracle) -> Result<u64> {
    let mut hasher = DefaultHasher::new();
    for program in [env::current_exe()?.as_path(), oracle.program()] {
        fs::read(program).with_context(|| format!("{}", program.display()))?.hash(&mut hasher);
    }
    Ok(hasher.finish())
}

fn keep(run: &Run<'_>, line: &Line) -> Result<PathBuf> {
    let ask = |lines: &[Line]| {
        let answered = judged(run, run.oracle.answer(lines, run.question.arguments())?)?;
        let answered = follow(run, look_longer(run, follow(run, answered)?)?)?;
        Ok(answered.into_iter().map(|(line, _)| line).collect())
    };
    let small = shrink(run.behavior, line, ask)?;
    let folder = run.root.join("tests/conformance/found");
    fs::create_dir_all(&folder)?;
    let path = folder.join(format!("{}-{}-{}.jsonl", asked(run), line.id, run.version));
    let mut text = serde_json::to_vec(&small)?;
    text.push(b'\n');
    fs::write(&path, text)?;
    Ok(path)
}

/// Removes the progress of an earlier run of the same seed.
///
/// # Errors
/// Returns an error if the file cannot be removed.
pub fn forget(run: &Run<'_>) -> Result<()> {
    let file = progress_file(run);
    if file.exists() {
        fs::remove_file(&file).with_context(|| format!("{}", file.display()))?;
    }
    Ok(())
}
