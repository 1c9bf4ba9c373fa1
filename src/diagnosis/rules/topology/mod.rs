//! Where volumes can be made and used: classes, drivers and nodes that do not fit together.

crate::diagnosis::rules::section! {}
