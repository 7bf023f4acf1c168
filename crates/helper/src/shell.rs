//! The process of the shell: what is done in it before it becomes the shell.

use crate::protocol::Step;
use crate::system::{
    Arguments, Descriptor, Errno, OpenFor, Pid, SignalMask, become_session_leader, close,
    die_with_parent, duplicate, execute, exit, fork, open, own_pid, parent_pid, reserve_shared,
    restore_signals, take_terminal,
};

/// What the shell is given.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shell {
    pub(crate) arguments: Arguments,
    /// The argument that names it.
    pub(crate) program: usize,
    /// Its standard input; else `/dev/null`.
    pub(crate) input: Option<Descriptor>,
    /// Whether that is the terminal of its session.
    pub(crate) terminal: bool,
    /// The signals that were held back when this program was started.
    pub(crate) signals: SignalMask,
}

/// A step that failed, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) step: Step,
    pub(crate) errno: Errno,
}

impl Failure {
    pub(crate) fn at(step: Step) -> impl FnOnce(Errno) -> Self {
        move |errno| Self { step, errno }
    }
}

impl Shell {
    /// Starts it. It runs when this returns.
    pub(crate) fn start(&self) -> Result<Pid, Failure> {
        // The child writes here what failed: step and error number.
        let told = reserve_shared::<u32>(2).map_err(Failure::at(Step::Prepare))?;
        let keeper = own_pid();
        let Some(pid) = fork(0).map_err(Failure::at(Step::Fork))? else {
            let failure = self.become_shell(keeper);
            if let [step, errno] = told {
                *step = failure.step as u32;
                *errno = failure.errno.0;
            }
            exit(127);
        };
        match told {
            [0, _] => Ok(pid),
            [step, errno] => Err(Failure {
                step: Step::of(*step).unwrap_or(Step::Execute),
                errno: Errno(*errno),
            }),
            _ => Ok(pid),
        }
    }

    /// Returns only on failure.
    fn become_shell(&self, keeper: Pid) -> Failure {
        match self.prepare(keeper) {
            Ok(()) => Failure {
                step: Step::Execute,
                errno: execute(&self.arguments, self.program),
            },
            Err(failure) => failure,
        }
    }

    fn prepare(&self, keeper: Pid) -> Result<(), Failure> {
        let input = Failure::at(Step::Input);
        become_session_leader().map_err(Failure::at(Step::Prepare))?;
        die_with_parent().map_err(Failure::at(Step::Prepare))?;
        if parent_pid() != keeper {
            // It was killed before it could be said that its child is to follow.
            exit(127);
        }
        let source = match self.input {
            Some(source) => source,
            None => open(Descriptor::HERE, c"/dev/null", OpenFor::Reading).map_err(input)?,
        };
        // In the place of the socket to the host, which is of no business to the command.
        duplicate(source, Descriptor::CONTROL, true).map_err(Failure::at(Step::Input))?;
        close(source);
        if self.terminal {
            take_terminal(Descriptor::CONTROL).map_err(Failure::at(Step::Input))?;
        }
        restore_signals(self.signals).map_err(Failure::at(Step::Prepare))
    }
}
