//! The one binary of integration tests; each module is one subject.

mod answers;
mod audit;
mod audit_scope;
mod bounds;
mod candidates;
mod cases;
mod cli;
mod cluster;
mod clusters;
mod conformance;
mod contexts;
mod cuts;
mod danger;
mod execute;
mod fake_api;
mod fates;
mod faults;
mod files;
mod folded;
mod generated;
mod guards;
mod hostile;
mod leaves;
mod licences;
#[cfg(unix)]
mod live;
mod liveness;
mod plans;
mod prompts;
mod properties;
mod proposals;
mod readme;
mod recipes;
mod redaction;
mod repair_cli;
mod repair_journals;
mod repair_manner;
mod repair_planners;
mod reports;
mod roots;
mod round_trip;
mod said;
mod schema;
mod screen;
mod shrink;
mod snapshot;
mod stage;
mod support;
mod tidy;
mod undo_policies;
mod use_cases;
mod versions;
mod worlds;

#[test]
fn every_test_file_is_part_of_this_binary() {
    let files = support::files("tests", "rs");
    let modules: Vec<&str> = files
        .iter()
        .filter_map(|(path, _)| path.strip_prefix("tests/")?.strip_suffix(".rs"))
        .filter(|name| !name.contains('/') && *name != "main")
        .collect();
    assert!(modules.contains(&"tidy"), "the walk over the files finds nothing: {modules:?}");
    let main = include_str!("main.rs");
    for module in modules {
        assert!(main.contains(&format!("\nmod {module};\n")), "tests/{module}.rs is not named in tests/main.rs");
    }
}
