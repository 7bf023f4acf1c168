//! The way of the program: options, order to start, the shell, then the keeping.

use crate::keeper::Keeper;
use crate::options::Options;
use crate::protocol::{Order, PACKET_MAX_BYTES, Report, Step};
use crate::shell::{Failure, Shell};
use crate::system::{
    Arguments, Descriptor, Errno, become_sub_reaper, block_all_signals, change_folder, close,
    receive, send, watch_children,
};
use crate::table::Table;

/// The host cannot be talked to.
const NOBODY_THERE: i32 = 64;
/// The shell could not be started; the host was told.
const NOT_STARTED: i32 = 70;

/// Does what this program is for, and says with which code to exit.
#[must_use]
pub fn run(arguments: Arguments) -> i32 {
    let mut buffer = [0; PACKET_MAX_BYTES];
    let Ok((packet, input)) = receive(Descriptor::CONTROL, &mut buffer, true) else {
        return NOBODY_THERE;
    };
    let Some(Order::Start { terminal }) = Order::parse(packet) else {
        return NOBODY_THERE;
    };
    match start(arguments, input, terminal) {
        Ok(keeper) => keeper.keep(),
        Err(Failure { step, errno }) => {
            let report = Report::Failed {
                step,
                errno: errno.0,
            };
            // If the host has gone, nobody wants to know.
            let _ = send(
                Descriptor::CONTROL,
                report.packet(core::iter::empty()).bytes(),
            );
            NOT_STARTED
        }
    }
}

fn start(
    arguments: Arguments,
    input: Option<Descriptor>,
    terminal: bool,
) -> Result<Keeper, Failure> {
    let prepare = || Failure::at(Step::Prepare);
    let arguments = arguments.hidden().map_err(prepare())?;
    let options = Options::parse(&arguments).ok_or(Failure {
        step: Step::Options,
        errno: Errno::INVALID,
    })?;
    let signals = block_all_signals().map_err(prepare())?;
    become_sub_reaper().map_err(prepare())?;
    let children = watch_children().map_err(prepare())?;
    let table = Table::new().map_err(prepare())?;
    let shell = Shell {
        arguments,
        program: options.shell,
        input,
        terminal,
        signals,
    };
    let pid = shell.start()?;
    // What stays open here would keep the command's readers and writers waiting, and a folder in use.
    [Some(Descriptor::OUTPUT), Some(Descriptor::ERROR), input]
        .into_iter()
        .flatten()
        .for_each(close);
    // There is no system without a root folder; if there were, the folder would merely be held.
    let _ = change_folder(c"/");
    Ok(Keeper::new(pid, children, table))
}
