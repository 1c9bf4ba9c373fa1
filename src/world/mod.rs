//! What one sync of a controller acts on: the API's objects with the writes made so far, the controller's caches and
//! running operations, the answers of the API server, and the record of what was asked, written and said.
//!
//! Controllers see nothing but [`SyncContext`]. Each request both records its effect and applies it, so the next line reads
//! the result; there is no second place where effects are carried out.

mod answers;
mod choices;
mod controller_state;
mod effect;
mod objects;
mod sync;

pub use answers::{Answers, ApiError, ApiRefusal, PluginAnswer, Read};
pub use choices::Choices;
pub use controller_state::{Cached, ControllerState, OperationState};
pub use effect::{Effect, EventType, ObjectRef, RecordedEvent, Write, WriteBody};
pub use objects::{Changed, Mark, Need, World};
pub use sync::{Compared, ComparisonStep, Record, Started, SyncContext, Waiting, WithoutNamespace, stored};
