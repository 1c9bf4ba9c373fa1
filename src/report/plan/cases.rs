//! The findings of `fix` and the plans that it proposes, as text.

use crate::repair::Case;
use crate::report::shared::wrap::wrap;

/// Returns the text of the findings and plans, which is printed before the user is asked anything. `nothing` is the
/// text if there are no findings.
pub fn cases(cases: &[Case], nothing: &str, columns: Option<usize>) -> String {
    let mut text = String::new();
    let mut line = |depth: usize, words: &str| {
        let indented = format!("{}{words}", "  ".repeat(depth));
        text.push_str(&wrap(&indented, columns, 2 * depth + 2));
        text.push('\n');
    };
    for case in cases {
        line(0, &format!("{} {} on {}: {}", case.severity.as_str(), case.id, case.object, case.message));
        for plan in &case.repairs {
            let how = if plan.is_safe() { "safe" } else { "not safe" };
            line(1, &format!("{}: {} ({how})", plan.request.verb(), plan.goal));
        }
        for obstacle in &case.obstacles {
            line(1, &format!("refused: {obstacle}"));
        }
        if case.repairs.is_empty() && !case.by_hand.is_empty() {
            for way in &case.by_hand {
                line(1, &format!("by hand: {way}"));
            }
            line(1, &format!("`kubectl pvctl rules {}` says more", case.id));
        }
    }
    if cases.is_empty() {
        line(0, nothing);
    }
    text
}
