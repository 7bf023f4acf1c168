//! The arguments of this program: options, `--`, then the shell with its arguments.

use core::ffi::CStr;

use crate::limits::Limits;
use crate::system::Arguments;

/// What the host wants, as far as it is known before the first packet.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Options {
    /// All of them.
    pub(crate) arguments: Arguments,
    /// The one that names the shell.
    pub(crate) shell: usize,
    /// What its processes together may use.
    pub(crate) limits: Limits,
    /// Whether to start a sandbox.
    pub(crate) sandbox: bool,
    /// Whether it has to be the full one.
    pub(crate) sandbox_required: bool,
    /// What a sandbox reaches.
    pub(crate) network: Network,
    /// The user that the program runs as, where it is another one. It is its group, too.
    pub(crate) user: Option<u32>,
}

/// What a command in a sandbox reaches.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Network {
    /// Nobody.
    #[default]
    None,
    /// What the host decides, by a proxy.
    Proxy,
    /// All that the host reaches.
    Host,
}

/// Options that name a place, any number of times (`name=path`):
///
/// - `directory`: where the command starts,
/// - `write`: may be written, `temporary`: the same, and is seen as `/tmp`,
/// - `read`: is seen though something is mounted above it,
/// - `keep`: cannot be moved away, `keep-link`: the same of a link, `protect`: cannot be written,
/// - `missing-file`, `missing-directory`: cannot be written, and does not exist,
/// - `unwanted`: is removed after the command.
const PLACES: [&[u8]; 10] = [
    b"directory",
    b"write",
    b"temporary",
    b"read",
    b"keep",
    b"keep-link",
    b"protect",
    b"missing-file",
    b"missing-directory",
    b"unwanted",
];

impl Options {
    /// Nothing when there is an option that this program does not know, or no shell.
    pub(crate) fn parse(arguments: Arguments) -> Option<Self> {
        let mut options = Self {
            arguments,
            shell: 1,
            limits: Limits::default(),
            sandbox: false,
            sandbox_required: false,
            network: Network::None,
            user: None,
        };
        loop {
            let option = arguments.get(options.shell)?.to_bytes();
            options.shell += 1;
            if option == b"--" {
                break;
            }
            let at = option.iter().position(|byte| *byte == b'=')?;
            options.take(option.get(..at)?, option.get(at + 1..)?)?;
        }
        arguments.get(options.shell)?;
        Some(options)
    }

    fn take(&mut self, name: &[u8], value: &[u8]) -> Option<()> {
        let limits = &mut self.limits;
        match name {
            b"memory-bytes" => limits.memory_bytes = Some(number(value)?),
            b"processor-seconds" => limits.processor_seconds = Some(number(value)?),
            b"processes" => limits.processes = Some(number(value)?),
            b"file-bytes" => limits.file_bytes = Some(number(value)?),
            b"user" => self.user = Some(u32::try_from(number(value)?).ok()?),
            b"sandbox" => {
                self.sandbox = true;
                self.sandbox_required = match value {
                    b"required" => true,
                    b"best-effort" => false,
                    _ => return None,
                };
            }
            b"network" => {
                self.network = match value {
                    b"none" => Network::None,
                    b"proxy" => Network::Proxy,
                    b"host" => Network::Host,
                    _ => return None,
                };
            }
            _ if PLACES.contains(&name) => {}
            _ => return None,
        }
        Some(())
    }

    /// The places that this option names.
    pub(crate) fn paths(&self, name: &'static [u8]) -> impl Iterator<Item = &'static CStr> + use<> {
        let arguments = self.arguments;
        (1..self.shell.saturating_sub(1)).filter_map(move |index| {
            let text = arguments.get(index)?.to_bytes_with_nul();
            let value = text.strip_prefix(name)?.strip_prefix(b"=")?;
            CStr::from_bytes_with_nul(value).ok()
        })
    }
}

fn number(digits: &[u8]) -> Option<u64> {
    core::str::from_utf8(digits).ok()?.parse().ok()
}
