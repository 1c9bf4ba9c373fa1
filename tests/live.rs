//! The program against a real API server and a real controller manager: `oracle/cluster/README.md` says how to run these.

mod api;
mod ends;
mod faults;
mod leases;
mod plane;
mod proxy;
mod recycle;
mod rights;
mod snapshot;
mod sound;
mod torn;
mod worlds;
