//! The sandbox of a command, and the signs that it refused something.

use tenon_process::{
    CommandLimit, CommandLimits, LimitReached, SandboxLevel, SandboxNetwork, SandboxReport,
};

use super::{Execute, ExecuteOutput, ExecuteStatus};

/// The sandbox that a command ran in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InSandbox {
    /// What was reached of it.
    pub report: SandboxReport,
    /// Whether the workspace can be written.
    pub writable: bool,
    /// Whether it reaches what the host does.
    pub has_network: bool,
    /// Whether it reaches some hosts, by a proxy.
    pub has_proxy: bool,
    /// What of the output looks like a refusal by the sandbox.
    pub refused: Option<Refusal>,
}

/// A refusal that shows in the output of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refusal {
    /// The words of the system or of a program.
    pub sign: &'static str,
    /// Whether it is about the network, else it is about files and the system.
    pub of_network: bool,
}

/// What systems and programs say when something is refused, and whether that alone proves it: the others
/// are said for many reasons, so they count only of a command that failed.
const SIGNS: &[(&str, bool, bool)] = &[
    ("Read-only file system", false, true),
    ("EROFS", false, true),
    ("Operation not permitted", false, false),
    ("EPERM", false, false),
    ("operation not permitted", false, false),
    ("Device or resource busy", false, false),
    ("EBUSY", false, false),
    ("Permission denied", false, false),
    ("permission denied", false, false),
    ("EACCES", false, false),
    ("Bad system call", false, true),
    ("Network is unreachable", true, false),
    ("network is unreachable", true, false),
    ("ENETUNREACH", true, false),
    ("Could not resolve", true, false),
    ("could not resolve", true, false),
    ("Couldn't resolve", true, false),
    ("Temporary failure in name resolution", true, false),
    ("Name or service not known", true, false),
    ("nodename nor servname", true, false),
    ("no such host", true, false),
    ("EAI_AGAIN", true, false),
    ("ENOTFOUND", true, false),
    ("failed to lookup address", true, false),
    ("dns error", true, false),
    ("(`sandbox.network`)", true, true),
    ("response 403", true, false),
];

impl Execute {
    /// What is reported of the sandbox, if there was to be one.
    pub(super) fn in_sandbox(&self, report: Option<SandboxReport>) -> Option<InSandbox> {
        let sandbox = self.defaults.sandbox.as_deref()?;
        Some(InSandbox {
            report: report?,
            writable: sandbox.writable,
            has_network: matches!(sandbox.network, SandboxNetwork::Host),
            has_proxy: matches!(sandbox.network, SandboxNetwork::Proxy(_)),
            refused: None,
        })
    }
}

impl ExecuteOutput {
    /// Programs that ignore the signal of a file that grows too large say so instead.
    pub(super) fn note_file_limit(&mut self, limits: &CommandLimits) {
        let Some(value) = limits.file_bytes else {
            return;
        };
        let failed = self.status == ExecuteStatus::Failed && self.limit.is_none();
        let text = self.output.text();
        let said = ["File too large", "File size limit exceeded", "EFBIG"];
        if failed && said.iter().any(|sign| text.contains(sign)) {
            self.limit = Some(LimitReached {
                limit: CommandLimit::FileBytes,
                value,
            });
        }
    }

    /// Looks for signs that the sandbox refused something.
    pub(super) fn note_refusal(&mut self) {
        let text = self.output.text();
        let failed = self.status != ExecuteStatus::Completed;
        let signal = self.signal.as_deref() == Some("SIGSYS");
        let Some(sandbox) = &mut self.sandbox else {
            return;
        };
        if sandbox.report.level == SandboxLevel::None {
            return;
        }
        let has_network = sandbox.has_network;
        let seen = SIGNS.iter().find(|(sign, of_network, reports)| {
            (*reports || failed) && !(*of_network && has_network) && text.contains(sign)
        });
        sandbox.refused = match seen {
            Some((sign, of_network, _)) => Some(Refusal {
                sign,
                of_network: *of_network,
            }),
            None if signal => Some(Refusal {
                sign: "SIGSYS",
                of_network: false,
            }),
            None => None,
        };
    }
}
