//! The one binary of integration tests; each module is one subject.

mod files;
