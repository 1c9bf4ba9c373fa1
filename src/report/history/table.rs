//! Repairs as a table, and one of them as the table of its steps.

use super::document::{History, Repair};
use crate::report::shared::table::{Table, TableStyle};
use crate::text::sanitize;

impl History {
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
        let line = |label: &str, text: &str| format!("{label:<8} {}\n", sanitize(text));
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
