//! What `fix` found, with the repairs that it proposes.

mod text;

pub use text::cases;
