//! The person or component that has to act next.

use super::advice::Advice;
use super::decisive::Decisive;
use super::predicted::ends_of;
use crate::diagnosis::reason::View;

/// Who has to act next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Who {
    /// Nobody has to act, or it is not known who.
    Nobody,
    /// A person.
    User,
    /// The scheduler.
    Scheduler,
    /// A driver.
    Driver,
    /// A controller of kube-controller-manager.
    Controller,
    /// The kubelet of a node.
    Node,
}

impl Who {
    /// Returns the word that documents print.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Nobody => "nobody",
            Self::User => "user",
            Self::Scheduler => "scheduler",
            Self::Driver => "driver",
            Self::Controller => "controller",
            Self::Node => "node",
        }
    }
}

/// The person or component that has to act next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Actor {
    /// Whether this is a person, and if not, which component.
    pub who: Who,
    /// The name of the driver, controller or node. It is empty for others.
    pub name: String,
    /// What this person or component has to do.
    pub does: String,
}

impl Actor {
    /// Returns who acts next according to the prediction. If a controller will change the object, and there is no
    /// decisive finding, the answer is the controller, because nobody else has to act then.
    pub(super) fn of(view: Option<View<'_>>, decisive: Option<Decisive<'_>>) -> Self {
        let nobody = Self { who: Who::Nobody, name: String::new(), does: String::new() };
        let Some(view) = view else { return nobody };
        if decisive.is_none() && view.prediction.changes() {
            let does = format!("makes it {}", ends_of(view).join(" or "));
            return Self { who: Who::Controller, name: "kube-controller-manager".to_owned(), does };
        }
        let waiting = view.prediction.decisions.listed.iter().flat_map(|decision| &decision.record.waiting).next();
        waiting.map_or(nobody, |waiting| {
            let (who, name) = match waiting.component {
                "user" => (Who::User, String::new()),
                "scheduler" => (Who::Scheduler, String::new()),
                "node" => (Who::Node, waiting.name.clone()),
                _ => (Who::Driver, waiting.name.clone()),
            };
            Self { who, name, does: waiting.action.clone() }
        })
    }

    /// Returns this answer if a controller has to act next. Otherwise returns the person, who has to follow the first
    /// advice.
    pub(super) fn or_user(self, remedies: &[Advice]) -> Self {
        if matches!(self.who, Who::Controller) {
            return self;
        }
        let does = remedies.first().map_or(self.does, |way| way.remedy.does.clone());
        Self { who: Who::User, name: String::new(), does }
    }
}
