//! The answers of the API server to the attach/detach controller in a run: which requests are refused, and with which
//! error.

use crate::attaching::RefusedRequests;
use pvctl::controllers::attach_detach::{ApiAnswers, Refusal};

/// The answers of the API server, with the number of requests that matched each rule.
#[derive(Clone, PartialEq)]
pub(super) struct Answers<'a> {
    rules: &'a [RefusedRequests],
    counts: Vec<u32>,
}

impl<'a> Answers<'a> {
    /// Returns the answers if requests are refused by these rules.
    pub(super) fn new(rules: &'a [RefusedRequests]) -> Self {
        Self { rules, counts: vec![0; rules.len()] }
    }

    /// Returns whether no request is refused.
    pub(super) fn accept_all(&self) -> bool {
        self.rules.is_empty()
    }

    fn answer(&mut self, verb: &str, resource: &str, name: &str) -> Option<Refusal> {
        let mut refusal = None;
        for (rule, count) in self.rules.iter().zip(&mut self.counts) {
            if rule.verb == verb && rule.resource == resource && (rule.name.is_empty() || rule.name == name) {
                *count += 1;
                if (rule.first..=rule.last).contains(count) && refusal.is_none() {
                    refusal = Some(refuse(rule, resource, name));
                }
            }
        }
        refusal
    }
}

/// Returns the error of the API server. Upstream: `k8s.io/apimachinery/pkg/api/errors`, 1.36.
fn refuse(rule: &RefusedRequests, resource: &str, name: &str) -> Refusal {
    let qualified = if resource == "nodes" { resource.to_owned() } else { format!("{resource}.storage.k8s.io") };
    match rule.reason.as_str() {
        "NotFound" => Refusal::NotFound(format!("{qualified} \"{name}\" not found")),
        "AlreadyExists" => Refusal::AlreadyExists(format!("{qualified} \"{name}\" already exists")),
        "Conflict" => Refusal::Other(format!("Operation cannot be fulfilled on {qualified} \"{name}\": {}", rule.text)),
        "Forbidden" => Refusal::Other(format!("{qualified} \"{name}\" is forbidden: {}", rule.text)),
        _ => Refusal::Other(format!("Internal error occurred: {}", rule.text)),
    }
}

impl ApiAnswers for Answers<'_> {
    fn get_node(&mut self, name: &str) -> Option<Refusal> {
        self.answer("get", "nodes", name)
    }

    fn get_attachment(&mut self, name: &str) -> Option<Refusal> {
        self.answer("get", "volumeattachments", name)
    }

    fn patch_node(&mut self, name: &str) -> Option<Refusal> {
        self.answer("patch", "nodes", name)
    }

    fn create_attachment(&mut self, name: &str) -> Option<Refusal> {
        self.answer("create", "volumeattachments", name)
    }

    fn delete_attachment(&mut self, name: &str) -> Option<Refusal> {
        self.answer("delete", "volumeattachments", name)
    }

    fn depends_on_order(&self) -> bool {
        self.rules.iter().zip(&self.counts).any(|(rule, count)| *count < rule.last)
    }
}
