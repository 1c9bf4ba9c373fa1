//! Claims that go with something else: with their owner, their namespace, or the set whose pods use them.

crate::diagnosis::rules::section! {}
