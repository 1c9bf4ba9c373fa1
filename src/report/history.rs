//! `History`: the repairs that were made from one machine. It names objects and steps, and prints no object whole.

use super::machine::API_VERSION;
use super::table::{Table, TableStyle};
use serde::Serialize;

/// All repairs, newest first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct History {
    /// The version of the document.
    pub api_version: &'static str,
    /// `History`.
    pub kind: &'static str,
    /// The repairs.
    pub items: Vec<Repair>,
}

/// One repair.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Repair {
    /// The id of its journal.
    pub id: String,
    /// When it was begun.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// The address of the API server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
    /// The uid of the cluster, which is that of namespace kube-system.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// What it comes to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goal: Option<String>,
    /// `finished`, `stopped`, `open` (under way, or cut short), `lost` (its volume is gone, or another one has the
    /// name, so that nothing leads on) or `unreadable`.
    pub state: &'static str,
    /// The step at which it stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub step: Option<u32>,
    /// Why it stopped, or cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Whether something was written, or may have been.
    pub written: bool,
    /// The repair that took it back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub taken_back_by: Option<String>,
    /// The steps.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, schemars(default))]
    pub steps: Vec<Taken>,
}

/// A step of a repair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Taken {
    /// From 1.
    pub id: u32,
    /// Why.
    pub why: String,
    /// What was written, in words; nothing for a step that only waits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write: Option<String>,
    /// `done`, `wasSo` (nothing had to be written), `written` (what it waits for has not come), `inDoubt` (the answer
    /// to its request was lost) or `notDone`.
    pub state: &'static str,
}

impl History {
    /// The document of these repairs.
    pub fn new(items: Vec<Repair>) -> Self {
        Self { api_version: API_VERSION, kind: "History", items }
    }

    /// The table of all, or the steps of the only one.
    pub fn text(&self, steps: bool, columns: Option<usize>) -> String {
        let mut page = String::new();
        let mut print = |text: &str| -> Result<(), std::convert::Infallible> {
            page.push_str(text);
            Ok(())
        };
        let style = TableStyle { width: columns, headers: true };
        let Ok(()) = match (steps, self.items.first()) {
            (true, Some(repair)) => repair.page(style, &mut print),
            (_, None) => print("No repairs were made from here.\n"),
            (false, Some(_)) => {
                let mut table = Table::new(vec!["ID", "STATE", "WHAT"]);
                for repair in &self.items {
                    let goal = repair.goal.clone().unwrap_or_default();
                    table.row(vec![repair.id.clone(), repair.sentence(), goal]);
                }
                table.render(style, print)
            }
        };
        page
    }
}

impl Repair {
    /// How it ended, in few words.
    fn sentence(&self) -> String {
        match (&self.taken_back_by, self.step) {
            (Some(by), _) => format!("taken back by {by}"),
            (None, Some(step)) if self.state != "finished" => format!("{} at step {step}", self.state),
            (None, _) => self.state.to_owned(),
        }
    }

    fn page<E>(&self, style: TableStyle, mut print: impl FnMut(&str) -> Result<(), E>) -> Result<(), E> {
        let line = |label: &str, text: &str| format!("{label:<8} {}\n", crate::text::sanitize(text));
        print(&line("ID", &self.id))?;
        let stated = [("TIME", &self.at), ("SERVER", &self.server), ("CLUSTER", &self.cluster), ("WHAT", &self.goal)];
        for (label, text) in stated.into_iter().filter_map(|(label, text)| Some((label, text.as_ref()?))) {
            print(&line(label, text))?;
        }
        print(&line("STATE", &self.sentence()))?;
        if let Some(why) = &self.why {
            print(&line("WHY", why))?;
        }
        if self.steps.is_empty() {
            return Ok(());
        }
        print("\n")?;
        let mut table = Table::new(vec!["STEP", "STATE", "WRITE", "WHY"]);
        for step in &self.steps {
            let write = step.write.clone().unwrap_or_else(|| "wait".to_owned());
            table.row(vec![step.id.to_string(), step.state.to_owned(), write, step.why.clone()]);
        }
        table.render(style, print)
    }
}
