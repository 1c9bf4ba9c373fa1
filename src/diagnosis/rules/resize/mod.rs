//! Claims that are to become larger.

crate::diagnosis::rules::section! {}
