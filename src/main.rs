//! The executable parses the command line, runs the command and returns the exit code. Everything else is in the
//! library.

use pvctl::cli;
use pvctl::commands::{self, Status, complete};
use pvctl::terminal::{self, Terminal};
use std::process::ExitCode;

#[expect(clippy::disallowed_methods, reason = "only this function reads the command line")]
fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().collect();
    if let Some(words) = complete::requested(&arguments) {
        complete::run(words);
        return ExitCode::SUCCESS;
    }
    terminal::install_panic_hook();
    let cli = match cli::parse_for(arguments, terminal::help_width()) {
        Ok(cli) => cli,
        Err(outcome) => return terminal::print_parse_result(&outcome),
    };
    let terminal = Terminal::detect(cli.global.color);
    let code = commands::run(&cli, &terminal).map_or_else(
        |error| {
            terminal.error(&error);
            error.kind().exit_code()
        },
        Status::exit_code,
    );
    ExitCode::from(code)
}
