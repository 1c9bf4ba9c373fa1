//! Reading from files.
#![expect(clippy::unwrap_used, reason = "tests")]

use pvctl::snapshot::decode::{Item, decode};
use std::fs::File;
use std::io::{BufRead, BufReader};

#[derive(serde::Deserialize)]
struct Recorded<'a> {
    id: String,
    #[serde(borrow)]
    world: World<'a>,
}

#[derive(serde::Deserialize)]
struct World<'a> {
    #[serde(borrow)]
    items: Vec<&'a serde_json::value::RawValue>,
}

#[test]
fn every_object_of_the_recorded_worlds_decodes() {
    let (mut worlds, mut objects) = (0, 0);
    for file in ["decisions-1.36.3.jsonl.gz", "outcomes-1.36.3.jsonl.gz"] {
        let path = format!("{}/tests/conformance/{file}", env!("CARGO_MANIFEST_DIR"));
        let lines = BufReader::new(flate2::read::GzDecoder::new(File::open(path).unwrap())).lines();
        for line in lines {
            let line = line.unwrap();
            let recorded: Recorded<'_> = serde_json::from_str(&line).unwrap();
            worlds += 1;
            for object in recorded.world.items {
                let item = decode(object.get().as_bytes(), &recorded.id);
                assert!(matches!(&item, Ok(item) if !matches!(item, Item::Skipped(_))), "{item:?}");
                objects += 1;
            }
        }
    }
    assert_eq!(worlds, 420);
    assert!(objects > 420, "{objects} objects");
}
