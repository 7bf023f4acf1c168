//! How commands are kept apart from the terminal and the signals of the host, and kept together.

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
#[cfg(target_os = "linux")]
use std::process::Stdio;
#[cfg(target_os = "linux")]
use std::sync::{Arc, OnceLock};

#[cfg(target_os = "linux")]
use tenon_contract::shortage;

/// How commands are kept apart from the terminal and the signals of the host.
#[derive(Debug, Clone)]
pub(crate) enum Isolation {
    /// A process group of its own. Enough where the host has no terminal, since only the leader
    /// of a session can get one.
    Group,
    /// A session of its own, by this `setsid` program: the host has a terminal, and a prompt on
    /// `/dev/tty` would stop the command until its time is up.
    #[cfg_attr(not(unix), expect(dead_code, reason = "there are no sessions"))]
    Session(PathBuf),
    /// The helper at this path, which begins the session.
    #[cfg(target_os = "linux")]
    Helper(HelperProgram),
}

/// The helper program, which may turn out not to run here.
#[cfg(target_os = "linux")]
#[derive(Debug, Clone)]
pub(crate) struct HelperProgram {
    path: PathBuf,
    runs: Arc<OnceLock<bool>>,
}

#[cfg(target_os = "linux")]
impl HelperProgram {
    /// What it answers when it is started without a host to talk to (`NOBODY_THERE`).
    const ALONE: i32 = 64;

    fn new(path: &Path) -> Self {
        Self {
            path: path.into(),
            runs: Arc::default(),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it runs on this machine: it may lack its executable bit, lie on a file system that
    /// forbids programs, be of another architecture, or run under an emulator that has not what it
    /// needs. Tried once, in a fifth of a millisecond, and again where the system had no process or descriptor for that:
    /// the start of the command then says so.
    fn runs(&self) -> bool {
        if let Some(runs) = self.runs.get() {
            return *runs;
        }
        let tried = Command::new(&self.path)
            .env_clear()
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        if tried.as_ref().is_err_and(|error| shortage(error).is_some()) {
            return true;
        }
        let runs = tried.is_ok_and(|status| status.code() == Some(Self::ALONE));
        *self.runs.get_or_init(|| runs)
    }
}

impl Isolation {
    /// What this host has. Without a helper, where there is a terminal but no `setsid` program is
    /// found, a process group has to do.
    #[cfg_attr(
        not(target_os = "linux"),
        expect(unused_variables, reason = "there is no helper")
    )]
    pub(crate) fn of_this_host(helper: Option<&Path>) -> Self {
        #[cfg(target_os = "linux")]
        if let Some(helper) = helper {
            return Self::Helper(HelperProgram::new(helper));
        }
        #[cfg(unix)]
        if std::fs::File::open("/dev/tty").is_ok() {
            return Self::with_session();
        }
        Self::Group
    }

    #[cfg(unix)]
    pub(crate) fn with_session() -> Self {
        crate::output::channels::setsid_program().map_or(Self::Group, Self::Session)
    }

    /// This one, or, where there is a helper that does not run, what is left without it.
    pub(crate) fn usable(&self) -> Cow<'_, Self> {
        #[cfg(target_os = "linux")]
        if let Self::Helper(helper) = self
            && !helper.runs()
        {
            return Cow::Owned(Self::of_this_host(None));
        }
        Cow::Borrowed(self)
    }

    pub(crate) const fn has_helper(&self) -> bool {
        #[cfg(target_os = "linux")]
        return matches!(self, Self::Helper(_));
        #[cfg(not(target_os = "linux"))]
        false
    }

    /// `options` are those of the helper; there are none without one.
    #[cfg_attr(
        not(target_os = "linux"),
        expect(unused_variables, reason = "there is no helper")
    )]
    pub(crate) fn command(&self, shell: &Path, options: &[OsString]) -> Command {
        match self {
            Self::Group => {
                let mut command = Command::new(shell);
                #[cfg(unix)]
                std::os::unix::process::CommandExt::process_group(&mut command, 0);
                // No console window.
                #[cfg(windows)]
                std::os::windows::process::CommandExt::creation_flags(&mut command, 0x0800_0000);
                command
            }
            // Not a leader of a group, so that `setsid` need not fork: its process is the shell.
            Self::Session(setsid) => {
                let mut command = Command::new(setsid);
                command.arg(shell);
                command
            }
            // A group of its own, so that it is not ended with that of the host.
            #[cfg(target_os = "linux")]
            Self::Helper(helper) => {
                let mut command = Command::new(&helper.path);
                std::os::unix::process::CommandExt::process_group(&mut command, 0);
                command.args(options).arg("--").arg(shell);
                command
            }
        }
    }
}
