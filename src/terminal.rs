//! The terminal: streams, colour, width, progress and questions. It also ends the process after Ctrl-C and after a
//! panic. Stdin, stdout and stderr can also be pipes or files.
//!
//! Only this module examines the streams and their environment variables, once at the start.

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "the one module that uses the standard streams, reads their environment, and ends the process"
)]

use crate::cli::ColorWhen;
use crate::error::{Error, ErrorKind};
use crate::progress::Progress;
use crate::report::shared::wrap::wrap;
use crate::text::{sanitize, truncate};
use dialoguer::console::{Key, Term};
use std::io::{self, BufWriter, IsTerminal as _, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The smallest width that is used. A smaller width is treated as unknown. Pseudo-terminals without a size report 0.
const NARROWEST: usize = 20;

/// The number of spaces before each further line of a wrapped message on stderr.
const CONTINUED: usize = 2;

/// The time after which the progress of long work is shown, and (in the next constant) the time between two updates.
const PROGRESS_AFTER: Duration = Duration::from_millis(400);
const PROGRESS_EVERY: Duration = Duration::from_millis(100);

/// Erases the line of the cursor and moves the cursor to its beginning.
const ERASE_LINE: &str = "\r\x1b[2K";
/// Makes the cursor visible again, because a prompt hides it.
const SHOW_CURSOR: &str = "\x1b[?25h";

/// The text before a word that the user types.
const PROMPT: &str = "> ";

/// Whether Ctrl-C does not end the process now, because this run writes to a cluster. The code that writes stops at the
/// next safe point instead.
static HELD: AtomicBool = AtomicBool::new(false);
/// Whether Ctrl-C was pressed while [`HELD`] was set.
static PRESSED: AtomicBool = AtomicBool::new(false);
/// Whether this run has begun to write to a cluster.
static WRITES: AtomicBool = AtomicBool::new(false);

/// The properties of the streams. They are found when the process starts.
#[derive(Debug)]
pub struct Terminal {
    color: bool,
    error_color: bool,
    width: Option<usize>,
    error_width: Option<usize>,
    can_ask: bool,
    progress: Arc<ProgressLine>,
    /// The name and the collected text of a section, if the answer has several sections. This name is printed before
    /// every message of the section.
    section: Option<(String, Mutex<Vec<u8>>)>,
}

/// Returns the width of the help text, which is printed before the flags are known. In a pipe, COLUMNS gives the width.
pub fn help_width() -> Option<usize> {
    let columns = std::env::var("COLUMNS").ok();
    let size = Term::stdout().size_checked().map(|(_rows, columns)| usize::from(columns));
    size.or_else(|| columns?.trim().parse().ok()).filter(|&columns| columns >= NARROWEST)
}

/// The largest number of choices that are shown at once. The arrow keys scroll to the other choices.
const MENU: usize = 10;

impl Terminal {
    /// Examines the streams and the environment, and decides for the whole run whether stdout has colour.
    pub fn detect(when: ColorWhen) -> Self {
        let stdout = io::stdout().is_terminal();
        let stderr = io::stderr().is_terminal();
        let environment = ColorEnvironment::read();
        let color = environment.color(when, stdout);
        colored::control::set_override(color);
        let size = |stream: Term| stream.size_checked().map(|(_rows, columns)| usize::from(columns));
        let columns = std::env::var("COLUMNS").ok();
        Self {
            color,
            error_color: environment.color(when, stderr),
            width: if stdout { usable_width(columns.as_deref(), || size(Term::stdout())) } else { None },
            error_width: if stderr { usable_width(columns.as_deref(), || size(Term::stderr())) } else { None },
            can_ask: stderr && io::stdin().is_terminal(),
            progress: Arc::new(ProgressLine { shown_on_terminal: stderr, state: Mutex::new(None) }),
            section: None,
        }
    }

    /// Returns the same terminal for one of several sections of an answer. The section runs on its own thread, and no
    /// question can be asked there.
    #[must_use]
    pub fn section(&self, name: &str) -> Self {
        Self {
            can_ask: false,
            progress: Arc::clone(&self.progress),
            section: Some((name.to_owned(), Mutex::default())),
            ..*self
        }
    }

    /// Returns whether this terminal is for one of several sections of an answer.
    pub fn is_section(&self) -> bool {
        self.section.is_some()
    }

    /// Returns the part of the answer that a section has collected.
    pub fn into_held(self) -> Vec<u8> {
        self.section.map_or_else(Vec::new, |(_, held)| held.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns whether stdout has colour.
    pub fn color(&self) -> bool {
        self.color
    }

    /// Does work whose text is not for stdout, such as the content of a file. The text of this work has no colour.
    pub fn without_color<T>(&self, work: impl FnOnce() -> T) -> T {
        colored::control::set_override(false);
        let done = work();
        colored::control::set_override(self.color);
        done
    }

    /// Returns the width of stdout in columns. The result is `None` in a pipe, or if the width is unknown. In this case
    /// no text is cut or wrapped.
    pub fn width(&self) -> Option<usize> {
        self.width
    }

    /// Returns whether there is a user who can be asked.
    pub fn can_ask(&self) -> bool {
        self.can_ask
    }

    /// Returns the progress line, for code that reports its progress.
    pub fn progress(&self) -> Arc<dyn Progress> {
        let line = Arc::clone(&self.progress);
        match &self.section {
            None => line,
            Some(_) => Arc::new(SectionProgress { prefix: self.prefix(), line }),
        }
    }

    /// Returns the writer for the answer on stdout. Before that, it erases the progress line. For a section, the writer
    /// collects the answer and does not print it.
    pub fn output(&self) -> Output<'_> {
        let stream: Box<dyn Write + '_> = if let Some((_, held)) = &self.section {
            Box::new(Held(held))
        } else {
            self.progress.clear();
            Box::new(io::stdout().lock())
        };
        Output { stream: BufWriter::with_capacity(64 * 1024, stream) }
    }

    /// Prints a message on stderr that is neither the answer nor an error, such as `warning: …`. The message is one
    /// line. On a terminal it is wrapped between words.
    pub fn message(&self, text: &str) {
        self.progress.clear();
        write_stderr(&format!("{}\n", wrap(&format!("{}{text}", self.prefix()), self.error_width, CONTINUED)));
    }

    /// Returns the text before every message of a section.
    fn prefix(&self) -> String {
        self.section.as_ref().map_or_else(String::new, |(name, _)| format!("[{}] ", sanitize(name)))
    }

    /// Prints an error on stderr.
    pub fn error(&self, error: &Error) {
        self.progress.clear();
        if error.kind() != ErrorKind::OutputClosed {
            let shown = wrapped_lines(&error.to_string(), self.error_width);
            let shown = if self.error_color { colored_error(&shown) } else { shown + "\n" };
            let prefix = self.prefix();
            let lines: Vec<&str> = shown.split_inclusive('\n').flat_map(|line| [prefix.as_str(), line]).collect();
            write_stderr(&lines.concat());
        }
    }

    /// Asks a question that the user answers with y or n and then Enter. Enter alone means no. Esc and q also mean no,
    /// and need no Enter.
    ///
    /// # Errors
    ///
    /// Returns `Refused` if there is nobody to ask, and `Interrupted` if the user presses Ctrl-C.
    pub fn confirm(&self, question: &str) -> Result<bool, Error> {
        self.progress.clear();
        if !self.can_ask {
            return Err(Error::refused("this needs a confirmation, and there is no terminal to ask on"));
        }
        yes_or_no(&sanitize(question)).map_err(|failure| unanswered(&failure))
    }

    /// Asks for a word. The result is `None` if the user presses Esc, or only Enter.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Self::confirm`].
    pub fn ask_text(&self, question: &str) -> Result<Option<String>, Error> {
        self.progress.clear();
        if !self.can_ask {
            return Err(Error::refused("this needs an answer, and there is no terminal to ask on"));
        }
        write_stderr(&format!("{}\n", wrap(&sanitize(question), self.error_width, CONTINUED)));
        typed_word(self.error_width.unwrap_or(usize::MAX)).map_err(|failure| unanswered(&failure))
    }

    /// Lets the user choose one of several items with the arrow keys and Enter. The result is `None` if the user
    /// presses Esc or q.
    ///
    /// # Errors
    ///
    /// Returns the same errors as [`Self::confirm`].
    pub fn choose(&self, question: &str, items: &[String]) -> Result<Option<usize>, Error> {
        self.progress.clear();
        if !self.can_ask {
            return Err(Error::refused(
                "this needs an answer, and there is no terminal to ask on: nothing was written",
            )
            .hint("--yes makes the safe repairs without being asked, --dry-run shows the plans"));
        }
        let room = self.error_width.unwrap_or(usize::MAX).saturating_sub(4).max(16);
        let items: Vec<String> = items.iter().map(|item| truncate(&sanitize(item), room).into_owned()).collect();
        let select = dialoguer::Select::new().with_prompt(sanitize(question)).items(&items).default(0).max_length(MENU);
        select.interact_opt().map_err(|dialoguer::Error::IO(failure)| unanswered(&failure))
    }

    /// Stops Ctrl-C from ending the process while a run writes to a cluster.
    pub fn hold_interrupts(&self) -> HeldInterrupts {
        WRITES.store(true, Ordering::SeqCst);
        PRESSED.store(false, Ordering::SeqCst);
        HELD.store(true, Ordering::SeqCst);
        HeldInterrupts(())
    }
}

/// While this value exists, Ctrl-C does not end the process. [`Self::pressed`] says whether it was pressed.
#[derive(Debug)]
pub struct HeldInterrupts(());

impl HeldInterrupts {
    /// Returns whether Ctrl-C was pressed since this value was made.
    pub fn pressed(&self) -> bool {
        PRESSED.load(Ordering::SeqCst)
    }
}

impl Drop for HeldInterrupts {
    fn drop(&mut self) {
        HELD.store(false, Ordering::SeqCst);
    }
}

/// Stdout with a buffer. The end of the answer may be lost if [`Output::finish`] is not called.
pub struct Output<'t> {
    stream: BufWriter<Box<dyn Write + 't>>,
}

/// The writer that collects the answer of a section.
struct Held<'t>(&'t Mutex<Vec<u8>>);

impl Write for Held<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Output<'_> {
    /// Writes a part of the answer.
    ///
    /// # Errors
    ///
    /// Returns [`Error::unwritten`].
    pub fn print(&mut self, text: &str) -> Result<(), Error> {
        self.stream.write_all(text.as_bytes()).map_err(|failure| Error::unwritten(&failure))
    }

    /// Writes the rest of the buffer.
    ///
    /// # Errors
    ///
    /// Returns [`Error::unwritten`].
    pub fn finish(mut self) -> Result<(), Error> {
        self.stream.flush().map_err(|failure| Error::unwritten(&failure))
    }
}

impl Write for Output<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// Returns the error for a question that got no answer.
fn unanswered(failure: &io::Error) -> Error {
    if failure.kind() == io::ErrorKind::Interrupted {
        write_stderr(SHOW_CURSOR);
        return Error::new(ErrorKind::Interrupted, "interrupted");
    }
    Error::refused("the answer could not be read").caused_by(failure)
}

/// Reads y or n, followed by Enter. The prompt of dialoguer would also need Enter after Esc, and would not say so.
fn yes_or_no(question: &str) -> io::Result<bool> {
    let terminal = Term::stderr();
    let show = |answer: &str| {
        terminal.clear_line()?;
        terminal.write_str(&format!("{question} [y/N] {answer}"))
    };
    let mut yes = false;
    show("")?;
    loop {
        match terminal.read_key()? {
            Key::Char('y' | 'Y') => yes = true,
            Key::Char('n' | 'N') => yes = false,
            Key::Escape | Key::Char('q' | 'Q') => {
                yes = false;
                break;
            }
            Key::Enter => break,
            _ => continue,
        }
        show(if yes { "y" } else { "n" })?;
    }
    show(if yes { "yes\n" } else { "no\n" })?;
    Ok(yes)
}

/// Reads a word on its own line. If the word is long, only its end is shown. Esc ends the input, whereas the prompt of
/// dialoguer ignores Esc.
fn typed_word(columns: usize) -> io::Result<Option<String>> {
    let terminal = Term::stderr();
    let room = columns.saturating_sub(PROMPT.len() + 1);
    let show = |typed: &str| {
        let shown: Vec<char> = typed.chars().rev().take(room).collect();
        terminal.clear_line()?;
        terminal.write_str(&format!("{PROMPT}{}", shown.into_iter().rev().collect::<String>()))
    };
    let mut typed = String::new();
    show("")?;
    loop {
        match terminal.read_key()? {
            Key::Enter => break,
            Key::Escape => {
                typed.clear();
                break;
            }
            Key::Backspace => drop(typed.pop()),
            // Names have only these characters. Any other key is an arrow or a mistake.
            Key::Char(letter) if letter.is_ascii_graphic() => typed.push(letter),
            _ => continue,
        }
        show(&typed)?;
    }
    show(&typed)?;
    terminal.write_line("")?;
    Ok(Some(typed).filter(|typed| !typed.is_empty()))
}

/// A line on stderr that shows the progress of long work. The line is shown only on a terminal and only after
/// [`PROGRESS_AFTER`]. It is erased before anything else is printed.
#[derive(Debug)]
struct ProgressLine {
    shown_on_terminal: bool,
    state: Mutex<Option<Shown>>,
}

#[derive(Clone, Copy, Debug)]
struct Shown {
    /// The time at which the next change may be drawn.
    next: Instant,
    /// Whether the line is on the terminal and has to be erased.
    drawn: bool,
}

impl ProgressLine {
    fn clear(&self) {
        let Ok(mut state) = self.state.lock() else { return };
        if state.take().is_some_and(|shown| shown.drawn) {
            write_stderr(ERASE_LINE);
        }
    }
}

impl Progress for ProgressLine {
    fn step(&self, what: &str, done: u64) {
        if !self.shown_on_terminal {
            return;
        }
        // If another thread draws at this moment, it draws progress that is equally new. So this progress is not drawn.
        let Ok(mut state) = self.state.try_lock() else { return };
        let now = Instant::now();
        let shown = state.get_or_insert(Shown { next: now + PROGRESS_AFTER, drawn: false });
        if now < shown.next {
            return;
        }
        *shown = Shown { next: now + PROGRESS_EVERY, drawn: true };
        let columns = Term::stderr().size_checked().map_or(0, |(_rows, columns)| usize::from(columns));
        // Ctrl-C adds two characters (`^C`) to the line. The line must not become longer than the terminal is wide.
        let room = if columns < NARROWEST { 77 } else { columns - 3 };
        let line = format!("{}: {done}", sanitize(what));
        write_stderr(&format!("{ERASE_LINE}{}", truncate(&line, room)));
    }
}

/// The progress of one section, shown on the line that all sections share.
struct SectionProgress {
    prefix: String,
    line: Arc<ProgressLine>,
}

impl Progress for SectionProgress {
    fn step(&self, what: &str, done: u64) {
        self.line.step(&format!("{}{what}", self.prefix), done);
    }
}

impl Drop for ProgressLine {
    fn drop(&mut self) {
        self.clear();
    }
}

/// Installs the handler for a panic, which is a bug of this program. The handler restores the terminal, prints a plain
/// message, and ends the process with exit code 70.
pub fn install_panic_hook() {
    std::panic::set_hook(Box::new(|panic| {
        restore();
        let place = panic.location().map_or_else(String::new, |place| format!(" at {}:{}", place.file(), place.line()));
        let payload = panic.payload();
        let message = payload.downcast_ref::<&str>().copied();
        let message = message.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("no message");
        let report = Error::bug(format!("pvctl {} has a bug{place}", env!("CARGO_PKG_VERSION")))
            .cause(message)
            .hint(if WRITES.load(Ordering::SeqCst) {
                "it was carrying out a plan: `kubectl pvctl history` shows which steps were done"
            } else {
                "nothing was written to the cluster by this run"
            })
            .hint("please report the bug with these lines, the command, and if possible a `kubectl pvctl snapshot`");
        write_stderr(&format!("{report}\n"));
        std::process::exit(i32::from(ErrorKind::Bug.exit_code()));
    }));
}

/// Installs the handler of Ctrl-C. The handler restores the terminal and ends the process immediately with exit code
/// 130. This is safe for a run that only reads. A run that writes prevents this with [`Terminal::hold_interrupts`].
///
/// # Errors
///
/// Returns an error if the system does not start a thread or does not install the handler of the signal.
pub fn exit_on_interrupt() -> Result<(), Error> {
    let failed = |failure: io::Error| Error::bug("cannot listen for Ctrl-C").caused_by(&failure);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(failed)?;
    let listen = move || {
        while runtime.block_on(tokio::signal::ctrl_c()).is_ok() {
            PRESSED.store(true, Ordering::SeqCst);
            if !HELD.load(Ordering::SeqCst) {
                restore();
                std::process::exit(i32::from(ErrorKind::Interrupted.exit_code()));
            }
        }
    };
    std::thread::Builder::new().name("interrupt".to_owned()).spawn(listen).map(drop).map_err(failed)
}

/// Ends the process if the error says that nobody reads the answer any more. Otherwise the process would wait for
/// threads that still read from a server. Only verbs that do not write call this function.
pub fn exit_when_unread(error: &Error) {
    if error.kind() == ErrorKind::OutputClosed {
        restore();
        std::process::exit(i32::from(error.kind().exit_code()));
    }
}

/// Prints the message of clap and returns the exit code. The exit code is 0 for help and version. Any other message
/// reports wrong usage.
pub fn print_parse_result(outcome: &clap::Error) -> ExitCode {
    match outcome.print() {
        Err(failure) if failure.kind() != io::ErrorKind::BrokenPipe => {
            ExitCode::from(ErrorKind::Unreadable.exit_code())
        }
        _ if outcome.use_stderr() => ExitCode::from(ErrorKind::Usage.exit_code()),
        _ => ExitCode::SUCCESS,
    }
}

/// Writes to stdout, and ignores errors.
pub fn print_quietly(text: &str) {
    let mut stream = io::stdout().lock();
    _ = stream.write_all(text.as_bytes()).and_then(|()| stream.flush());
}

/// Returns the text of an error. Each line of the text is wrapped between words.
pub fn wrapped_lines(shown: &str, columns: Option<usize>) -> String {
    let lines = shown.lines().map(|line| {
        let indent = line.len() - line.trim_start_matches(' ').len();
        wrap(line, columns, indent + CONTINUED)
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Erases the progress line and shows the cursor, which a prompt may have hidden.
fn restore() {
    if io::stderr().is_terminal() {
        write_stderr(&format!("{ERASE_LINE}{SHOW_CURSOR}"));
    }
}

/// Writes to stderr. Errors are ignored, because they cannot be printed anywhere.
fn write_stderr(text: &str) {
    let mut stream = io::stderr().lock();
    _ = stream.write_all(text.as_bytes()).and_then(|()| stream.flush());
}

/// Returns an error with its first words in colour. The settings of `colored` apply to stdout, so this function writes
/// the colour codes itself.
pub fn colored_error(shown: &str) -> String {
    let mut text = String::with_capacity(shown.len() + 32);
    for line in shown.lines() {
        let (paint, word) = if line.starts_with("error:") {
            ("\x1b[1;31m", "error:")
        } else if line.starts_with("hint:") {
            ("\x1b[1;36m", "hint:")
        } else {
            ("", "")
        };
        let reset = if word.is_empty() { "" } else { "\x1b[0m" };
        text.extend([paint, word, reset, &line[word.len()..], "\n"]);
    }
    text
}

/// The environment variables that decide whether text has colour.
#[derive(Clone, Copy, Debug, Default)]
pub struct ColorEnvironment {
    /// Whether NO_COLOR is set and not empty.
    pub no_color: bool,
    /// Whether CLICOLOR_FORCE is set and neither empty nor 0.
    pub force: bool,
    /// Whether CLICOLOR is 0.
    pub off: bool,
    /// Whether TERM is `dumb`.
    pub dumb: bool,
}

impl ColorEnvironment {
    fn read() -> Self {
        let variable = |name| std::env::var_os(name).unwrap_or_default();
        let force = variable("CLICOLOR_FORCE");
        Self {
            no_color: !variable("NO_COLOR").is_empty(),
            force: !force.is_empty() && force != "0",
            off: variable("CLICOLOR") == "0",
            dumb: variable("TERM") == "dumb",
        }
    }

    /// Returns whether text has colour. The flag `when` overrides the environment, and the environment overrides the
    /// stream.
    pub fn color(self, when: ColorWhen, terminal: bool) -> bool {
        match when {
            ColorWhen::Always => true,
            ColorWhen::Never => false,
            ColorWhen::Auto if self.no_color => false,
            ColorWhen::Auto if self.force => true,
            ColorWhen::Auto => terminal && !self.off && !self.dumb,
        }
    }
}

/// Returns the width for the layout. COLUMNS takes precedence over the size of the terminal. A width below
/// `NARROWEST` is treated as unknown.
pub fn usable_width(columns: Option<&str>, size: impl FnOnce() -> Option<usize>) -> Option<usize> {
    let given = columns.and_then(|text| text.trim().parse().ok()).filter(|&columns| columns >= NARROWEST);
    given.or_else(size).filter(|&columns| columns >= NARROWEST)
}
