//! The arguments of this program: options, `--`, then the shell with its arguments.

use crate::system::Arguments;

/// What the host wants, as far as it is known before the first packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Options {
    /// The argument that names the shell.
    pub(crate) shell: usize,
}

impl Options {
    /// Nothing when there is an option that this program does not know, or no shell.
    pub(crate) fn parse(arguments: &Arguments) -> Option<Self> {
        let separator = 1;
        if arguments.get(separator)?.to_bytes() != b"--" {
            return None;
        }
        let shell = separator + 1;
        arguments.get(shell).map(|_| Self { shell })
    }
}
