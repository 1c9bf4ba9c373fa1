//! Tests of `pvctl::source`.

mod archive;
mod exec_plugin;
mod files;
mod http;
mod list;
mod own_providers;
mod partners;
mod proxy;
mod second_round;
