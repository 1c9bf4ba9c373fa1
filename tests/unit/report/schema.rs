//! The JSON schemas in `docs/schema/`, generated from the types that are printed.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use pvctl::report::audit::Report;
use pvctl::report::contexts::ContextList;
use pvctl::report::explanation::Explanation;
use pvctl::report::history::History;
use pvctl::report::log_reading::LogReadingOut;
use pvctl::report::match_table::MatchTable;
use pvctl::report::plan::PlanDocument;
use pvctl::report::prediction::PredictionList;
use pvctl::report::rules::RuleList;
use pvctl::report::shared_volumes::SharedVolumeList;
use pvctl::report::version::Version;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use std::path::Path;

/// Returns the schema of the JSON that serde writes for the type, as the text of a file.
fn schema<T: JsonSchema>() -> String {
    let schema = SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>();
    serde_json::to_string_pretty(&schema).unwrap() + "\n"
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the test reads the project's files, and writes them when asked to")]
fn generated_schemas_are_in_step() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/schema");
    let update = std::env::var_os("UPDATE").is_some();
    if update {
        std::fs::create_dir_all(&folder).unwrap();
    }
    let expected = [
        ("ContextList.json", schema::<ContextList<'_>>()),
        ("Explanation.json", schema::<Explanation<'_>>()),
        ("History.json", schema::<History>()),
        ("LogReading.json", schema::<LogReadingOut>()),
        ("MatchTable.json", schema::<MatchTable<'_>>()),
        ("Plan.json", schema::<PlanDocument>()),
        ("PredictionList.json", schema::<PredictionList<'_>>()),
        ("Report.json", schema::<Report<'_>>()),
        ("RuleList.json", schema::<RuleList>()),
        ("SharedVolumeList.json", schema::<SharedVolumeList<'_>>()),
        ("Version.json", schema::<Version>()),
    ];
    for (name, should) in &expected {
        let path = folder.join(name);
        if update {
            std::fs::write(&path, should).unwrap();
        }
        let is = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            is == *should,
            "docs/schema/{name} is not up to date: run `UPDATE=1 cargo test --locked generated` and commit the result"
        );
    }
    let mut present: Vec<String> =
        std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    present.sort();
    assert_eq!(present, expected.map(|(name, _)| name.to_owned()), "docs/schema must have exactly the generated files");
}
