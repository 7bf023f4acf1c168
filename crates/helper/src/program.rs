//! The way of the program: options, order to start, the shell, then the keeping.

use core::iter;

use crate::options::Options;
use crate::protocol::{Order, PACKET_MAX_BYTES, Report, StartStep};
use crate::sandbox;
use crate::shell::{Failure, Shell};
use crate::supervisor::Supervisor;
use crate::system::{
    Arguments, Descriptor, Errno, become_sub_reaper, block_all_signals, change_directory, close,
    receive, reset_signals, send, watch_children,
};
use crate::table::Table;

/// The host cannot be talked to.
const NOBODY_THERE: i32 = 64;
/// The host cannot be talked to, and if it could, no process could be kept here.
const UNABLE: i32 = 71;
/// The shell could not be started; the host was informed.
pub(crate) const NOT_STARTED: i32 = 70;

/// Does what this program is for, and says with which code to exit.
#[must_use]
pub fn run(arguments: Arguments) -> i32 {
    if let Some(answer) = arguments
        .get(1)
        .and_then(|word| sandbox::asked(word.to_bytes()))
    {
        return answer;
    }
    let mut buffer = [0; PACKET_MAX_BYTES];
    let Ok((packet, input)) = receive(Descriptor::CONTROL, &mut buffer, true) else {
        return alone();
    };
    let Some(Order::Start { terminal }) = Order::parse(packet) else {
        return NOBODY_THERE;
    };
    match prepared(arguments, input, terminal) {
        Ok(shell) if shell.options.sandbox => sandbox::keep(&shell),
        Ok(shell) => match start(&shell) {
            Ok(supervisor) => supervisor.keep(),
            Err(failure) => {
                report_failure(failure);
                NOT_STARTED
            }
        },
        Err(failure) => {
            report_failure(failure);
            NOT_STARTED
        }
    }
}

/// The answer to a host that only tries whether this program runs: qemu-user, for one, has no sub-reapers.
fn alone() -> i32 {
    match become_sub_reaper().and_then(|()| watch_children()) {
        Ok(_) => NOBODY_THERE,
        Err(_) => UNABLE,
    }
}

pub(crate) fn report_failure(Failure { step, errno }: Failure) {
    report(Report::Failed {
        step,
        errno: errno.0,
    });
}

pub(crate) fn report(report: Report<'_>) {
    // If the host has gone, nobody wants to know.
    let _ = send(Descriptor::CONTROL, report.packet(iter::empty()).bytes());
}

fn prepared(
    arguments: Arguments,
    input: Option<Descriptor>,
    terminal: bool,
) -> Result<Shell, Failure> {
    let prepare = || Failure::at(StartStep::Prepare);
    reset_signals();
    let arguments = arguments.hidden().map_err(prepare())?;
    let options = Options::parse(arguments).ok_or(Failure {
        step: StartStep::Options,
        errno: Errno::INVALID,
    })?;
    Ok(Shell {
        options,
        input,
        terminal,
        signals: block_all_signals().map_err(prepare())?,
        confinement: None,
        processes_outside: None,
    })
}

/// Starts the shell as a child of this process, which keeps what comes of it.
pub(crate) fn start(shell: &Shell) -> Result<Supervisor, Failure> {
    let prepare = || Failure::at(StartStep::Prepare);
    become_sub_reaper().map_err(prepare())?;
    let children = watch_children().map_err(prepare())?;
    let table = Table::new().map_err(prepare())?;
    let started = shell.start()?;
    // What stays open here would keep the command's readers and writers waiting, and a directory in use.
    [
        Some(Descriptor::OUTPUT),
        Some(Descriptor::ERROR),
        shell.input,
    ]
    .into_iter()
    .flatten()
    .for_each(close);
    // There is no system without a root directory; if there were, the directory would merely be held.
    let _ = change_directory(c"/");
    Ok(Supervisor::new(started, children, table, &shell.options))
}
