//! Problems that people have reported. Each case is a whole cluster in which healthy objects surround the broken ones.
//! The first line of `audit` must be the root, the other lines must be the stated ones, and no finding may concern a
//! healthy object.
//!
//! The comments at the top of a file in `tests/cases` say what is expected:
//!
//! - `CASE`, `source`: what happened, and where it was reported.
//! - `saw: SENTENCE`: what the person saw with kubectl.
//! - `asked: OBJECT`: the claim, volume or class that the person asked about. [`super::asked`] asks `explain` about it.
//! - `cause: WORDS | WORDS`: alternatives, one of which must occur in the first 300 characters of `explain`.
//! - `cure: WORDS | WORDS`: alternatives, one of which must occur in the first remedy of `explain`. These words come
//!   from the report. Text is compared word by word, without regard to case.
//! - `root: RULE OBJECT`: the first line. If no rule finds the root yet, the header has `pending: RULE [OBJECT]`
//!   instead.
//! - `also: RULE OBJECT: REASON`: one more line. It is expected only if its rule exists already.
//! - `beside: RULE OBJECT: REASON`: a finding that must exist, but must not be a line. It is expected only if its rule
//!   exists already.
//! - `today: RULE OBJECT: REASON`: the present first line, if the stated root is not the first line yet. If there is no
//!   line at all, the header has `today: nothing: REASON` instead.
//! - `affects: OBJECT`: an object that the root must list among those that it affects.
//! - `says: WORDS`: words that the message of the root or one of its remedies must contain.
//! - `flags: --kube-version 1.29`: flags with which `audit` runs.
#![expect(clippy::expect_used, reason = "tests fail by panicking")]

use crate::support::{Run, files, root, text};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

const FOLDER: &str = "tests/cases";

/// The number of cases in the first collection of reports.
const CASES: usize = 58;

/// The namespace of the healthy objects around each case.
const HEALTHY: &str = "healthy";

/// The only finding that concerns a healthy object. Its severity is info.
const KNOWN: &str = "pvc-wffc-no-consumer pvc/import-staging -n healthy";

/// A rule and its object, as a header states them: `RULE KIND/NAME [-n NAMESPACE]`.
type Line = String;

#[derive(Debug, Default)]
pub(super) struct Header {
    pub(super) asked: Line,
    pub(super) cause: Vec<String>,
    pub(super) cure: Vec<String>,
    root: Option<Line>,
    pending: Option<Line>,
    today: Option<Line>,
    also: Vec<Line>,
    beside: Vec<Line>,
    affects: Vec<Line>,
    says: Vec<String>,
    pub(super) flags: Vec<String>,
}

/// Returns the part of a line before its reason, or an error if the line has no reason.
fn reasoned(stated: &str) -> Result<Line, String> {
    let (line, reason) = stated.split_once(": ").ok_or_else(|| format!("{stated:?} has no reason"))?;
    if reason.len() > 10 { Ok(line.to_owned()) } else { Err(format!("{stated:?} has no reason")) }
}

pub(super) fn header(text: &str) -> Result<Header, String> {
    let mut header = Header::default();
    let mut saw = "";
    let alternatives = |words: &str| words.split(" | ").map(str::to_owned).collect::<Vec<_>>();
    let mut lines = text.lines().map_while(|line| line.strip_prefix("# "));
    let is_sentence = |line: &str| line.strip_prefix("CASE: ").is_some_and(|what| what.ends_with('.'));
    if !lines.next().is_some_and(is_sentence) {
        return Err("the first line is not `CASE:` and a sentence".to_owned());
    }
    if !lines.next().and_then(|line| line.strip_prefix("source: ")).is_some_and(|from| from.contains('/')) {
        return Err("the second line is not `source:` and a report".to_owned());
    }
    for line in lines {
        match line.split_once(": ") {
            Some(("saw", what)) => saw = what,
            Some(("asked", object)) => object.clone_into(&mut header.asked),
            Some(("cause", words)) => header.cause = alternatives(words),
            Some(("cure", words)) => header.cure = alternatives(words),
            Some(("root", line)) => header.root = Some(line.to_owned()),
            Some(("pending", line)) => header.pending = Some(line.to_owned()),
            Some(("today", line)) => header.today = Some(reasoned(line)?),
            Some(("also", line)) => header.also.push(reasoned(line)?),
            Some(("beside", line)) => header.beside.push(reasoned(line)?),
            Some(("affects", object)) => header.affects.push(object.to_owned()),
            Some(("says", words)) => header.says.push(words.to_owned()),
            Some(("flags", flags)) => header.flags = flags.split(' ').map(str::to_owned).collect(),
            _ => {}
        }
    }
    if !saw.ends_with('.') {
        return Err("`saw:` is not a sentence".to_owned());
    }
    if header.asked.is_empty() || header.cause.is_empty() || header.cure.is_empty() {
        return Err("it does not state `asked:`, `cause:` and `cure:`".to_owned());
    }
    if header.root.is_some() == header.pending.is_some() {
        return Err("it must state either `root:` or `pending:`, and not both".to_owned());
    }
    if header.today.is_some() && header.root.is_none() {
        return Err("`today:` needs a `root:`".to_owned());
    }
    Ok(header)
}

/// Returns the rule id with which a line begins.
fn rule(line: &str) -> &str {
    line.split(' ').next().unwrap_or_default()
}

/// Returns the ids of all rules that exist.
fn rules() -> BTreeSet<String> {
    let run = Run::new(&["rules", "-o", "json"]).finish();
    let document: Value = serde_json::from_str(&run.stdout).expect("a document");
    let items = document["items"].as_array().expect("a list").iter();
    items.map(|item| item["id"].as_str().expect("an id").to_owned()).collect()
}

/// Returns an object of the report in the form in which people type it, such as `pvc/data -n db`.
pub(super) fn typed(object: &Value) -> String {
    let short = match object["kind"].as_str().unwrap_or_default() {
        "PersistentVolume" => "pv".to_owned(),
        "PersistentVolumeClaim" => "pvc".to_owned(),
        "StorageClass" => "sc".to_owned(),
        "Namespace" => "ns".to_owned(),
        "VolumeSnapshot" => "vs".to_owned(),
        "StatefulSet" => "sts".to_owned(),
        "Deployment" => "deploy".to_owned(),
        "DaemonSet" => "ds".to_owned(),
        other => other.to_ascii_lowercase(),
    };
    let name = object["name"].as_str().unwrap_or_default();
    match object["namespace"].as_str() {
        Some(namespace) => format!("{short}/{name} -n {namespace}"),
        None => format!("{short}/{name}"),
    }
}

/// Returns a finding in the form in which a header states it.
fn line(finding: &Value) -> Line {
    format!("{} {}", finding["id"].as_str().unwrap_or_default(), typed(&finding["object"]))
}

/// Returns the sort key of the table: findings with a risk to data come first, then the most severe ones. The report
/// itself is sorted by object.
fn table_order(finding: &Value) -> (bool, usize, usize) {
    let place = |words: &[&str], field: &str| words.iter().position(|word| finding[field] == *word);
    let severity = place(&["error", "warning", "info"], "severity").expect("a severity");
    let risk = place(&["imminent", "possible", "none"], "risk").expect("a risk");
    (risk > 0, severity, risk)
}

/// Returns the healthy objects of a file, in the form in which people type them.
fn well(objects: &[Value]) -> BTreeSet<String> {
    let metadata = |object: &Value| {
        let mut metadata = object["metadata"].clone();
        metadata["kind"] = object["kind"].clone();
        typed(&metadata)
    };
    let is_well = |object: &&Value| {
        let owner =
            if object["kind"] == "PersistentVolume" { &object["spec"]["claimRef"] } else { &object["metadata"] };
        owner["namespace"] == HEALTHY || (object["kind"] == "Namespace" && object["metadata"]["name"] == HEALTHY)
    };
    objects.iter().filter(is_well).map(metadata).collect()
}

/// Returns every object that a finding concerns or refers to, in the form in which people type it.
fn named(finding: &Value) -> BTreeSet<String> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let causes = list(&finding["causedBy"]).into_iter().map(|cause| typed(&cause["object"]));
    let affected = list(&finding["affects"]).into_iter().map(|object| typed(&object));
    let shown = list(&finding["evidence"]).into_iter().filter_map(|one| one["object"].as_str().map(str::to_owned));
    let about = std::iter::once(typed(&finding["object"]));
    about.chain(causes).chain(affected).chain(shown).collect()
}

/// Returns what the header states about the root, but the finding does not say.
fn unsaid(root: &Value, header: &Header) -> Vec<String> {
    let list = |field: &str| root[field].as_array().cloned().unwrap_or_default();
    let affected: BTreeSet<Line> = list("affects").iter().map(typed).collect();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let ways = list("remedies").into_iter().flat_map(|way| [text(&way["command"]), text(&way["does"])]);
    let said: Vec<String> = std::iter::once(text(&root["message"])).chain(ways).collect();
    let spared = header.affects.iter().filter(|object| !affected.contains(*object));
    let silent = header.says.iter().filter(|words| !said.iter().any(|text| text.contains(words.as_str())));
    let spared = spared.map(|object| format!("it does not affect {object}"));
    spared.chain(silent.map(|words| format!("it does not say {words:?}"))).collect()
}

/// Returns every difference between the header of a file and what `audit` says of the file.
fn faults(path: &str, content: &str, rules: &BTreeSet<String>) -> Vec<String> {
    let header = match header(content) {
        Ok(header) => header,
        Err(fault) => return vec![fault],
    };
    let flags: Vec<&str> = header.flags.iter().map(String::as_str).collect();
    let audit = |more: &[&str]| {
        let arguments = [&["audit", "--assume-complete", "-f", path], flags.as_slice(), more].concat();
        Run::new(&arguments).current_dir(root()).env("COLUMNS", "2000").finish()
    };
    let run = audit(&["-o", "json"]);
    let Ok(document) = serde_json::from_str::<Value>(&run.stdout) else {
        return vec![format!("no report: {}", run.stderr)];
    };
    let objects: Vec<Value> = serde_yaml::from_str_multiple(content).expect("YAML");
    let findings = document["findings"].as_array().expect("a list");
    let mut faults = Vec::new();

    // There must be enough healthy objects, and no finding may concern them, except the known one.
    let well = well(&objects);
    let of_kind = |kind: &str| well.iter().filter(|object| object.starts_with(kind)).count();
    if of_kind("pv/") < 3 || of_kind("pvc/") < 4 || of_kind("pod/") < 3 {
        faults.push(format!("there are too few healthy objects: {well:?}"));
    }
    let about_well: Vec<&Value> = findings.iter().filter(|finding| !named(finding).is_disjoint(&well)).collect();
    if about_well.iter().map(|finding| line(finding)).collect::<Vec<_>>() != [KNOWN]
        || about_well.iter().any(|finding| finding["severity"] != "info")
    {
        let said: Vec<String> = about_well.iter().map(|finding| line(finding)).collect();
        faults.push(format!("`audit` has other findings about healthy objects than the known one: {said:?}"));
    }

    let all: BTreeSet<Line> = findings.iter().map(line).collect();
    let mut roots: Vec<&Value> = findings.iter().filter(|finding| finding["root"] == true).collect();
    roots.sort_by_key(|finding| table_order(finding));
    // A root that another line explains is below that line.
    let follows = |finding: &Value, root: &Value| {
        let causes = finding["causedBy"].as_array().expect("a list");
        causes.first().is_some_and(|cause| cause["id"] == root["id"] && cause["object"] == root["object"])
    };
    let mut place = 0;
    while place < roots.len() {
        let below = (place + 1..roots.len()).find(|below| follows(roots[place], roots[*below]));
        match below {
            Some(below) => {
                let root = roots.remove(below);
                roots.insert(place, root);
            }
            None => place += 1,
        }
    }
    let lines: Vec<Line> = roots.iter().filter(|root| root["severity"] != "info").map(|root| line(root)).collect();
    // The table must show the same lines in the same order.
    let table = audit(&["--no-headers"]).stdout;
    let rows: Vec<Line> = table.lines().map(row).collect();
    if rows != lines {
        faults.push(format!("the table has {rows:?}, and the report {lines:?}"));
    }
    let exists = |line: &&Line| rules.contains(rule(line));
    for beside in header.beside.iter().filter(exists) {
        if !all.contains(beside) {
            faults.push(format!("{beside} is not found"));
        } else if lines.contains(beside) {
            faults.push(format!("{beside} is a line, but the file states it as `beside`"));
        }
    }
    let Some(stated) = &header.root else {
        let pending = header.pending.as_deref().map(rule).unwrap_or_default();
        if rules.contains(pending) {
            faults.push(format!("rule {pending} exists now: state the root; the lines are {lines:?}"));
        }
        return faults;
    };
    let mut expected: BTreeSet<&Line> = header.also.iter().filter(exists).collect();
    match header.today.as_ref() {
        None => {
            expected.insert(stated);
        }
        Some(today) if today == "nothing" => {}
        Some(today) => {
            // The stated root may already be a line, but not the first one.
            expected.insert(today);
            expected.extend(lines.iter().filter(|line| *line == stated));
        }
    }
    let first = lines.first().map_or("nothing", String::as_str);
    let wanted = header.today.as_ref().unwrap_or(stated);
    if first != wanted {
        let hint = if header.today.is_some() && first == stated { ": remove `today:` from the file" } else { "" };
        faults.push(format!("the first line is {first}, and not {wanted}{hint}"));
    }
    match findings.iter().find(|finding| line(finding) == *stated) {
        Some(root) => faults.extend(unsaid(root, &header)),
        None => faults.push(format!("{stated} is not found at all")),
    }
    let lines: BTreeSet<&Line> = lines.iter().collect();
    if lines != expected {
        let (more, less): (Vec<_>, Vec<_>) =
            (lines.difference(&expected).collect(), expected.difference(&lines).collect());
        faults.push(format!(
            "the file does not state these lines: {more:?}; it states these lines, which `audit` does \
                             not print: {less:?}"
        ));
    }
    faults
}

/// Returns a row of the table in the form in which a header states it. The first cells are NAMESPACE, NAME, SEVERITY,
/// DATA and RULE.
fn row(row: &str) -> Line {
    let cells: Vec<&str> = row.split_whitespace().take(5).collect();
    match cells.as_slice() {
        ["<none>", name, _, _, rule] => format!("{rule} {name}"),
        [namespace, name, _, _, rule] => format!("{rule} {name} -n {namespace}"),
        _ => row.to_owned(),
    }
}

/// Returns the files of the cases, by path.
pub(super) fn cases() -> BTreeMap<String, String> {
    let read = |(path, bytes): (String, Vec<u8>)| (path, String::from_utf8(bytes).expect("text"));
    files(FOLDER, "yaml").into_iter().map(read).collect()
}

#[test]
fn the_first_line_is_the_root() {
    let rules = rules();
    let found: Vec<String> = cases()
        .iter()
        .flat_map(|(path, content)| {
            faults(path, content, &rules).into_iter().map(move |fault| format!("{path}: {fault}"))
        })
        .collect();
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// A rule that a case expects must exist, or `docs/AUDIT.md` must name it.
#[test]
fn a_rule_that_is_awaited_is_named_in_the_documentation() {
    let (rules, audit) = (rules(), text("docs/AUDIT.md"));
    for (path, content) in cases() {
        let header = header(&content).expect("a header");
        let stated = [&header.root, &header.pending].into_iter().flatten();
        for line in stated.chain(&header.also).chain(&header.beside) {
            let id = rule(line);
            assert!(
                rules.contains(id) || audit.contains(&format!("`{id}`")),
                "{path}: rule {id} neither exists nor is named in docs/AUDIT.md"
            );
        }
    }
}

/// Returns why the patch of a remedy cannot be applied to the stored objects. It returns `None` if the patch can be
/// applied, or if the command is no patch.
fn refusal(command: &str, objects: &[Value]) -> Option<String> {
    let (target, patch) = command.strip_prefix("kubectl patch ")?.split_once(" -p ")?;
    let words: Vec<&str> = target.split(' ').filter(|word| *word != "--type=json").collect();
    let (kind, name, namespace) = match words.as_slice() {
        ["pv", name] => ("PersistentVolume", name, None),
        ["sc", name] => ("StorageClass", name, None),
        ["volumeattachment", name] => ("VolumeAttachment", name, None),
        ["volumesnapshot", name, "-n", namespace] => ("VolumeSnapshot", name, Some(*namespace)),
        ["pvc", name, "-n", namespace] => ("PersistentVolumeClaim", name, Some(*namespace)),
        _ => return Some(format!("a patch of {words:?}")),
    };
    let is_it = |object: &&Value| {
        let meta = &object["metadata"];
        object["kind"] == kind && meta["name"] == **name && meta["namespace"].as_str() == namespace
    };
    let Some(mut object) = objects.iter().find(is_it).cloned() else { return Some(format!("no {kind} {name}")) };
    let Ok(patch) = serde_json::from_str::<Value>(patch.trim_matches('\'')) else {
        return Some(format!("no JSON: {patch}"));
    };
    let Some(steps) = patch.as_array() else {
        let uid = &patch["metadata"]["uid"];
        return (*uid != object["metadata"]["uid"]).then(|| format!("the uid is not {uid}"));
    };
    for step in steps {
        let path = step["path"].as_str().unwrap_or_default();
        let (parent, last) = path.rsplit_once('/').unwrap_or_default();
        let last = last.replace("~1", "/").replace("~0", "~");
        let there = object.pointer(path).cloned();
        let done = match (step["op"].as_str(), object.pointer_mut(parent)) {
            (Some("test"), _) => there.as_ref() == Some(&step["value"]),
            (Some("add"), Some(Value::Object(fields))) => {
                fields.insert(last, step["value"].clone());
                true
            }
            (Some("replace"), Some(Value::Object(fields))) => fields.insert(last, step["value"].clone()).is_some(),
            (Some("remove"), Some(Value::Object(fields))) => fields.remove(&last).is_some(),
            (Some("add"), Some(Value::Array(list))) if last == "-" => {
                list.push(step["value"].clone());
                true
            }
            (Some("remove"), Some(Value::Array(list))) => {
                let place = last.parse().ok().filter(|place| *place < list.len());
                place.map(|place: usize| list.remove(place)).is_some()
            }
            _ => false,
        };
        if !done {
            return Some(format!("{step} cannot be done"));
        }
    }
    None
}

/// Returns what is wrong with a command of this program: it cannot be parsed, or no object with its name is stored.
/// Returns `None` if the command is right, and for commands of other programs.
fn unknown(command: &str, objects: &[Value]) -> Option<String> {
    let words = command.strip_prefix("kubectl ").filter(|words| words.starts_with("pvctl "))?;
    let words: Vec<&str> = words.split(' ').map(|word| word.trim_matches('\'')).collect();
    let parsed = pvctl::cli::command().try_get_matches_from(words.iter().copied());
    if let Err(error) = parsed {
        return Some(format!("{command}: {error}"));
    }
    let (kind, name) = words.iter().find_map(|word| word.split_once('/')).unwrap_or_default();
    let kind = if kind == "pv" { "PersistentVolume" } else { "PersistentVolumeClaim" };
    let place = words.iter().position(|word| *word == "-n").and_then(|at| words.get(at + 1));
    let is_it = |object: &Value| {
        let meta = &object["metadata"];
        object["kind"] == kind && meta["name"] == name && meta["namespace"].as_str() == place.copied()
    };
    (!objects.iter().any(is_it)).then(|| format!("{command}: no such object"))
}

/// Every patch can be applied: the object exists, each `test` operation holds, and each removed field exists.
#[test]
fn every_patch_that_is_offered_can_be_applied() {
    let (mut patches, mut ours) = (0, 0);
    let mut faults = Vec::new();
    for (path, content) in cases() {
        let header = header(&content).expect("a header");
        let flags = header.flags.iter().map(String::as_str);
        let arguments: Vec<&str> =
            ["audit", "--assume-complete", "-o", "json", "-f", &path].into_iter().chain(flags).collect();
        let run = Run::new(&arguments).current_dir(root()).finish();
        let document: Value = serde_json::from_str(&run.stdout).expect("a document");
        let objects: Vec<Value> = serde_yaml::from_str_multiple(&content).expect("YAML");
        for finding in document["findings"].as_array().expect("a list") {
            for remedy in finding["remedies"].as_array().expect("a list") {
                let command = remedy["command"].as_str().unwrap_or_default();
                patches += usize::from(command.starts_with("kubectl patch "));
                ours += usize::from(command.starts_with("kubectl pvctl "));
                faults.extend(unknown(command, &objects).map(|why| format!("{path}: {}: {why}", line(finding))));
                faults.extend(refusal(command, &objects).map(|why| format!("{path}: {}: {why}", line(finding))));
            }
        }
    }
    assert!(patches > 10 && ours > 30, "`audit` offers only {patches} patches and {ours} commands of pvctl");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// The only case of the first collection without a file. No object of the cluster shows its problem: somebody wrote a
/// size into a volume before it was bound (`docs/AUDIT.md`, "What cannot be seen").
const WITHOUT_SIGN: usize = 45;

/// Every other case of the first collection has a file. The files with higher numbers are other reports.
#[test]
fn every_case_is_accounted_for() {
    let number = |name: &str| name.get(..2).and_then(|digits| digits.parse::<usize>().ok()).expect("a number");
    let there: BTreeSet<usize> =
        cases().keys().map(|path| number(path.trim_start_matches(FOLDER).trim_start_matches('/'))).collect();
    assert_eq!(
        there.range(..=CASES).copied().collect::<BTreeSet<_>>(),
        (1..=CASES).filter(|case| *case != WITHOUT_SIGN).collect()
    );
}
