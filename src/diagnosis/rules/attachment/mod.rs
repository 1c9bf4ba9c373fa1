//! Attachments of volumes to nodes, and volumes that wait for them.

crate::diagnosis::rules::section! {}
