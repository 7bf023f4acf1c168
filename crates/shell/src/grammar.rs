use std::fmt;

/// The shell whose reading of a text is wanted.
///
/// The two read the same text differently: `((` is arithmetic for bash and two subshells for dash, `a &> b` is one
/// command for bash and two for dash. Who decides from the findings reads a text in both dialects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ShellGrammar {
    /// GNU bash 5.2, not interactive, not in its POSIX mode.
    Bash,
    /// Debian's dash 0.5.12, which stands for a POSIX `sh`.
    Dash,
}

impl ShellGrammar {
    /// Both dialects, bash first.
    pub const ALL: [Self; 2] = [Self::Bash, Self::Dash];

    pub(crate) fn is_bash(self) -> bool {
        self == Self::Bash
    }
}

impl fmt::Display for ShellGrammar {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Bash => "bash",
            Self::Dash => "dash",
        })
    }
}
