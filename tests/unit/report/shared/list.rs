//! Tests of `pvctl::report::shared::list`.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use pvctl::report::shared::list::{Elements, ObjectWriter};

fn elements(texts: &[&str]) -> Elements {
    let mut elements = Elements::default();
    for text in texts {
        elements.push(|out| serde_json::to_writer(out, text)).unwrap();
    }
    elements
}

#[test]
fn a_list_written_in_pieces_is_json_with_one_element_per_line() {
    let mut object = ObjectWriter::start(Vec::new()).unwrap();
    object.field("kind", &"a\u{9b}b").unwrap();
    let mut items = object.list("items").unwrap();
    items.add(&elements(&["one", "two"])).unwrap();
    items.add(&elements(&[])).unwrap();
    items.add(&elements(&["three\u{202e}"])).unwrap();
    let mut inner = items.object().unwrap();
    inner.field("count", &4).unwrap();
    inner.encoded("answer", b"[]").unwrap();
    inner.end().unwrap();
    let worlds = items.end().unwrap().list("worlds").unwrap();
    let written = String::from_utf8(worlds.end_in_line().unwrap().end().unwrap()).unwrap();
    assert_eq!(
        written,
        "{\"kind\":\"a\\u009bb\",\"items\":[\n\"one\",\n\"two\",\n\"three\\u202e\",\n{\"count\":4,\"answer\":[]}\n],\
         \"worlds\":[]}"
    );
    let read: serde_json::Value = serde_json::from_str(&written).unwrap();
    assert_eq!(read["items"].as_array().map(Vec::len), Some(4));
}
