//! What goes wrong with requests, and with which: one vocabulary for the API server in this process and for the proxy
//! before a real one.

use std::time::Duration;

/// What goes wrong with one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Fault {
    /// Nothing.
    None,
    /// It is answered with this code and message, and nothing is done.
    Refused(u16, &'static str),
    /// It is answered with this code, to be tried again after so many seconds, and nothing is done.
    Busy(u16, u64),
    /// It is done, and answered with this code.
    RefusedAfter(u16),
    /// It is answered with 410, and with a token to go on with, if any.
    Expired(Option<&'static str>),
    /// A proxy answers with this code and a page of its own.
    Page(u16),
    /// It is answered with this very body and code 200, and nothing is done.
    Body(&'static str),
    /// It is answered with more than any object has.
    Large,
    /// The connection ends before the server hears of it.
    CutBefore,
    /// The server acts, and the connection ends before the answer comes.
    CutAfter,
    /// The server acts, and the connection ends in the middle of the answer.
    CutInside,
    /// The server acts, and its answer begins and never ends.
    Endless,
    /// The server never hears of it, and there is never an answer.
    SilentBefore,
    /// The server acts, and there is never an answer.
    SilentAfter,
    /// The server acts at once, and the answer comes after a while.
    Slow(Duration),
    /// The server acts after a while, whether anybody still waits for the answer or not.
    Delayed(Duration),
    /// It waits until the test lets it go.
    Held,
    /// The program is killed before the server hears of it.
    KilledBefore,
    /// The program is killed after the server has acted, before the answer comes.
    KilledAfter,
    /// The program is killed, and the server acts some time after that.
    KilledDelayed(Duration),
}

/// How long an answer may take that still comes in time.
const IN_TIME: Duration = Duration::from_secs(5);

/// How long it takes until the program has given up a request.
const TOO_LATE: Duration = Duration::from_secs(45);

impl Fault {
    /// The server has lost its leader, and has done nothing.
    pub(crate) const ERROR: Self = Self::Refused(500, "Internal error occurred: etcdserver: leader changed");
    /// Somebody else was quicker.
    pub(crate) const CONFLICT: Self = Self::Refused(409, "Operation cannot be fulfilled: the object has been modified");
    /// The server is busy for a second.
    pub(crate) const BUSY: Self = Self::Busy(429, 1);
    /// The answer comes late, and still in time.
    pub(crate) const DELAYED: Self = Self::Delayed(IN_TIME);
    /// The server acts after the client has given up.
    pub(crate) const LATE: Self = Self::Delayed(TOO_LATE);
    /// The program is killed, and the server acts long after that.
    pub(crate) const KILLED_LATE: Self = Self::KilledDelayed(TOO_LATE);

    /// Every fault that may meet a request of a repair, and none.
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

    /// The word that names it in a run's description.
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

    /// Whether the server has acted when the program learns of it: who acts meanwhile acts after the server.
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

    /// Whether the program is killed.
    pub(crate) fn kills(self) -> bool {
        matches!(self, Self::KilledBefore | Self::KilledAfter | Self::KilledDelayed(_))
    }
}

/// At which requests something happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum At<'t> {
    /// At the request of this number, from 1.
    Request(usize),
    /// At the write of this number, from 1.
    Write(usize),
    /// At the request of this number, from 1, after so many questions what the user may do.
    AfterQuestions { questions: usize, number: usize },
    /// At the first so many whose path and query begin so.
    Path(&'t str, usize),
    /// At the first whose method and path begin so, with `dry ` before them where nothing is to be written.
    Line(&'t str),
}

/// Counts requests until the one at which something happens.
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
    /// Counts from now on.
    pub(crate) fn new(at: At<'_>) -> Self {
        Self::after(at, 0, 0)
    }

    /// Goes on counting after so many requests, of which so many were writes.
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

    /// Whether it waits for requests by what they say, and not by their number.
    pub(crate) fn names(&self) -> bool {
        matches!(self.place, Place::Path { .. } | Place::Line { .. })
    }

    /// Whether it happens at this request, which is counted.
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

/// Whether it is one more of them.
fn take(left: &mut usize, is_one: bool) -> bool {
    let takes = is_one && *left > 0;
    *left -= usize::from(takes);
    takes
}

/// What a request says of itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Line<'r> {
    /// Such as `GET`.
    pub(crate) method: &'r str,
    /// Path and query.
    pub(crate) uri: &'r str,
    /// Whether nothing is to be written, only tried.
    pub(crate) dry: bool,
}

impl Line<'_> {
    /// Whether it asks what the user may do.
    pub(crate) fn is_question(&self) -> bool {
        self.uri.contains("/selfsubjectaccessreviews")
    }

    /// Whether it is to change what the server has.
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
