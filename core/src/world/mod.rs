//! The context of one sync of a controller. The context has the API's objects, with the writes made so far, and the
//! controller's caches and running operations. It also has the answers of the API server and a record of the sync.
//!
//! Controllers use only [`SyncContext`]. Each request of a controller is recorded as an effect and is applied to the
//! objects immediately, so the next line of the controller reads the result. No other code applies effects.

mod answers;
mod choices;
mod controller_state;
mod effect;
mod log_entry;
mod objects;
mod sync;
mod view;

pub use answers::{Answers, ApiError, ApiRefusal, PluginAnswer, Read};
pub use choices::Choices;
pub use controller_state::{Cached, ControllerState, OperationState};
pub use effect::{Effect, EventType, ObjectRef, RecordedEvent, Write, WriteBody};
pub use log_entry::{LogEntry, LogLevel, LogValue, quoted};
pub use objects::{Changed, Mark, Memory, Need, World};
pub use sync::{Compared, ComparisonStep, Record, Started, SyncContext, Waiting, WithoutNamespace, stored};
pub use view::View;
