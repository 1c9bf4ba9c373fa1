//! Claims for which a volume is being made, by what events, quotas and the Lease of the controllers tell.

crate::diagnosis::rules::section! {}
