//! Mutation testing of the core with only the recordings: each mutant that cargo-mutants lists is written into a copy
//! of the project, and the recordings should notice it.
//!
//! cargo-mutants itself would run all tests of the package that it changes. This module checks what the answers of the
//! real controllers notice, so it uses only the list of cargo-mutants. `combined` compiles most mutants together. The
//! others are compiled alone.

mod combined;

use anyhow::{Context as _, Result, bail};
use combined::{CHOICE, Combined, at};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::thread;
use std::time::{Duration, Instant};

/// The limit of processor time for the replay of the recordings, as a multiple of the time for the unchanged project in
/// the same copy. A mutant that takes more time is assumed to run in an endless loop.
const PATIENCE: u32 = 3;

/// The limit of elapsed time, as a multiple of the limit of processor time, because other programs may use the machine.
/// This limit ends a mutant that waits for ever.
const IDLE: u32 = 10;

/// The smallest limit of processor time. The time of the unchanged project may be short because no other program used
/// the machine.
const LEAST_PATIENCE: Duration = Duration::from_secs(30);

/// The limit of processor time for the unchanged project.
const FIRST_PATIENCE: Duration = Duration::from_mins(10);

/// The signal for a process that has used all its processor time, on Linux and macOS.
const SIGXCPU: i32 = 24;

/// The optimisation of the core if a mutant is compiled alone.
const ALONE: &str = "--config=profile.dev.package.pvctl-core.opt-level=0";

/// The optimisation of the core if many mutants are compiled together. The replay is about four times as fast.
const TOGETHER: &str = "--config=profile.dev.package.pvctl-core.opt-level=1";

/// The largest memory of the replay in KiB, which is about ten times the memory that the replay needs.
const MEMORY: u64 = 6 << 20;

/// The files that are mutated.
const MUTATED: [&str; 2] = ["core/src/controllers/**", "core/src/simulate/**"];

/// A change of the source, as `cargo mutants --list --json` describes it.
#[derive(Clone, Debug, Deserialize)]
struct Mutant {
    name: String,
    file: PathBuf,
    span: Span,
    replacement: String,
    /// The kind of change. `FnValue` replaces all statements of a function.
    genre: String,
    /// The function that is changed. It is `None` for a constant.
    function: Option<Function>,
}

/// A function, with its comments and attributes.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
struct Function {
    return_type: String,
    span: Span,
}

impl Mutant {
    /// Returns the text of the file with the change, or `None` if the text has no such position.
    fn applied(&self, text: &str) -> Option<String> {
        let Span { start, end } = self.span;
        Some([text.get(..at(text, start)?)?, &self.replacement, text.get(at(text, end)?..)?].concat())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
struct Span {
    start: Place,
    end: Place,
}

/// A line and a column, both from 1. The column counts characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
struct Place {
    line: usize,
    column: usize,
}

/// The result of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, Serialize)]
pub enum MutantResult {
    /// The mutant does not compile, so it shows nothing.
    Unviable,
    /// The replay of the recordings fails, so the mutant is noticed.
    Killed,
    /// The replay of the recordings did not end within the limits of time.
    TimedOut,
    /// No recording noticed the mutant.
    Survived,
}

#[derive(Debug, Deserialize, Serialize)]
struct Record {
    source: u64,
    name: String,
    fate: MutantResult,
}

/// Which mutants are tried, and how.
#[derive(Debug)]
pub struct Trial<'a> {
    /// The folder of the project.
    pub root: &'a Path,
    /// The number of mutants to try, counting only those that compile. `None` means all.
    pub sample: Option<usize>,
    /// The seed that selects the sample.
    pub seed: u64,
    /// A text that the names of the tried mutants contain.
    pub only: &'a str,
    /// A text that the names of the replayed recordings contain. If it is not empty, the core is optimised less,
    /// because the replay of few recordings takes less time than the optimisation.
    pub recordings: &'a str,
    /// The number of mutants that are tried at the same time, each in its own copy of the project.
    pub jobs: usize,
}

/// The mutants that were tried, and their results.
#[derive(Clone, Debug, Default)]
pub struct Tried(BTreeMap<String, MutantResult>);

impl Tried {
    /// Returns the number of mutants with this result.
    pub fn count(&self, fate: MutantResult) -> usize {
        self.0.values().filter(|found| **found == fate).count()
    }

    /// Returns the names of the mutants that no recording noticed.
    pub fn survivors(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter(|(_, fate)| **fate == MutantResult::Survived).map(|(name, _)| name.as_str())
    }

    /// Returns the number of mutants that compile.
    pub fn viable(&self) -> usize {
        self.0.len() - self.count(MutantResult::Unviable)
    }
}

impl fmt::Display for Tried {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (killed, timed_out) = (self.count(MutantResult::Killed), self.count(MutantResult::TimedOut));
        write!(
            out,
            "{} viable mutants: {killed} killed, {timed_out} timed out, {} survived; {} do not compile",
            self.viable(),
            self.count(MutantResult::Survived),
            self.count(MutantResult::Unviable)
        )
    }
}

/// Tries mutants until the sample is full. A known result of the same sources is used again, so an interrupted run can
/// be continued.
///
/// # Errors
/// Returns an error if cargo-mutants is missing, the unchanged project does not pass, or a file cannot be
/// written.
pub fn mutants(trial: &Trial<'_>, say: impl Fn(&str) + Sync) -> Result<Tried> {
    let folder = trial.root.join("target/mutants");
    fs::create_dir_all(&folder)?;
    let source = hash(&(source(trial.root)?, trial.recordings));
    let results = folder.join("results.jsonl");
    let known = known(&results, source)?;
    let mut listed: Vec<Mutant> = list(trial.root)?.into_iter().filter(|m| m.name.contains(trial.only)).collect();
    if trial.sample.is_some() {
        listed.sort_by_cached_key(|mutant| hash(&(trial.seed, &mutant.name)));
    }
    say(&format!("{} mutants to choose from", listed.len()));
    // All copies are made at the beginning, so that later changes of the project do not matter.
    let copy = |job: usize| Tree::copy(trial.root, folder.join(format!("tree-{job}")), trial.recordings, ALONE);
    let trees: Vec<Tree> = (0..trial.jobs.max(1)).map(copy).collect::<Result<_>>()?;
    // Some mutants do not compile, so the sample needs more than its number.
    let likely = trial.sample.map_or(listed.len(), |sample| listed.len().min(sample + sample / 5));
    let mut together = Tree::copy(trial.root, folder.join("together"), trial.recordings, TOGETHER)?;
    let combined = Combined::build(&together, &listed, likely)?;
    together.passes(Some(&combined.test))?;
    say(&format!("{} of the first {likely} mutants are compiled together", combined.len()));

    let state =
        Mutex::new(State { fates: vec![None; listed.len()], next: 0, wanted: trial.sample.unwrap_or(usize::MAX) });
    let results = fs::File::options().append(true).create(true).open(&results)?;
    let locked = || state.lock().map_err(|_| anyhow::anyhow!("another job panicked"));
    let work = |mut tree: Tree| -> Result<()> {
        let mut is_checked = false;
        loop {
            // The lock must be released before the mutant is tried, so the result is in a variable.
            let next = locked()?.take(&listed);
            let Some((place, mutant)) = next else { return Ok(()) };
            let fate = match known.get(&mutant.name) {
                Some(fate) => *fate,
                None if combined.has(place) => together.run(&combined.test, Some(place))?.0,
                None => {
                    if !is_checked {
                        let test = tree.build()?;
                        tree.passes(test.as_deref())?;
                        is_checked = true;
                    }
                    tree.judge(mutant).with_context(|| mutant.name.clone())?
                }
            };
            let mut state = locked()?;
            // The machine may have been busy when a mutant took too long, so another run tries this mutant again.
            if !known.contains_key(&mutant.name) && fate != MutantResult::TimedOut {
                let record = Record { source, name: mutant.name.clone(), fate };
                writeln!(&results, "{}", serde_json::to_string(&record)?)?;
            }
            state.fates[place] = Some(fate);
            let tried = state.tried(&listed);
            if fate == MutantResult::Survived {
                say(&format!("survived: {}", mutant.name));
            }
            if tried.0.len().is_multiple_of(25) {
                say(&tried.to_string());
            }
        }
    };
    // An error in one job stops all jobs. Otherwise the other jobs would run for hours before the error is reported.
    let guarded = |tree: Tree| {
        let done = work(tree);
        if done.is_err()
            && let Ok(mut state) = state.lock()
        {
            state.next = usize::MAX;
        }
        done
    };
    thread::scope(|scope| -> Result<()> {
        let guarded = &guarded;
        let workers: Vec<_> = trees.into_iter().map(|tree| scope.spawn(move || guarded(tree))).collect();
        for worker in workers {
            worker.join().map_err(|_| anyhow::anyhow!("a job panicked"))??;
        }
        Ok(())
    })?;
    Ok(locked()?.tried(&listed))
}

/// The state that the jobs share.
struct State {
    /// The result of each mutant of the list, or `None` if it is not known yet.
    fates: Vec<Option<MutantResult>>,
    /// The index of the first mutant that no job has taken.
    next: usize,
    /// The number of mutants to try, counting only those that compile.
    wanted: usize,
}

impl State {
    /// Returns the next mutant to try.
    fn take<'m>(&mut self, listed: &'m [Mutant]) -> Option<(usize, &'m Mutant)> {
        let viable = self.fates.iter().flatten().filter(|fate| **fate != MutantResult::Unviable).count();
        let place = self.next;
        let mutant = listed.get(place).filter(|_| viable < self.wanted)?;
        self.next += 1;
        Some((place, mutant))
    }

    /// Returns the known results of the sample. If several jobs tried more mutants than the sample needs, the surplus
    /// mutants do not belong to the sample.
    fn tried(&self, listed: &[Mutant]) -> Tried {
        let mut tried = Tried::default();
        for (mutant, fate) in listed.iter().zip(&self.fates) {
            if tried.viable() == self.wanted {
                break;
            }
            tried.0.extend(fate.map(|fate| (mutant.name.clone(), fate)));
        }
        tried
    }
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Returns a hash of the sources, the tasks, the recordings, and the settings of the build. Besides these, only the
/// compiler decides the result of a mutant.
fn source(root: &Path) -> Result<u64> {
    let mut all = Vec::new();
    let decides = |path: &PathBuf| !path.starts_with("tests") || path.starts_with("tests/conformance");
    for path in tracked(root)?.into_iter().filter(decides) {
        all.push((fs::read(root.join(&path))?, path));
    }
    Ok(hash(&all))
}

fn tracked(root: &Path) -> Result<Vec<PathBuf>> {
    let listed = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()?;
    if !listed.status.success() {
        bail!("git ls-files: {}", String::from_utf8_lossy(&listed.stderr).trim());
    }
    let names = String::from_utf8(listed.stdout).context("a file's name is not UTF-8")?;
    let wanted = |name: &str| {
        ["src/", "core/", "xtask/", "tests/", ".cargo/", "Cargo."].iter().any(|start| name.starts_with(start))
    };
    Ok(names.split('\0').filter(|name| wanted(name) && root.join(name).is_file()).map(PathBuf::from).collect())
}

/// Returns the paths of the source files in a copy. There are no such files if the copy does not exist yet.
fn under(root: &Path, folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    if !folder.exists() {
        return Ok(found);
    }
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let inside = path.strip_prefix(root)?.to_owned();
        if path.is_dir() {
            if ["src", "core", "xtask", "tests"].iter().any(|name| inside.starts_with(name)) {
                found.extend(under(root, &path)?);
            }
        } else if folder != root {
            found.push(inside);
        }
    }
    Ok(found)
}

fn known(results: &Path, source: u64) -> Result<BTreeMap<String, MutantResult>> {
    if !results.exists() {
        return Ok(BTreeMap::new());
    }
    let mut known = BTreeMap::new();
    for line in fs::read_to_string(results)?.lines() {
        // A line that is incomplete, or that an older program wrote, is ignored.
        if let Ok(record) = serde_json::from_str::<Record>(line)
            && record.source == source
        {
            known.insert(record.name, record.fate);
        }
    }
    Ok(known)
}

fn list(root: &Path) -> Result<Vec<Mutant>> {
    let files = MUTATED.iter().flat_map(|files| ["--file", files]);
    let listed = Command::new("cargo")
        .args(["mutants", "--list", "--json", "--package", "pvctl-core"])
        .args(files)
        .current_dir(root)
        .output()
        .context("cargo cannot be started")?;
    if !listed.status.success() {
        bail!(
            "cargo mutants, which `cargo install cargo-mutants --locked` installs: {}",
            String::from_utf8_lossy(&listed.stderr).trim()
        );
    }
    serde_json::from_slice(&listed.stdout).context("what cargo mutants lists")
}

/// A copy of the project, in which one mutant at a time is built and tried.
struct Tree {
    root: PathBuf,
    /// The limit of processor time for the replay of the recordings.
    patience: Duration,
    /// A text that the names of the replayed recordings contain.
    recordings: String,
    /// The setting of cargo for the optimisation of the core, if only some recordings are replayed.
    level: &'static str,
}

impl Tree {
    /// Copies the project.
    fn copy(from: &Path, root: PathBuf, recordings: &str, level: &'static str) -> Result<Self> {
        let project = tracked(from)?;
        // Files of an earlier version of the project do not belong to this copy.
        for left in under(&root, &root)?.into_iter().filter(|path| !project.contains(path)) {
            fs::remove_file(root.join(left))?;
        }
        for path in project {
            let (original, copy) = (from.join(&path), root.join(&path));
            let text = fs::read(&original)?;
            // A file that did not change keeps its time, so that the copy is not built again.
            if fs::read(&copy).ok().as_ref() != Some(&text) {
                fs::create_dir_all(copy.parent().context("a file in no folder")?)?;
                fs::write(&copy, text)?;
            }
        }
        Ok(Self { root, patience: FIRST_PATIENCE, recordings: recordings.to_owned(), level })
    }

    /// Checks that the unchanged project passes, and sets the limit of processor time.
    fn passes(&mut self, test: Option<&Path>) -> Result<()> {
        let (fate, taken) = match test {
            Some(test) => self.run(test, None)?,
            None => (MutantResult::Unviable, Duration::ZERO),
        };
        if fate != MutantResult::Survived {
            bail!(
                "the unchanged project in {} is {fate:?}: `cargo test --package xtask --test corpora` there shows why",
                self.root.display()
            );
        }
        self.patience = (taken * PATIENCE).max(LEAST_PATIENCE);
        Ok(())
    }

    fn judge(&self, mutant: &Mutant) -> Result<MutantResult> {
        let path = self.root.join(&mutant.file);
        let text = fs::read_to_string(&path)?;
        let mutated = mutant.applied(&text).context("a position outside the file")?;
        fs::write(&path, mutated)?;
        let built = self.build();
        fs::write(&path, text)?;
        built?.map_or(Ok(MutantResult::Unviable), |test| Ok(self.run(&test, None)?.0))
    }

    /// Returns the errors in the source of the core.
    fn check(&self) -> Result<Vec<serde_json::Value>> {
        let arguments = ["check", "--quiet", "--package", "pvctl-core", "--message-format=json"];
        let (is_built, messages, stderr) = self.cargo(&arguments)?;
        let errors: Vec<serde_json::Value> = messages.into_iter().filter(is_of_source).collect();
        if !is_built && errors.is_empty() {
            bail!("the build failed: {stderr}");
        }
        Ok(errors)
    }

    /// Runs cargo in the copy. Returns whether it succeeded, its messages, and its text for people.
    fn cargo(&self, arguments: &[&str]) -> Result<(bool, Vec<serde_json::Value>, String)> {
        let fast = (!self.recordings.is_empty()).then_some(self.level);
        let built = Command::new("cargo")
            .args(fast)
            .args(arguments)
            .current_dir(&self.root)
            .env("CARGO_TARGET_DIR", self.root.join("target"))
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            .env("RUSTFLAGS", "--cap-lints=warn")
            // A mutant must never write the numbers of the recordings.
            .env_remove("UPDATE")
            .stdin(Stdio::null())
            .output()?;
        let messages = serde_json::Deserializer::from_slice(&built.stdout).into_iter::<serde_json::Value>();
        let messages = messages.filter_map(Result::ok).collect();
        Ok((built.status.success(), messages, String::from_utf8_lossy(&built.stderr).trim().to_owned()))
    }

    /// Builds the program that judges the recordings, from the copy as it is now. Returns `None` if the source does not
    /// compile.
    fn build(&self) -> Result<Option<PathBuf>> {
        let arguments =
            ["test", "--quiet", "--package", "xtask", "--test", "corpora", "--no-run", "--message-format=json"];
        let (is_built, messages, stderr) = self.cargo(&arguments)?;
        if !is_built {
            // Only an error with a position in the source is caused by the mutant. A full disk, for example, is not.
            if messages.iter().any(is_of_source) {
                return Ok(None);
            }
            bail!("the build failed: {stderr}");
        }
        let test = messages.iter().find_map(|message| message["executable"].as_str().map(PathBuf::from));
        test.context("cargo names no test").map(Some)
    }

    /// Runs the program that judges the recordings, with one of its mutants if it has several. Returns the result and
    /// the time.
    fn run(&self, test: &Path, mutant: Option<usize>) -> Result<(MutantResult, Duration)> {
        // An endless loop may also use more and more memory, and would then stop all other programs on the machine.
        let seconds = self.patience.as_secs();
        let mut running = Command::new("sh");
        if !self.recordings.is_empty() {
            running.env("PVCTL_RECORDINGS", &self.recordings);
        }
        if let Some(mutant) = mutant {
            running.env(CHOICE, mutant.to_string());
        }
        let mut running = running
            .args(["-c", &format!("ulimit -S -t {seconds} && ulimit -v {MEMORY} && exec \"$0\"")])
            .arg(test)
            .current_dir(self.root.join("xtask"))
            .env_remove("UPDATE")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        let start = Instant::now();
        loop {
            if let Some(status) = running.try_wait()? {
                let fate = match status.signal() {
                    Some(SIGXCPU) => MutantResult::TimedOut,
                    _ if status.success() => MutantResult::Survived,
                    _ => MutantResult::Killed,
                };
                return Ok((fate, start.elapsed()));
            }
            if start.elapsed() > self.patience * IDLE {
                running.kill()?;
                running.wait()?;
                return Ok((MutantResult::TimedOut, start.elapsed()));
            }
            thread::sleep(Duration::from_millis(50));
        }
    }
}

/// Returns whether a message of cargo is an error with a position in the source.
fn is_of_source(message: &serde_json::Value) -> bool {
    message["message"]["level"] == "error" && message["message"]["spans"][0].is_object()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mutant(start: (usize, usize), end: (usize, usize), replacement: &str) -> Mutant {
        let place = |(line, column)| Place { line, column };
        Mutant {
            name: format!("{start:?} {replacement}"),
            file: PathBuf::from("core/src/controllers/mod.rs"),
            span: Span { start: place(start), end: place(end) },
            replacement: replacement.to_owned(),
            genre: "BinaryOperator".to_owned(),
            function: None,
        }
    }

    #[test]
    fn a_change_replaces_exactly_its_span() {
        let text = "a < b\n\u{201e}c\u{201c} == d\n";
        assert_eq!(mutant((1, 3), (1, 4), ">=").applied(text).as_deref(), Some("a >= b\n\u{201e}c\u{201c} == d\n"));
        assert_eq!(mutant((2, 5), (2, 7), "!=").applied(text).as_deref(), Some("a < b\n\u{201e}c\u{201c} != d\n"));
        assert_eq!(mutant((1, 1), (2, 8), "").applied(text).as_deref(), Some("d\n"));
        for outside in [((0, 1), (1, 2)), ((1, 0), (1, 2)), ((9, 1), (9, 2))] {
            assert_eq!(mutant(outside.0, outside.1, "x").applied(text), None, "{outside:?}");
        }
    }

    #[test]
    fn the_sample_is_the_first_viable_ones_of_the_list() {
        let listed: Vec<Mutant> = (1..=5).map(|line| mutant((line, 1), (line, 2), "x")).collect();
        let mut state = State { fates: vec![None; listed.len()], next: 0, wanted: 2 };
        for (place, fate) in [(0, MutantResult::Unviable), (1, MutantResult::Survived)] {
            assert_eq!(state.take(&listed).map(|(place, _)| place), Some(place));
            state.fates[place] = Some(fate);
        }
        // Two jobs have one mutant each, and the later mutant is finished first.
        assert_eq!(state.take(&listed).map(|(place, _)| place), Some(2));
        assert_eq!(state.take(&listed).map(|(place, _)| place), Some(3));
        state.fates[3] = Some(MutantResult::TimedOut);
        assert!(state.take(&listed).is_none());
        state.fates[2] = Some(MutantResult::Killed);
        let tried = state.tried(&listed);
        assert_eq!(tried.to_string(), "2 viable mutants: 1 killed, 0 timed out, 1 survived; 1 do not compile");
        assert_eq!(tried.survivors().collect::<Vec<_>>(), ["(2, 1) x"]);
    }
}
