//! The arguments of `completion`.

use clap::{Args, ValueEnum};

/// The arguments of `completion`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "EXAMPLES\n  \
        kubectl pvctl completion bash > ~/.local/share/bash-completion/completions/kubectl-pvctl\n  \
        kubectl pvctl completion zsh > \"${fpath[1]}/_kubectl-pvctl\"\n  \
        kubectl pvctl completion fish > ~/.config/fish/completions/kubectl-pvctl.fish")]
pub struct CompletionArgs {
    /// The shell
    #[arg(value_enum)]
    pub shell: Shell,
}

/// The shells for which there are completion scripts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    /// GNU Bash.
    Bash,
    /// Z shell.
    Zsh,
    /// fish.
    Fish,
    /// PowerShell.
    #[value(name = "powershell")]
    PowerShell,
    /// Elvish.
    Elvish,
    /// Nushell.
    Nushell,
}
