//! Repairs as a table, and one repair as the table of its steps.

use super::document::{History, Repair};
use crate::model::Timestamp;
use crate::report::shared::table::{Table, TableStyle};
use crate::text::{human_age, sanitize};
use std::fmt::Write as _;

impl History {
    /// Returns the table of all repairs, with their ages at `now`. If `steps` is true, there is only one repair, and
    /// the table has its steps.
    pub(super) fn text(&self, steps: bool, now: Timestamp, columns: Option<usize>) -> String {
        let style = TableStyle { width: columns, headers: true };
        match (steps, self.items.first()) {
            (true, Some(repair)) => repair.page(style),
            (_, None) => "No repairs were made from this machine.\n".to_owned(),
            (false, Some(_)) => {
                let mut table = Table::new(vec!["ID", "STATE", "WHAT", "AGE"]);
                for repair in &self.items {
                    let goal = repair.goal.clone().unwrap_or_default();
                    table.row(vec![repair.id.clone(), repair.sentence(), goal, repair.age(now)]);
                }
                table.text(style)
            }
        }
    }
}

impl Repair {
    /// Returns how the repair ended, in a few words.
    fn sentence(&self) -> String {
        match (&self.taken_back_by, self.step) {
            (Some(by), _) => format!("undone by {by}"),
            (None, Some(step)) if self.state != "finished" => format!("{} at step {step}", self.state),
            (None, _) => self.state.to_owned(),
        }
    }

    /// Returns the time since the repair began.
    fn age(&self, now: Timestamp) -> String {
        let began = self.at.as_deref().and_then(Timestamp::parse);
        began.map_or_else(|| "<unknown>".to_owned(), |began| human_age(now.seconds_since(began)))
    }

    fn page(&self, style: TableStyle) -> String {
        let mut page = String::new();
        let mut line = |label: &str, text: &str| _ = writeln!(page, "{label:<8} {}", sanitize(text));
        line("ID", &self.id);
        let stated = [("TIME", &self.at), ("SERVER", &self.server), ("CLUSTER", &self.cluster), ("WHAT", &self.goal)];
        for (label, text) in stated.into_iter().filter_map(|(label, text)| Some((label, text.as_ref()?))) {
            line(label, text);
        }
        line("STATE", &self.sentence());
        if let Some(why) = &self.why {
            line("WHY", why);
        }
        if self.steps.is_empty() {
            return page;
        }
        page.push('\n');
        let mut table = Table::new(vec!["STEP", "STATE", "WRITE", "WHY"]);
        for step in &self.steps {
            let write = step.write.clone().unwrap_or_else(|| "wait".to_owned());
            table.row(vec![step.id.to_string(), step.state.to_owned(), write, step.why.clone()]);
        }
        page + &table.text(style)
    }
}
