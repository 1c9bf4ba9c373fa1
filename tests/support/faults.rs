//! The faults of requests, and the requests at which they occur. They are used by the API server in this process, and
//! by the proxy in front of a real API server.

use std::time::Duration;

/// The fault of one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Fault {
    /// There is no fault.
    None,
    /// The request is answered with this code and message, and nothing is done.
    Refused(u16, &'static str),
    /// The request is answered with this code and nothing is done. The client should try again after this number of
    /// seconds.
    Busy(u16, u64),
    /// The request is carried out, and answered with this code.
    RefusedAfter(u16),
    /// The request is answered with 410, and with a continue token, if one is given.
    Expired(Option<&'static str>),
    /// A proxy answers with this code and an HTML page, without asking the server.
    Page(u16),
    /// The request is answered with exactly this body and code 200, and nothing is done.
    Body(&'static str),
    /// The answer is larger than the largest object that the program accepts.
    Large,
    /// The connection ends before the request reaches the server.
    CutBefore,
    /// The server acts, and the connection ends before the answer arrives.
    CutAfter,
    /// The server acts, and the connection ends in the middle of the answer.
    CutInside,
    /// The server acts. Its answer begins, but never ends.
    Endless,
    /// The request does not reach the server, and there is no answer.
    SilentBefore,
    /// The server acts, and there is no answer.
    SilentAfter,
    /// The server acts immediately, and the answer arrives after this time.
    Slow(Duration),
    /// The server acts after this time, whether or not the client still waits for the answer.
    Delayed(Duration),
    /// The request waits until the test releases it.
    Held,
    /// The program is killed before the request reaches the server.
    KilledBefore,
    /// The program is killed after the server has acted, and before the answer arrives.
    KilledAfter,
    /// The program is killed, and the server acts this time later.
    KilledDelayed(Duration),
}

/// The delay of an answer that still arrives in time.
const IN_TIME: Duration = Duration::from_secs(5);

/// This delay is longer than the program waits for an answer.
const TOO_LATE: Duration = Duration::from_secs(45);

impl Fault {
    /// etcd has a new leader, and the server has done nothing.
    pub(crate) const ERROR: Self = Self::Refused(500, "Internal error occurred: etcdserver: leader changed");
    /// Another client has written first.
    pub(crate) const CONFLICT: Self = Self::Refused(409, "Operation cannot be fulfilled: the object has been modified");
    /// The server is busy for a second.
    pub(crate) const BUSY: Self = Self::Busy(429, 1);
    /// The server acts late, but its answer still arrives in time.
    pub(crate) const DELAYED: Self = Self::Delayed(IN_TIME);
    /// The server acts after the client has given up.
    pub(crate) const LATE: Self = Self::Delayed(TOO_LATE);
    /// The program is killed, and the server acts long after that.
    pub(crate) const KILLED_LATE: Self = Self::KilledDelayed(TOO_LATE);

    /// All faults that are tried at requests of a repair, including none.
    pub(crate) const OF_REPAIRS: [Self; 12] = [
        Self::None,
        Self::ERROR,
        Self::RefusedAfter(500),
        Self::CONFLICT,
        Self::BUSY,
        Self::CutBefore,
        Self::CutAfter,
        Self::DELAYED,
        Self::LATE,
        Self::KilledBefore,
        Self::KilledAfter,
        Self::KILLED_LATE,
    ];

    /// Returns the word for the fault in the description of a run.
    pub(crate) fn word(self) -> String {
        let word = match self {
            Self::None => "none",
            Self::Refused(code, _) | Self::Busy(code, _) | Self::Page(code) => return code.to_string(),
            Self::RefusedAfter(code) => return format!("{code}-after"),
            Self::Expired(_) => "410",
            Self::Body(_) => "body",
            Self::Large => "large",
            Self::CutBefore => "cut-before",
            Self::CutAfter => "cut-after",
            Self::CutInside => "cut-inside",
            Self::Endless => "endless",
            Self::SilentBefore => "silent-before",
            Self::SilentAfter => "silent-after",
            Self::Slow(_) => "slow",
            Self::Delayed(TOO_LATE) => "late",
            Self::Delayed(_) => "delay",
            Self::Held => "held",
            Self::KilledBefore => "killed-before",
            Self::KilledAfter => "killed-after",
            Self::KilledDelayed(_) => "killed-late",
        };
        word.to_owned()
    }

    /// Returns whether the server acts before the program notices the fault. If it does, other clients of the test act
    /// after the server. Otherwise they act before it.
    pub(crate) fn is_after(self) -> bool {
        matches!(
            self,
            Self::RefusedAfter(_)
                | Self::CutAfter
                | Self::CutInside
                | Self::Endless
                | Self::SilentAfter
                | Self::KilledAfter
        )
    }

    /// Returns whether the program is killed.
    pub(crate) fn kills(self) -> bool {
        matches!(self, Self::KilledBefore | Self::KilledAfter | Self::KilledDelayed(_))
    }
}

/// Selects the requests that get a fault or start an action of the test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum At<'t> {
    /// The request of this number, from 1.
    Request(usize),
    /// The write of this number, from 1.
    Write(usize),
    /// The request of this number, from 1, that follows `questions` questions about the user's rights.
    AfterQuestions { questions: usize, number: usize },
    /// The first requests whose path and query begin with this text. The number says how many of them are selected.
    Path(&'t str, usize),
    /// The first request whose method and path begin with this text. For a dry run the text begins with `dry `.
    Line(&'t str),
}

/// Counts requests until it selects one.
#[derive(Clone, Debug)]
pub(crate) struct Trigger {
    place: Place,
    requests: usize,
    writes: usize,
    questions: usize,
}

#[derive(Clone, Debug)]
enum Place {
    Request(usize),
    Write(usize),
    AfterQuestions { questions: usize, number: usize },
    Path { start: String, left: usize },
    Line { start: String, left: usize },
}

impl Trigger {
    /// Returns a trigger that counts from now on.
    pub(crate) fn new(at: At<'_>) -> Self {
        Self::after(at, 0, 0)
    }

    /// Returns a trigger that continues to count after this number of earlier requests. `writes` is the number of
    /// writes among them.
    pub(crate) fn after(at: At<'_>, requests: usize, writes: usize) -> Self {
        let place = match at {
            At::Request(number) => Place::Request(number),
            At::Write(number) => Place::Write(number),
            At::AfterQuestions { questions, number } => Place::AfterQuestions { questions, number },
            At::Path(start, left) => Place::Path { start: start.to_owned(), left },
            At::Line(start) => Place::Line { start: start.to_owned(), left: 1 },
        };
        Self { place, requests, writes, questions: 0 }
    }

    /// Returns whether the trigger selects requests by their text.
    pub(crate) fn names(&self) -> bool {
        matches!(self.place, Place::Path { .. } | Place::Line { .. })
    }

    /// Counts a request, and returns whether the trigger selects it.
    pub(crate) fn is_at(&mut self, request: &Line<'_>) -> bool {
        let asked = self.questions;
        if let Place::AfterQuestions { questions, .. } = self.place
            && asked < questions
        {
            self.questions += usize::from(request.is_question());
            return false;
        }
        self.requests += 1;
        self.writes += usize::from(request.writes());
        match &mut self.place {
            Place::Request(number) | Place::AfterQuestions { number, .. } => self.requests == *number,
            Place::Write(number) => request.writes() && self.writes == *number,
            Place::Path { start, left } => take(left, request.uri.starts_with(start.as_str())),
            Place::Line { start, left } => take(left, request.to_string().starts_with(start.as_str())),
        }
    }
}

/// If the request matches and `left` is not 0, reduces `left` by 1. Returns whether it did.
fn take(left: &mut usize, matches: bool) -> bool {
    let takes = matches && *left > 0;
    *left -= usize::from(takes);
    takes
}

/// The request line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'r> {
    /// The method, such as `GET`.
    pub(crate) method: &'r str,
    /// The path and the query.
    pub(crate) uri: &'r str,
    /// Whether the request is a dry run.
    pub(crate) dry: bool,
}

impl Line<'_> {
    /// Returns whether the request asks what the user may do.
    pub(crate) fn is_question(&self) -> bool {
        self.uri.contains("/selfsubjectaccessreviews")
    }

    /// Returns whether the request changes what the server stores.
    pub(crate) fn writes(&self) -> bool {
        self.method != "GET" && !self.dry && !self.is_question()
    }
}

impl std::fmt::Display for Line<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let path = self.uri.split('?').next().unwrap_or_default();
        write!(out, "{}{} {path}", if self.dry { "dry " } else { "" }, self.method)
    }
}
