//! The use cases on a simulated cluster, without a terminal and without a connection. The tests check the questions to
//! the person, the plans that are carried out, and the messages. Other tests run the program on a real cluster.
#![expect(clippy::unwrap_used, reason = "tests fail by panicking")]

use crate::repair::plans::{bound, complete, namespace};
use pvctl::error::{Error, ErrorKind};
use pvctl::execute::{Journal, Observer, Options, PlanCompletion, ResolvedDoubt, StopKind, Stopped};
use pvctl::model::{Lease, ObjectKey, Timestamp};
use pvctl::ops::gather::ReadOptions;
use pvctl::ops::repair::{Extent, OfVolume, RepairOptions, RepairRequest, repair};
use pvctl::ops::{Asker, Interrupts, Reader, Shown, Status, Writer};
use pvctl::progress::{Progress, Silent};
use pvctl::repair::{Confirmed, Manifests, Origin, Plan, Receipts, Request, Sameness, claim_key};
use pvctl::snapshot::{Item, Parts, decode};
use pvctl::source::{FoundLeases, Needs};
use serde_json::Value;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A cluster of a few objects. Carrying out a plan only changes the policy of all volumes, because the repairs of these
/// tests write only policies.
struct Made {
    objects: Mutex<Vec<Value>>,
    /// The goals of the plans that were carried out.
    executed: Mutex<Vec<String>>,
    /// Whether another client writes right before each plan is carried out.
    is_disturbed: bool,
}

impl Made {
    fn new(is_disturbed: bool) -> Self {
        let mut objects = bound();
        objects.push(namespace("db"));
        Self { objects: Mutex::new(objects), executed: Mutex::default(), is_disturbed }
    }
}

impl Reader for Made {
    fn namespace(&self) -> &'static str {
        "db"
    }

    async fn origin(&self) -> Result<Origin, Error> {
        Ok(Origin { server: "https://made.up".to_owned(), uid: Some("uid-of-kube-system".to_owned()) })
    }

    async fn minor(&self) -> Result<u32, Error> {
        Ok(36)
    }

    async fn read(&self, _needs: Needs<'_>) -> Result<Parts, Error> {
        let mut parts = Parts { coverage: complete(), ..Parts::default() };
        for object in self.objects.lock().unwrap().iter() {
            if let Item::Object(object) = decode::read(None, object.to_string().as_bytes(), "made").unwrap() {
                parts.objects.push(object);
            }
        }
        Ok(parts)
    }

    async fn controller_lease(&self) -> Option<(Lease, Timestamp)> {
        None
    }

    async fn leases_named(&self, names: &[String]) -> FoundLeases {
        FoundLeases { leases: Vec::new(), unread: names.to_vec(), read_at: Timestamp(0) }
    }

    async fn pause(&self, _time: Duration) {}
}

impl Writer for Made {
    async fn manifests(&self, keys: &[ObjectKey]) -> Result<Manifests, Stopped> {
        let mut manifests = Manifests::default();
        for object in self.objects.lock().unwrap().iter() {
            let meta = &object["metadata"];
            let is = |key: &&ObjectKey| {
                object["kind"] == key.kind.as_str()
                    && meta["name"] == key.name.as_str()
                    && meta["namespace"].as_str().unwrap_or_default() == key.namespace
            };
            if let Some(key) = keys.iter().find(is) {
                manifests.add(key.clone(), object.clone());
            }
        }
        Ok(manifests)
    }

    async fn receipts(&self, plan: &Plan) -> Result<Receipts, Stopped> {
        Ok(Receipts::granted(plan))
    }

    async fn recognise(&self, _journal: &mut Journal, _sameness: Sameness) -> Result<(), Stopped> {
        Ok(())
    }

    async fn resolve_doubt(&self, _journal: &mut Journal) -> Result<ResolvedDoubt, Stopped> {
        Ok(ResolvedDoubt::Nothing)
    }

    async fn execute(
        &self,
        confirmed: Confirmed,
        _journal: &mut Journal,
        _options: &Options,
        _observer: &dyn Observer,
    ) -> Result<PlanCompletion, Stopped> {
        if self.is_disturbed {
            return Err(Stopped {
                kind: StopKind::Changed,
                written: false,
                volume_lost: false,
                message: "somebody was faster".to_owned(),
                causes: Vec::new(),
                hints: Vec::new(),
            });
        }
        self.executed.lock().unwrap().push(confirmed.plan().goal.clone());
        for object in self.objects.lock().unwrap().iter_mut().filter(|object| object["kind"] == "PersistentVolume") {
            object["spec"]["persistentVolumeReclaimPolicy"] = "Retain".into();
        }
        Ok(PlanCompletion { written: true, ..PlanCompletion::default() })
    }

    async fn resume(
        &self,
        confirmed: Confirmed,
        journal: &mut Journal,
        options: &Options,
        observer: &dyn Observer,
    ) -> Result<PlanCompletion, Stopped> {
        self.execute(confirmed, journal, options, observer).await
    }
}

/// A person who gives the same answer to every question, or nobody if there is no answer.
struct Scripted {
    answer: Option<bool>,
    /// Everything that was shown, asked and reported to the person, in order.
    heard: Mutex<Vec<String>>,
}

impl Scripted {
    fn new(answer: Option<bool>) -> Self {
        Self { answer, heard: Mutex::default() }
    }

    fn hear(&self, what: impl Into<String>) {
        self.heard.lock().unwrap().push(what.into());
    }

    fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap().clone()
    }
}

/// An interrupt source that never interrupts.
struct Quiet;

impl Interrupts for Quiet {
    fn pressed(&self) -> bool {
        false
    }
}

impl Asker for Scripted {
    type Held = Quiet;

    fn message(&self, text: &str) {
        self.hear(text);
    }

    fn error(&self, error: &Error) {
        self.hear(error.to_string());
    }

    fn progress(&self) -> Arc<dyn Progress> {
        Arc::new(Silent)
    }

    fn show(&self, shown: Shown<'_>) -> Result<(), Error> {
        self.hear(match shown {
            Shown::Nothing(_) => "nothing",
            Shown::Plan(..) => "plan",
            Shown::Done { .. } => "done",
            Shown::Cases(..) => "cases",
        });
        Ok(())
    }

    fn can_ask(&self) -> bool {
        self.answer.is_some()
    }

    fn confirm(&self, _question: &str) -> Result<bool, Error> {
        self.hear("asked");
        Ok(self.answer.unwrap())
    }

    fn ask_text(&self, _question: &str) -> Result<Option<String>, Error> {
        self.hear("asked for a word");
        Ok(None)
    }

    fn choose(&self, _question: &str, _items: &[String]) -> Result<Option<usize>, Error> {
        self.hear("asked to choose");
        Ok(None)
    }

    fn hold_interrupts(&self) -> Quiet {
        Quiet
    }
}

fn options(journals: &Path, extent: Extent) -> RepairOptions {
    RepairOptions {
        read: ReadOptions::default(),
        extent,
        yes: false,
        confirm: None,
        only_safe: false,
        shows_refused: false,
        timeout: Duration::from_secs(1),
        journals: journals.to_owned(),
    }
}

/// Carries out requests to keep the volume of the bound pair. Returns the result and the number of journals.
fn kept(cluster: &Made, asker: &Scripted, extent: Extent, asked: RepairRequest) -> (Result<Status, Error>, usize) {
    let journals = tempfile::tempdir().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let ended = runtime.block_on(repair(&options(journals.path(), extent), cluster, asker, asked));
    (ended, Journal::list(journals.path()).unwrap().len())
}

fn volume() -> RepairRequest {
    RepairRequest::Named(Request::Retain { volume: "pv-1".into() })
}

#[test]
fn a_confirmed_plan_is_carried_out_once_and_kept_in_a_journal() {
    for asked in [volume(), RepairRequest::VolumeOf(claim_key("db", "data"), OfVolume::Retain)] {
        let (cluster, asker) = (Made::new(false), Scripted::new(Some(true)));
        let (ended, journals) = kept(&cluster, &asker, Extent::CarryOut, asked);
        assert_eq!((ended, journals), (Ok(Status::Done), 1));
        assert_eq!(asker.heard(), ["plan", "asked", "done"]);
        assert_eq!(cluster.executed.lock().unwrap().len(), 1);
        let (ended, journals) = kept(&cluster, &asker, Extent::CarryOut, volume());
        assert_eq!((ended, journals), (Ok(Status::Done), 0));
        assert_eq!(asker.heard()[3..], ["nothing"]);
    }
}

#[test]
fn without_consent_nothing_is_carried_out() {
    for (answer, heard) in [(Some(false), &["plan", "asked"][..]), (None, &["plan"])] {
        let (cluster, asker) = (Made::new(false), Scripted::new(answer));
        let (ended, journals) = kept(&cluster, &asker, Extent::CarryOut, volume());
        assert_eq!((ended.unwrap_err().kind(), journals), (ErrorKind::Refused, 0));
        assert_eq!(asker.heard(), heard);
        assert!(cluster.executed.lock().unwrap().is_empty());
    }
    for extent in [Extent::Show, Extent::HandOut] {
        let (cluster, asker) = (Made::new(false), Scripted::new(Some(true)));
        assert_eq!(kept(&cluster, &asker, extent, volume()), (Ok(Status::Done), 0));
        assert!(!asker.heard().contains(&"asked".to_owned()), "{extent:?}");
        assert!(cluster.executed.lock().unwrap().is_empty());
    }
}

/// If a plan stops before its first write, the repair is planned again. If the new plan is the same, the person is not
/// asked a second time.
#[test]
fn a_world_that_changed_is_not_asked_about_twice_where_the_plan_is_the_same() {
    let (cluster, asker) = (Made::new(true), Scripted::new(Some(true)));
    let (ended, _) = kept(&cluster, &asker, Extent::CarryOut, volume());
    assert_eq!(ended.unwrap_err().kind(), ErrorKind::Changed);
    assert_eq!(asker.heard(), ["plan", "asked"]);
}

#[test]
fn an_object_that_is_not_there_is_wrong_usage() {
    let (cluster, asker) = (Made::new(false), Scripted::new(Some(true)));
    let (ended, _) =
        kept(&cluster, &asker, Extent::CarryOut, RepairRequest::Named(Request::Retain { volume: "pv-2".into() }));
    let error = ended.unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Usage);
    assert_eq!(error.hints(), ["did you mean pv/pv-1?"]);
}
