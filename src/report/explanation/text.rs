//! An explanation as text for people.

use super::attaching;
use super::document::{TextDecision, YOU};
use super::pods::{groups, open_stages, stages_table};
use super::{BindingOut, ClassOut, EvidenceOut, Explanation, FieldOut, NextOut};
use crate::controllers::CandidateVerdict;
use crate::diagnosis::unread::unread;
use crate::model::Kind;
use crate::report::match_table::{MatchRow, rows_table};
use crate::report::prediction::UnknownOut;
use crate::report::shared::diagnosis::DiagnosisOut;
use crate::report::shared::table::{Table, TableStyle};
use crate::report::shared::wrap::wrap;
use crate::snapshot::CoverageState;
use crate::text::{human_age, pad, sanitize, width};
use colored::Colorize as _;
use std::convert::Infallible;

/// The largest number of candidates that are shown.
const MOST_CANDIDATES: usize = 10;
/// The largest number of remedies that are shown.
const MOST_ADVICE: usize = 4;
/// The largest number of messages that are shown.
const MOST_SAID: usize = 4;
/// The largest number of characters of a message that are shown.
const MOST_CHARACTERS: usize = 300;
/// The largest number of pods and claims that are listed.
const MOST_LISTED: usize = 10;

impl Explanation<'_> {
    /// Returns the text: the answer in the first line, then sections with the facts behind the answer. Colour alone
    /// never has a meaning.
    pub fn text(&self, columns: Option<usize>, trace: bool) -> String {
        self.page(columns, trace, false)
    }

    /// Returns the text. If `wide` is true, the scheduling of a pod has a table of all nodes.
    pub(super) fn page(&self, columns: Option<usize>, trace: bool, wide: bool) -> String {
        let mut page = Page { text: String::new(), columns };
        for line in wrap(&self.headline, columns, 0).lines() {
            page.raw(&line.bold().to_string());
        }
        for detail in &self.diagnosis.details {
            page.line(0, detail);
        }
        self.cause_line(&mut page);
        if let Some(divergence) = &self.divergence {
            page.line(0, &divergence.sentence());
            if let Some(hint) = divergence.hint() {
                page.line(0, hint);
            }
        }
        for driver in &self.drivers {
            page.line(0, driver.sentence());
        }
        self.assumptions(&mut page);
        self.advice_section(&mut page);
        if let Some(Some(scheduling)) = &self.scheduling {
            scheduling.section(&mut page, wide);
        }
        self.said_section(&mut page);
        self.pods_section(&mut page);
        self.serving_section(&mut page);
        self.attachments_section(&mut page, trace);
        if let Some(node) = &self.node {
            node.sections(&mut page);
        }
        if let Some(class) = &self.class {
            class_section(&mut page, class, &self.evidence);
            return page.text;
        }
        // Other objects are not predicted.
        if self.prediction.is_none() {
            return page.text;
        }
        self.decision_section(&mut page, trace);
        self.candidates_section(&mut page);
        if let Some(binding) = &self.binding {
            binding_section(&mut page, binding);
        }
        self.users_section(&mut page);
        self.next_section(&mut page);
        self.events_section(&mut page);
        page.text
    }

    /// Writes the rule that reports the cause, the objects between this object and the cause, and how long the problem
    /// has existed.
    fn cause_line(&self, page: &mut Page) {
        let Some(root) = &self.diagnosis.root else { return };
        let way: Vec<String> = self.diagnosis.chain.iter().map(|link| link.object.words.clone()).collect();
        let way = if way.is_empty() { String::new() } else { format!(", through {}", way.join(", then ")) };
        let lasted = self.diagnosis.lasted.map(|lasted| format!(", for {}", human_age(lasted))).unwrap_or_default();
        page.line(0, &format!("Cause: {}{way}{lasted}.", root.rule));
    }

    /// Writes the paths to the servers of shared volumes.
    fn serving_section(&self, page: &mut Page) {
        if self.shared_volumes.is_empty() {
            return;
        }
        page.heading("Served through the network");
        for shared in self.shared_volumes.iter().take(MOST_LISTED) {
            page.line(1, &shared.sentence());
            if let Some(run) = &shared.dry_run {
                page.line(1, &format!("What {} does {}:", run.controller, run.when));
                run.sentences().iter().for_each(|said| page.line(2, said));
            }
        }
        if self.shared_volumes.len() > MOST_LISTED {
            page.line(1, &format!("and {} more; -o json shows all", self.shared_volumes.len() - MOST_LISTED));
        }
    }

    /// Writes what a person can do. This section comes before the facts on which it rests.
    fn advice_section(&self, page: &mut Page) {
        if self.diagnosis.remedies.is_empty() {
            return;
        }
        let condition = |assumes: &[String]| match assumes {
            [] => String::new(),
            assumed => format!(" (if {})", assumed.join(" and ")),
        };
        let all = &self.diagnosis.remedies;
        let shared = all.first().map(|way| &way.assumes).filter(|first| all.iter().all(|way| way.assumes == **first));
        page.heading(&format!("What you can do{}", shared.map(|assumes| condition(assumes)).unwrap_or_default()));
        for way in all.iter().take(MOST_ADVICE) {
            let assumed = if shared.is_some() { String::new() } else { condition(&way.assumes) };
            page.line(1, &format!("{}{assumed}", way.does));
            if !way.command.is_empty() {
                page.command(&way.command);
            }
        }
        if self.diagnosis.remedies.len() > MOST_ADVICE {
            page.line(1, &format!("and {} more; -o json shows all", self.diagnosis.remedies.len() - MOST_ADVICE));
        }
    }

    /// Writes what other components have said. A message that is too long is cut. JSON has the complete message.
    fn said_section(&self, page: &mut Page) {
        let said = &self.diagnosis.said;
        if said.is_empty() {
            return;
        }
        page.heading("What others said");
        for one in said.iter().take(MOST_SAID) {
            let age = one.age.map(|age| format!("{} ago", human_age(age)));
            let count = (one.count > 1).then(|| format!("{} times", one.count));
            let source = (!one.source.is_empty()).then(|| one.source.clone());
            let parts = [age, count, source, Some(format!("{} of {}", one.reason, one.about.words))];
            let parts: Vec<String> = parts.into_iter().flatten().collect();
            let message: String = one.message.chars().take(MOST_CHARACTERS).collect();
            let cut = if message.len() < one.message.len() { "…" } else { "" };
            let void = if one.void { " (outdated: the object has changed since then)" } else { "" };
            page.line(1, &format!("{}: {message}{cut}{void}", parts.join(", ")));
        }
        if said.len() > MOST_SAID {
            page.line(1, &format!("and {} more; -o json shows all", said.len() - MOST_SAID));
        }
    }

    /// Writes the stages of the volumes of a pod, or the pods of a workload, grouped by their state and cause.
    fn pods_section(&self, page: &mut Page) {
        let DiagnosisOut { volumes, pods, .. } = &self.diagnosis;
        if !volumes.is_empty() {
            page.heading("Volumes");
            page.table(&stages_table(volumes));
            for line in open_stages(volumes) {
                page.line(1, &line);
            }
        }
        if !pods.is_empty() {
            page.heading("Pods");
            for line in groups(pods) {
                page.line(1, &line);
            }
        }
    }

    /// Writes what the attach/detach controller does with the volumes, or why this is not known.
    fn attachments_section(&self, page: &mut Page, trace: bool) {
        let is_all = self.object.kind == Kind::VolumeAttachment.as_str();
        attaching::section(page, self.attachments.as_deref().unwrap_or_default(), is_all, trace);
        let unread = self.unknown.iter().filter(|unknown| unknown.field == "attachments");
        let unread: Vec<&str> = unread.map(|unknown| unknown.needs.resource).collect();
        if !unread.is_empty() {
            page.heading("Attachments");
            page.line(1, &format!("unknown: not all {} were read", unread.join(", ")));
        }
    }

    fn assumptions(&self, page: &mut Page) {
        let Some(prediction) = &self.prediction else { return };
        let mut assumed: Vec<&str> = Vec::new();
        for one in prediction.assumed.iter().filter(|assumed| assumed.taken_as == "empty") {
            if !assumed.contains(&one.resource) {
                assumed.push(one.resource);
            }
        }
        if !assumed.is_empty() {
            page.line(0, &format!("Assumed: the input holds all {}.", assumed.join(", ")));
        }
        if prediction.assumed.iter().any(|assumed| assumed.taken_as == "defaults") {
            page.line(0, "Assumed: missing fields of the object have the values that an API server would set.");
        }
    }

    fn decision_section(&self, page: &mut Page, trace: bool) {
        page.heading("Decision");
        // Decisions with equal text differ only in the chosen volume. The section about candidates shows these volumes.
        for alike in self.decisions.chunk_by(|one, other| one.reads_like(other, trace)) {
            let decision = &alike[0];
            if decision.idle && !trace {
                continue;
            }
            let ways = if alike.len() > 1 { format!(", in {} ways", alike.len()) } else { String::new() };
            page.line(1, &format!("{}: {}{ways}", decision.controller, decision.branch));
            page.line(2, decision.about);
            if let Some(error) = &decision.error {
                page.line(2, &format!("error: {error}"));
            }
            if trace {
                for test in &decision.tests {
                    page.line(2, test);
                }
                if !decision.log.is_empty() {
                    page.line(2, "log at -v=5:");
                }
                for entry in &decision.log {
                    page.line(3, entry);
                }
            }
        }
        for entry in &self.evidence {
            page.line(1, &format!("{} {} = {}", entry.object, entry.field, entry.value));
        }
        if let Some(prediction) = &self.prediction {
            for unknown in &prediction.unknown {
                let place = if unknown.needs.namespace.is_empty() {
                    String::new()
                } else {
                    format!(" in {}", unknown.needs.namespace)
                };
                page.line(
                    1,
                    &format!(
                        "unknown: the {} depend on a {} of {}{place} ({})",
                        unknown.field, unknown.needs.verb, unknown.needs.resource, unknown.reason
                    ),
                );
            }
        }
    }

    fn candidates_section(&self, page: &mut Page) {
        if self.candidates.is_empty() {
            return;
        }
        let fitting = self.candidates.iter().filter(|row| row.fits()).count();
        page.heading(&format!("Candidates ({fitting} of {} fit)", self.candidates.len()));
        // If a driver provisions, volumes of other classes are of no interest.
        let is_told =
            |row: &&MatchRow<'_>| !self.driver_provisions || row.verdict != CandidateVerdict::CandidateClass.name();
        let told: Vec<&MatchRow<'_>> = self.candidates.iter().filter(is_told).collect();
        let shown = &told[..told.len().min(MOST_CANDIDATES)];
        if !shown.is_empty() {
            let (table, left_out) = rows_table(shown, false, page.columns.map(|columns| columns.saturating_sub(2)));
            page.table(&table);
            if let Some(said) = left_out {
                page.line(1, &said);
            }
        }
        if told.len() > shown.len() {
            page.line(1, &format!("and {} more; `match` shows all", told.len() - shown.len()));
        }
        match self.candidates.len() - told.len() {
            0 => {}
            1 => page.line(1, "1 volume of another class; `match` shows it"),
            others => page.line(1, &format!("{others} volumes of other classes; `match` shows them")),
        }
    }

    fn users_section(&self, page: &mut Page) {
        page.heading("Used by");
        for unknown in &self.unknown {
            page.line(1, &format!("unknown: {}", why_unknown(unknown)));
        }
        let Some(used_by) = &self.used_by else { return };
        if used_by.is_empty() {
            let place = match self.no_pods_read.as_slice() {
                [] => String::new(),
                namespaces => {
                    format!(", as far as the input shows: it holds no pods of namespace {}", namespaces.join(" and "))
                }
            };
            page.line(1, &format!("no pod uses it{place}"));
        }
        for user in used_by.iter().take(MOST_LISTED) {
            let state = match (user.node_name, user.terminated) {
                ("", true) => "ended, was never scheduled".to_owned(),
                ("", false) => "not scheduled yet".to_owned(),
                (node, true) => format!("on node {node}, ended"),
                (node, false) => format!("on node {node}"),
            };
            page.line(1, &format!("pod {}, {state}", user.object.name));
        }
        if used_by.len() > MOST_LISTED {
            page.line(1, &format!("and {} more", used_by.len() - MOST_LISTED));
        }
    }

    fn next_section(&self, page: &mut Page) {
        page.heading("Next");
        // What a person can do was already printed above. If the object is stuck, the component for which it waits does
        // not act. So neither is printed here.
        let is_stuck = matches!(self.diagnosis.state, "stuck" | "broken") && !self.diagnosis.remedies.is_empty();
        let is_told = |next: &NextOut| is_stuck || next.who == YOU && !self.diagnosis.remedies.is_empty();
        for next in self.next.iter().filter(|next| !is_told(next)) {
            page.line(1, &format!("{}: {}", next.who, next.what));
        }
        match self.ends.as_slice() {
            [] => page.line(1, "Its outcome is unknown."),
            [only] => page.line(1, &format!("Ends {only}.")),
            several => {
                page.line(1, "Ends as one of these:");
                for end in several {
                    page.line(2, &format!("- {end}"));
                }
                let by: Vec<&str> =
                    self.prediction.iter().flat_map(|prediction| &prediction.decided_by).copied().collect();
                for by in by {
                    page.line(
                        2,
                        match by {
                            "equalCandidates" => {
                                "Several volumes are equally good; the controller or the scheduler may take any of them."
                            }
                            "score" => {
                                "Several nodes fit a pod; the scores of the scheduler, which are not modelled, decide."
                            }
                            "drivers" => "The driver can do what it is asked, or fail.",
                            "recycler" => "The recycler pod can succeed, fail, or never end.",
                            "recyclerPod" => {
                                "A pod that erases the volume exists already: a controller that was started after the \
                                 pod was created deletes the pod, and tries again later."
                            }
                            "simultaneousRecycling" => {
                                "Several volumes are recycled at the same time, and the controller can confuse the \
                                 recycler pods; nobody controls which recyclings fail."
                            }
                            _ => {
                                "The order in which the objects are synced decides; nobody controls this order."
                            }
                        },
                    );
                }
            }
        }
        if let Some(data) = self.data_once_released {
            page.line(
                1,
                match data {
                    "kept" => "Data after the claim is deleted: kept.",
                    "handedToDriver" => "Data after the claim is deleted: deleted by the driver.",
                    "destroyed" => "Data after the claim is deleted: destroyed by the controller.",
                    _ => "Data after the claim is deleted: erased, and the volume is offered again.",
                },
            );
        }
    }

    fn events_section(&self, page: &mut Page) {
        page.heading("Events to come");
        let unknown = self
            .prediction
            .as_ref()
            .and_then(|prediction| prediction.unknown.iter().find(|unknown| unknown.field == "decisions"));
        match unknown {
            Some(_) => page.line(1, "unknown: not all decisions are known"),
            None if self.events_to_come.is_empty() => page.line(1, "none"),
            None => {}
        }
        for event in &self.events_to_come {
            page.line(1, &format!("{} {}: {}", event.event_type, event.reason, event.message));
        }
    }
}

/// Returns a sentence that says why it is not known which pods of a namespace use the object, and how to find out.
fn why_unknown(unknown: &UnknownOut<'_>) -> String {
    let state = CoverageState::from_word(unknown.reason).unwrap_or(CoverageState::NotNeeded);
    unread(Kind::Pod, unknown.needs.namespace, state)
}

fn binding_section(page: &mut Page, binding: &BindingOut) {
    page.heading("Binding");
    let fields: Vec<&FieldOut> = binding.claim.iter().chain(&binding.volume).collect();
    let widest = fields.iter().map(|field| width(field.field)).max().unwrap_or(0);
    // If the names of the fields are long, the line has no room for aligned values that are as long as a uid.
    let lined_up = page.columns.is_none_or(|columns| widest + 50 <= columns);
    let mut object = "";
    for field in fields {
        if field.object != object {
            object = &field.object;
            page.line(1, object);
        }
        let name = if lined_up { pad(field.field, widest) } else { field.field.into() };
        let verdict = match (field.verdict, &field.wanted) {
            ("unknown", _) => "  (unknown whether that exists)".to_owned(),
            ("mismatch", Some(wanted)) => format!("  MISMATCH, wanted {wanted}"),
            ("mismatch", None) => "  MISMATCH".to_owned(),
            ("absent", Some(wanted)) => format!("  missing, wanted {wanted}"),
            ("ok", _) => "  ok".to_owned(),
            _ => String::new(),
        };
        page.marked(&format!("{name}  {}{verdict}", field.value), field.verdict == "mismatch");
    }
}

fn class_section(page: &mut Page, class: &ClassOut<'_>, evidence: &[EvidenceOut]) {
    page.heading("Fields");
    for entry in evidence {
        page.line(1, &format!("{} = {}", entry.field, entry.value));
    }
    for (title, phases) in [("Claims", &class.claims), ("Volumes", &class.volumes)] {
        page.heading(title);
        if phases.is_empty() {
            page.line(1, "none");
        }
        for (phase, count) in phases {
            page.line(1, &format!("{count} {phase}"));
        }
    }
}

/// The text that was written so far, and the width at which it is wrapped.
pub(super) struct Page {
    text: String,
    columns: Option<usize>,
}

impl TextDecision {
    /// Returns whether the text shows the same for another decision. The log is shown only with `trace`.
    fn reads_like(&self, other: &Self, trace: bool) -> bool {
        (self.controller, self.branch, &self.tests, &self.error)
            == (other.controller, other.branch, &other.tests, &other.error)
            && (!trace || self.log == other.log)
    }
}

impl Page {
    fn raw(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    pub(super) fn heading(&mut self, title: &str) {
        self.text.push('\n');
        self.raw(title);
    }

    pub(super) fn line(&mut self, depth: usize, text: &str) {
        let indent = depth * 2;
        self.raw(&wrap(&format!("{:indent$}{text}", ""), self.columns, indent + 2));
    }

    /// Adds a command on its own line. The line is never wrapped, so that the command can be copied.
    fn command(&mut self, command: &str) {
        let safe = sanitize(command);
        self.raw(&format!("    {safe}"));
    }

    /// Adds a line that is aligned with spaces. It is wrapped only if it is too long.
    fn marked(&mut self, text: &str, red: bool) {
        let safe = format!("    {}", sanitize(text));
        let fits = self.columns.is_none_or(|columns| width(&safe) <= columns);
        let shown = if fits { safe } else { wrap(&safe, self.columns, 6) };
        for line in shown.lines() {
            if red {
                self.raw(&line.red().to_string());
            } else {
                self.raw(line);
            }
        }
    }

    pub(super) fn table(&mut self, table: &Table) {
        let width = self.columns.map(|columns| columns.saturating_sub(2));
        let mut text = String::new();
        let rendered = table.render(TableStyle { width, headers: true }, |part| {
            text.push_str(part);
            Ok::<(), Infallible>(())
        });
        match rendered {
            Ok(()) => {}
            Err(never) => match never {},
        }
        for line in text.lines() {
            self.raw(&format!("  {line}"));
        }
    }
}
