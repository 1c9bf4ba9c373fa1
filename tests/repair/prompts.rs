//! The questions of repairs in a terminal: arrows, Enter, Esc, Ctrl-C, a narrow window, no colour. Nothing is written
//! unless the person agrees.
#![cfg(unix)]
#![expect(clippy::disallowed_methods, clippy::unwrap_used, reason = "a test counts journals, and fails by panicking")]

use crate::repair::verbs::{cluster, released};
use crate::support::api::ApiServer;
use crate::support::screen::{CTRL_C, DOWN, ENTER, ESCAPE, Screen, UP, plain};

/// The heading of the list of repairs, and the question after the plan.
const LIST: &str = "Next repair (Esc ends)";
const QUESTION: &str = "Carry out this plan?";
/// The last line of the list.
const LEAVE: &str = "make no further repair";

/// Starts a terminal with `fix` of a volume whose claim is gone.
async fn fix(columns: u16, variables: &[(&str, &str)]) -> (ApiServer, Screen, tempfile::TempDir) {
    let fake = cluster([released("data", "Retain")]).await;
    let journals = tempfile::tempdir().unwrap();
    let (url, state) = (fake.url(), journals.path().to_str().unwrap());
    let screen = Screen::start(columns, variables, &["fix", "pv/data", "--server", &url, "--journal", state]);
    (fake, screen, journals)
}

/// Returns how a run in a terminal ended: the exit code, the number of writes, the number of journals, and the words
/// that were shown.
fn ended(fake: &ApiServer, screen: Screen, journals: &tempfile::TempDir) -> ((Option<i32>, usize, usize), String) {
    let (code, shown) = screen.end();
    let files = std::fs::read_dir(journals.path()).map_or(0, Iterator::count);
    ((code, fake.writes().len(), files), plain(shown.as_bytes()))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn leaving_the_list_writes_nothing() {
    let ways: [&[&str]; 4] = [&[ESCAPE], &[DOWN, ENTER], &[UP, ENTER], &[DOWN, UP, DOWN, ENTER]];
    for keys in ways {
        let (fake, mut screen, journals) = fix(80, &[]).await;
        screen.until(LIST);
        screen.until(LEAVE);
        for key in keys {
            screen.press(key);
        }
        let (end, shown) = ended(&fake, screen, &journals);
        assert_eq!(end, (Some(1), 0, 0), "{keys:?}: {shown}");
        assert!(shown.contains("left: pv-released-retain on pv/data"), "{shown}");
    }
}

/// If there are many problems, the program shows their number and a short list of repairs. After Esc it shows at most
/// six lines about the problems that are left, and their number.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn many_problems_are_a_short_list() {
    let fake = cluster((0..40).map(|number| released(&format!("data-{number:02}"), "Retain"))).await;
    let journals = tempfile::tempdir().unwrap();
    let (url, state) = (fake.url(), journals.path().to_str().unwrap());
    let mut screen = Screen::start(80, &[], &["fix", "-A", "--server", &url, "--journal", state]);
    screen.until(LIST);
    screen.until("data-09");
    screen.press(ESCAPE);
    let (code, shown) = screen.end();
    assert_eq!((code, fake.writes().len()), (Some(1), 0), "{shown}");
    let (before, list) = shown.split_once(LIST).unwrap();
    let problems = before.lines().filter(|line| line.contains("data-")).count();
    assert_eq!(problems, 0, "{before}");
    assert!(before.lines().count() <= 12, "{before}");
    assert!(!list.contains("volume data-10 is offered"), "{list}");
    let left = list.lines().filter(|line| line.contains("left: ")).count();
    assert!((1..=6).contains(&left), "{list}");
    assert!(list.contains("40 left"), "{list}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn declining_a_plan_writes_nothing() {
    for key in [ESCAPE, "n\r", "\r"] {
        let (fake, mut screen, journals) = fix(80, &[]).await;
        screen.until(LEAVE);
        screen.press(ENTER);
        screen.until(QUESTION);
        screen.press(key);
        // The same repair is not offered again. There is no other repair.
        let (end, shown) = ended(&fake, screen, &journals);
        assert_eq!(end, (Some(1), 0, 0), "{key:?}: {shown}");
        assert!(shown.contains("not confirmed: nothing was written"), "{shown}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_interrupt_at_a_question_ends_the_whole() {
    for chosen in [false, true] {
        let (fake, mut screen, journals) = fix(80, &[]).await;
        screen.until(LEAVE);
        if chosen {
            screen.press(ENTER);
            screen.until(QUESTION);
        }
        screen.press(CTRL_C);
        let (end, shown) = ended(&fake, screen, &journals);
        assert_eq!(end, (Some(130), 0, 0), "{shown}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_confirmed_plan_is_carried_out() {
    let (fake, mut screen, journals) = fix(80, &[]).await;
    screen.until(LEAVE);
    screen.press(ENTER);
    screen.until(QUESTION);
    screen.press("y\r");
    let (end, shown) = ended(&fake, screen, &journals);
    assert_eq!(end, (Some(0), 1, 1), "{shown}");
    let claim_ref = &fake.object("PersistentVolume", "data").unwrap()["spec"]["claimRef"];
    assert_eq!((claim_ref["name"].as_str(), claim_ref["uid"].as_str()), (Some("data"), None), "{shown}");
}

/// Esc at the question for a name leaves as well. A wrong name is refused.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_name_that_is_not_typed_allows_nothing() {
    for keys in [ESCAPE, "dat\r", "\r"] {
        let fake = cluster([released("data", "Retain")]).await;
        let journals = tempfile::tempdir().unwrap();
        let (url, state) = (fake.url(), journals.path().to_str().unwrap());
        let words = ["release", "pv/data", "--to-anyone", "--server", &url, "--journal", state];
        let mut screen = Screen::start(80, &[], &words);
        screen.until("Type data to carry out this plan; Esc cancels");
        screen.press(keys);
        let (end, shown) = ended(&fake, screen, &journals);
        assert_eq!(end, (Some(6), 0, 0), "{keys:?}: {shown}");
        assert!(shown.contains("nothing was written"), "{shown}");
    }
}

/// In a narrow window lines are broken between words, and all words are shown. With NO_COLOR nothing is coloured.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_narrow_window_shows_everything_and_colour_can_be_done_without() {
    let coloured = |shown: &str| {
        let sequences = shown.split("\x1b[").skip(1);
        sequences.filter_map(|one| one.split_once('m')).any(|(code, _)| {
            let numbers: Vec<&str> = code.split(';').collect();
            // The numbers 30 to 49 and 90 to 107 are colours.
            numbers.iter().any(|number| matches!(number.parse::<u8>(), Ok(30..=38 | 40..=48 | 90..=107)))
        })
    };
    for (variables, wanted) in [(&[][..], true), (&[("NO_COLOR", "1")][..], false)] {
        let (_fake, mut screen, _journals) = fix(40, variables).await;
        screen.until(LEAVE);
        screen.press(ENTER);
        screen.until("set spec.claimRef of pv/data to db/data, without a uid");
        screen.until(QUESTION);
        screen.press(ESCAPE);
        let (code, shown) = screen.end();
        assert_eq!(code, Some(1), "{shown}");
        assert_eq!(coloured(&shown), wanted, "{shown:?}");
    }
}
