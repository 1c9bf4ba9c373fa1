//! These tests check the format `junit`, which is `JUnit` XML.

use super::{all_printed, hostile, printed};
use crate::support::Run;
use std::collections::BTreeSet;

/// An XML element: its name, its required attributes, its optional attributes, and the elements that it may contain.
type Element = (&'static str, &'static [&'static str], &'static [&'static str], &'static [&'static str]);

/// The elements that the reports use, as `junit-10.xsd` of Jenkins allows them. The elements in an element must be in
/// this order.
const JUNIT: [Element; 6] = [
    ("testsuites", &[], &["name", "time", "tests", "failures", "disabled", "errors"], &["testsuite"]),
    (
        "testsuite",
        &["name", "tests"],
        &[
            "failures",
            "errors",
            "group",
            "time",
            "skipped",
            "timestamp",
            "hostname",
            "id",
            "package",
            "file",
            "log",
            "url",
            "version",
        ],
        &["properties", "testcase", "system-out", "system-err"],
    ),
    (
        "testcase",
        &["name", "classname"],
        &["time", "group"],
        &["skipped", "error", "failure", "system-out", "system-err"],
    ),
    ("skipped", &[], &["type", "message"], &[]),
    ("failure", &[], &["type", "message"], &[]),
    ("system-out", &[], &[], &[]),
];

#[test]
fn junit_follows_what_jenkins_reads() {
    for (from, text) in all_printed("junit") {
        let document = roxmltree::Document::parse(&text).expect("well-formed XML");
        let suites = document.root_element();
        assert_eq!(suites.tag_name().name(), "testsuites", "{from}");
        for element in document.descendants().filter(roxmltree::Node::is_element) {
            let name = element.tag_name().name();
            let known = JUNIT.iter().find(|(known, ..)| *known == name);
            let (_, needed, optional, inside) = known.unwrap_or_else(|| panic!("{from}: unknown element <{name}>"));
            let has = |attribute: &&&str| element.attribute(**attribute).is_some();
            assert_eq!(needed.iter().filter(has).count(), needed.len(), "{from}: {element:?}");
            for attribute in element.attributes() {
                assert!(
                    needed.contains(&attribute.name()) || optional.contains(&attribute.name()),
                    "{from}: <{name}> must not have the attribute {}",
                    attribute.name()
                );
            }
            let places: Vec<usize> = element
                .children()
                .filter(roxmltree::Node::is_element)
                .map(|child| {
                    let place = inside.iter().position(|known| *known == child.tag_name().name());
                    place.unwrap_or_else(|| panic!("{from}: {child:?} must not be in <{name}>"))
                })
                .collect();
            assert!(places.is_sorted(), "{from}: the elements in <{name}> are in the wrong order");
        }
        for element in
            document.descendants().filter(|node| matches!(node.tag_name().name(), "testsuites" | "testsuite"))
        {
            let count = |name: &str| element.descendants().filter(|node| node.has_tag_name(name)).count();
            for (attribute, counted) in
                [("tests", "testcase"), ("failures", "failure"), ("errors", "error"), ("skipped", "skipped")]
            {
                let stated = element.attribute(attribute).map(|text| text.parse::<usize>().expect("a number"));
                assert!(stated.is_none_or(|stated| stated == count(counted)), "{from}: {attribute}");
            }
            let time: f64 = element.attribute("time").and_then(|text| text.parse().ok()).expect("a time");
            assert!(time >= 0.0, "{from}");
        }
        let cases = document.descendants().filter(|node| node.has_tag_name("testcase"));
        let names: Vec<_> = cases.map(|case| (case.attribute("classname"), case.attribute("name"))).collect();
        assert_eq!(
            names.iter().collect::<BTreeSet<_>>().len(),
            names.len(),
            "{from}: two test cases have the same name"
        );
    }
}

#[test]
fn junit_is_xml_with_a_failure_for_each_error() {
    let text = printed("junit", &[]);
    let document = roxmltree::Document::parse(&text).expect("well-formed XML");
    let count = |name: &str| document.descendants().filter(|node| node.has_tag_name(name)).count();
    let suite = document.descendants().find(|node| node.has_tag_name("testsuite")).expect("a suite");
    let stated = |name: &str| suite.attribute(name).and_then(|text| text.parse::<usize>().ok()).expect("a number");
    assert_eq!((stated("tests"), stated("failures"), stated("skipped")), (count("testcase"), 2, 0));
    assert_eq!(count("failure"), 2);
    let failing = document.descendants().find(|node| node.has_tag_name("failure")).expect("a failure");
    assert!(failing.attribute("message").expect("a message").contains("x<y>&\"'|"), "{failing:?}");
    // A finding that `--fail-on` does not select is no failure.
    let mild = printed("junit", &["--fail-on", "lost-pv-missing,pv-recycle-policy"]);
    assert_eq!(mild.matches("<failure").count(), 2);
    let hidden = Run::new(&["audit", "-f", "-", "-o", "junit", "--partial", "pv"]).stdin(&hostile()).finish();
    assert_eq!(hidden.code, Some(3));
    let document = roxmltree::Document::parse(&hidden.stdout).expect("well-formed XML");
    let skipped = document.descendants().filter(|node| node.has_tag_name("skipped"));
    let names: Vec<_> = skipped.filter_map(|node| node.parent()?.attribute("name")).collect();
    assert!(names.contains(&"lost-pv-missing"), "a rule that could not be judged must be skipped: {names:?}");
}
