//! These tests run the program against a real API server and a real controller manager. `oracle/cluster/README.md` says
//! how to run them.

mod api;
mod attaching;
mod breakages;
mod delayed_binding;
mod deletions;
mod ends;
mod ephemeral;
mod faults;
mod fixtures;
mod healthy;
mod hostile;
mod kubectl;
mod leases;
mod plane;
mod plugins;
mod proxies;
mod proxy;
mod recorder;
mod recycle;
mod repair;
mod resizing;
mod rights;
mod scheduling;
mod site;
mod snapshot;
mod snapshot_audit;
mod snapshots;
mod sound;
mod stand;
mod stored;
mod tls;
mod torn;
mod worlds;
