//! What a restore from a backup, or a second cluster, leaves behind.

crate::diagnosis::rules::section! {}
