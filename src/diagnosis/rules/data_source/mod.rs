//! Claims that are to be filled from something: another claim, a snapshot, a populator.

crate::diagnosis::rules::section! {}
