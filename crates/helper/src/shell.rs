//! The process of the shell: what is done in it before it becomes the shell.

use crate::options::Options;
use crate::program;
use crate::protocol::{Report, StartStep};
use crate::sandbox::{self, Level};
use crate::system::{
    Descriptor, Errno, OpenFor, Pid, SignalMask, become_session_leader, become_user,
    change_directory, close, die_with_parent, duplicate, execute, exit, fork, open, own_pid,
    parent_pid, reserve_shared, restore_signals, take_terminal,
};

/// What the shell is given.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shell {
    /// What the host wants; it names the shell.
    pub(crate) options: Options,
    /// Its standard input; else `/dev/null`.
    pub(crate) input: Option<Descriptor>,
    /// Whether that is the terminal of its session.
    pub(crate) terminal: bool,
    /// The signals that were held back when this program was started.
    pub(crate) signals: SignalMask,
    /// The sandbox that binds it.
    pub(crate) confinement: Option<Level>,
    /// The `/proc` of the host, where this process is in another namespace.
    pub(crate) processes_outside: Option<Descriptor>,
}

/// A shell that runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct StartedShell {
    pub(crate) pid: Pid,
    /// Its number in the namespace of the host.
    pub(crate) outside: u32,
}

/// A step that failed, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) step: StartStep,
    pub(crate) errno: Errno,
}

impl Failure {
    pub(crate) fn at(step: StartStep) -> impl FnOnce(Errno) -> Self {
        move |errno| Self { step, errno }
    }
}

impl Shell {
    /// Starts it. It runs when this returns.
    pub(crate) fn start(&self) -> Result<StartedShell, Failure> {
        // The child writes here what failed, step and error number, and its number outside.
        let reported = reserve_shared::<u32>(3).map_err(Failure::at(StartStep::Prepare))?;
        let supervisor = own_pid();
        let Some(pid) = fork(0).map_err(Failure::at(StartStep::Fork))? else {
            let pid = self.own_number_outside();
            program::report(Report::Forked { pid });
            if let Some(place) = reported.get_mut(2) {
                *place = pid;
            }
            let failure = self.become_shell(supervisor);
            if let [step, errno, _] = reported {
                *step = failure.step as u32;
                *errno = failure.errno.0;
            }
            exit(127);
        };
        match reported {
            [0, _, outside] => Ok(StartedShell {
                pid,
                outside: match *outside {
                    0 => pid.unsigned_abs(),
                    outside => outside,
                },
            }),
            [step, errno, _] => Err(Failure {
                step: StartStep::of(*step).unwrap_or(StartStep::Execute),
                errno: Errno(*errno),
            }),
            _ => Err(Failure {
                step: StartStep::Prepare,
                errno: Errno::INVALID,
            }),
        }
    }

    /// The number of this process in the namespace of the host; 0 when it cannot be read.
    fn own_number_outside(&self) -> u32 {
        let number = match self.processes_outside {
            Some(processes) => sandbox::number_in(processes).unwrap_or(0),
            None => own_pid(),
        };
        number.unsigned_abs()
    }

    /// Returns only on failure.
    fn become_shell(&self, supervisor: Pid) -> Failure {
        match self.prepare(supervisor) {
            Ok(()) => Failure {
                step: StartStep::Execute,
                errno: execute(&self.options.arguments, self.options.shell),
            },
            Err(failure) => failure,
        }
    }

    fn prepare(&self, supervisor: Pid) -> Result<(), Failure> {
        let input = Failure::at(StartStep::Input);
        become_session_leader().map_err(Failure::at(StartStep::Prepare))?;
        die_with_parent().map_err(Failure::at(StartStep::Prepare))?;
        if parent_pid() != supervisor {
            // It was killed before it could be said that its child is to follow.
            exit(127);
        }
        let source = match self.input {
            Some(source) => source,
            None => open(Descriptor::HERE, c"/dev/null", OpenFor::Reading).map_err(input)?,
        };
        // In the place of the socket to the host, which is of no business to the command.
        duplicate(source, Descriptor::CONTROL, true).map_err(Failure::at(StartStep::Input))?;
        close(source);
        if self.terminal {
            take_terminal(Descriptor::CONTROL).map_err(Failure::at(StartStep::Input))?;
        }
        let limits = &self.options.limits;
        limits.bind().map_err(Failure::at(StartStep::Prepare))?;
        if let Some(user) = self.options.user {
            become_user(user).map_err(Failure::at(StartStep::Prepare))?;
            // The change of the user has undone it.
            die_with_parent().map_err(Failure::at(StartStep::Prepare))?;
            if parent_pid() != supervisor {
                exit(127);
            }
        }
        let Some(level) = self.confinement else {
            return restore_signals(self.signals).map_err(Failure::at(StartStep::Prepare));
        };
        for directory in self.options.paths(b"directory") {
            // The current one is still that of the host's view.
            change_directory(directory).map_err(Failure::at(StartStep::Directory))?;
        }
        sandbox::bind_files(&self.options, level)?;
        restore_signals(self.signals).map_err(Failure::at(StartStep::Prepare))?;
        sandbox::bind(&self.options, level)
    }
}
