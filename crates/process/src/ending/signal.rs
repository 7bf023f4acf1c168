//! What is sent to processes, and the names of signals.

/// One step of ending processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Push {
    /// Asks to end (`SIGTERM`).
    Terminate,
    /// Lets a stopped process continue, so that it can obey (`SIGCONT`).
    Resume,
    /// Holds it, so that it starts nothing new (`SIGSTOP`).
    Stop,
    /// Ends it (`SIGKILL`).
    Kill,
}

#[cfg(unix)]
impl Push {
    pub(crate) const fn signal(self) -> rustix::process::Signal {
        use rustix::process::Signal;
        match self {
            Self::Terminate => Signal::TERM,
            Self::Resume => Signal::CONT,
            Self::Stop => Signal::STOP,
            Self::Kill => Signal::KILL,
        }
    }
}

/// The usual name of a signal, such as `SIGTERM`; a real-time signal by its number.
#[cfg(unix)]
pub(crate) fn name(number: i32) -> String {
    use rustix::process::Signal;
    const NAMES: [(Signal, &str); 29] = [
        (Signal::HUP, "SIGHUP"),
        (Signal::INT, "SIGINT"),
        (Signal::QUIT, "SIGQUIT"),
        (Signal::ILL, "SIGILL"),
        (Signal::TRAP, "SIGTRAP"),
        (Signal::ABORT, "SIGABRT"),
        (Signal::BUS, "SIGBUS"),
        (Signal::FPE, "SIGFPE"),
        (Signal::KILL, "SIGKILL"),
        (Signal::USR1, "SIGUSR1"),
        (Signal::SEGV, "SIGSEGV"),
        (Signal::USR2, "SIGUSR2"),
        (Signal::PIPE, "SIGPIPE"),
        (Signal::ALARM, "SIGALRM"),
        (Signal::TERM, "SIGTERM"),
        (Signal::CHILD, "SIGCHLD"),
        (Signal::CONT, "SIGCONT"),
        (Signal::STOP, "SIGSTOP"),
        (Signal::TSTP, "SIGTSTP"),
        (Signal::TTIN, "SIGTTIN"),
        (Signal::TTOU, "SIGTTOU"),
        (Signal::URG, "SIGURG"),
        (Signal::XCPU, "SIGXCPU"),
        (Signal::XFSZ, "SIGXFSZ"),
        (Signal::VTALARM, "SIGVTALRM"),
        (Signal::PROF, "SIGPROF"),
        (Signal::WINCH, "SIGWINCH"),
        (Signal::IO, "SIGIO"),
        (Signal::SYS, "SIGSYS"),
    ];
    NAMES
        .iter()
        .find(|(signal, _)| signal.as_raw() == number)
        .map_or_else(
            || format!("signal {number}"),
            |(_, name)| (*name).to_owned(),
        )
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn signals_have_their_usual_names_and_others_their_number() {
        assert_eq!(
            [name(9), name(15), name(11), name(40)],
            ["SIGKILL", "SIGTERM", "SIGSEGV", "signal 40"]
        );
    }
}
