//! Repairs that lose no data. A request becomes a plan, and a plan is reviewed and confirmed before it is carried out.
//!
//! All code here is a pure function of a [`Situation`]. [`propose`] makes a [`Plan`] of conditional writes. [`review`]
//! checks the plan with guards, the simulated answers of the controllers, and the adversary. [`Reviewed::confirm`]
//! turns the plan into a [`Confirmed`] plan. Only `execute` carries out a confirmed plan.

mod actors;
pub mod adversary;
mod answers;
mod case;
mod consent;
mod detachment;
pub mod guards;
mod identity;
pub mod involved;
pub mod manifest;
mod names;
mod origin;
mod overlay;
mod plan;
mod proposal;
mod reached;
mod reconnection;
mod request;
pub mod safety_model;
mod seen;
mod service;
mod situation;
mod stored;
mod undo;
mod verbs;
mod wait;
mod write;

pub use adversary::{Harm, Interleaving, SearchReach, Verdict, judge};
pub use case::{Case, FindingKey};
pub use consent::{Confirmed, Receipts, Rejected, Reviewed, Right, keeps_to_request, review, rights};
pub use guards::{Guard, Holds};
pub use identity::VolumeIdentity;
pub use involved::is_wider;
pub use names::{check_names, namespace_name, object_name};
pub use origin::{Origin, Sameness};
pub use plan::{Carried, Expected, GivenUp, Plan, Proposed, Recheck, Refusal, StableHash, Step, Undo, state_in_words};
pub use proposal::repairs;
pub use reached::{is_met_by_others, made_by, reached};
pub use request::{Recipient, Request, Setting};
pub use service::{ALIAS_LABEL, ClusterAddress, PinnedPort, PinnedService, PortTarget, ServerService, ServiceOwner};
pub use situation::{Known, Manifests, Situation, attachment_key, claim_key, node_key, service_key, volume_key};
pub use undo::{Done, undo};
pub use verbs::{propose, reads};
pub use wait::{Wait, Waited};
pub use write::{
    Change, Expect, FIELD_MANAGER, Obstacle, PLAN_ANNOTATION, Reference, Request as ApiRequest, Seen, Write, path,
};
