//! `completion`: the completion scripts of the shells, generated from the definition of the command line.

use super::Status;
use crate::cli::{self, BINARY, CompletionArgs, Shell};
use crate::error::Error;
use crate::terminal::Terminal;
use clap_complete::{Shell as ClapShell, generate};

/// The script that kubectl runs to complete `kubectl pvctl <TAB>`. kubectl looks for an executable named
/// `kubectl_complete-pvctl`, passes the words after the plugin's name, and reads the output of `__complete`.
pub const SHIM: &str = "#!/bin/sh\nexec kubectl pvctl __complete \"$@\"\n";

/// The file names of the scripts and of the shim in the repository and in packages.
pub const FILES: [(&str, Option<Shell>); 7] = [
    ("kubectl-pvctl.bash", Some(Shell::Bash)),
    ("_kubectl-pvctl", Some(Shell::Zsh)),
    ("kubectl-pvctl.fish", Some(Shell::Fish)),
    ("_kubectl-pvctl.ps1", Some(Shell::PowerShell)),
    ("kubectl-pvctl.elv", Some(Shell::Elvish)),
    ("kubectl-pvctl.nu", Some(Shell::Nushell)),
    ("kubectl_complete-pvctl", None),
];

/// Returns the completion script of a shell.
pub fn script(shell: Shell) -> Vec<u8> {
    let mut command = cli::command();
    let mut script = Vec::new();
    let shell = match shell {
        Shell::Bash => ClapShell::Bash,
        Shell::Zsh => ClapShell::Zsh,
        Shell::Fish => ClapShell::Fish,
        Shell::PowerShell => ClapShell::PowerShell,
        Shell::Elvish => ClapShell::Elvish,
        Shell::Nushell => {
            generate(clap_complete_nushell::Nushell, &mut command, BINARY, &mut script);
            return script;
        }
    };
    generate(shell, &mut command, BINARY, &mut script);
    script
}

/// Prints the completion script.
pub(super) fn run(args: &CompletionArgs, terminal: &Terminal) -> Result<Status, Error> {
    let mut output = terminal.output();
    output.print(&String::from_utf8_lossy(&script(args.shell)))?;
    output.finish()?;
    Ok(Status::Done)
}
