//! The sandbox: a command sees the system, can write little of it, and reaches nobody.
//!
//! At the *full* level this program makes a child in namespaces of its own, which becomes the first
//! process of the new namespace of processes, builds the view of the system, gives up every
//! capability, and then keeps the command as ever. When it ends, the kernel ends all the others. This
//! process waits for it and clears up. Where there are no namespaces for this user, Landlock and the
//! filter of system calls remain.

mod filter;
mod placeholders;
mod rights;
mod view;

use crate::options::{Network, Options};
use crate::program::{self, NOT_STARTED};
use crate::protocol::{Report, StartStep};
use crate::shell::{Failure, Shell};
use crate::system::{
    Descriptor, Errno, Namespaces, OpenFor, Pid, close, die_with_parent, drop_capabilities, exit,
    filter_calls, forbid_looking_in, forbid_new_privileges, fork_into, listen_on_loopback, open,
    open_to_write, pipe, raise_loopback, read, reserve_shared, send_with, user_and_group, wait_for,
    write,
};
use placeholders::Placeholders;
pub(crate) use rights::version as landlock_version;

/// The port of the proxy inside.
const PROXY_PORT: u16 = 3128;

/// What was reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Level {
    None = 0,
    Landlock = 1,
    Full = 2,
}

/// Answers by its exit code what this kernel offers, to the one who asks, in one word: `landlock` for its
/// version, `namespaces` for 0 or the number of the error.
pub(crate) fn asked(word: &[u8]) -> Option<i32> {
    let code = |number: u32| i32::try_from(number).unwrap_or(i32::MAX);
    match word {
        b"landlock" => Some(code(landlock_version())),
        b"namespaces" => {
            let (user, _) = user_and_group();
            let namespaces = Namespaces {
                users: user != 0,
                network: true,
            };
            Some(match fork_into(namespaces) {
                Ok(None) => exit(0),
                Ok(Some(child)) => wait_for(child).map_or(1, |_| 0),
                Err(errno) => code(errno.0),
            })
        }
        _ => None,
    }
}

/// Keeps the command in the best sandbox that there is, or, where the full one is required and
/// cannot be had, starts nothing. The exit code.
pub(crate) fn keep(shell: &Shell) -> i32 {
    match in_namespaces(shell) {
        Ok(code) => code,
        Err(failure) if shell.options.sandbox_required => {
            program::report_failure(failure);
            NOT_STARTED
        }
        Err(failure) => by_landlock(shell, failure),
    }
}

/// An error when nothing was started and nothing is left.
fn in_namespaces(shell: &Shell) -> Result<i32, Failure> {
    let options = &shell.options;
    let placeholders = Placeholders::make(options).map_err(Failure::at(StartStep::Placeholders))?;
    let (user, group) = user_and_group();
    // The root user of the system needs no namespace of users; that of a container may.
    let tries: &[bool] = if user == 0 { &[false, true] } else { &[true] };
    let mut kept = Err(Failure {
        step: StartStep::Namespaces,
        errno: Errno::INVALID,
    });
    for users in tries {
        let namespaces = Namespaces {
            users: *users,
            network: options.network != Network::Host,
        };
        kept = attempt(shell, namespaces, (user, group));
        if kept.is_ok() {
            break;
        }
    }
    placeholders.remove(options);
    kept
}

fn attempt(shell: &Shell, namespaces: Namespaces, identity: (u32, u32)) -> Result<i32, Failure> {
    let prepare = || Failure::at(StartStep::Namespaces);
    let reported = reserve_shared::<u32>(2).map_err(prepare())?;
    let (reader, writer) = pipe().map_err(prepare())?;
    let child = match fork_into(namespaces) {
        Ok(Some(child)) => child,
        Ok(None) => {
            close(reader);
            let code = match inside(shell, namespaces, identity, writer) {
                Ok(code) => code,
                Err(failure) => {
                    if let [step, errno] = reported {
                        *step = failure.step as u32;
                        *errno = failure.errno.0;
                    }
                    NOT_STARTED
                }
            };
            exit(code)
        }
        Err(errno) => {
            close(reader);
            close(writer);
            return Err(Failure {
                step: StartStep::Namespaces,
                errno,
            });
        }
    };
    close(writer);
    let started = read(reader, &mut [0; 1]).is_ok_and(|read| !read.is_empty());
    close(reader);
    if started {
        // What stays open here would keep the command's readers and writers waiting.
        [
            Some(Descriptor::OUTPUT),
            Some(Descriptor::ERROR),
            shell.input,
        ]
        .into_iter()
        .flatten()
        .for_each(close);
    }
    let status = wait_for(child).map_err(prepare())?;
    match reported {
        [step, errno] if *step != 0 => Err(Failure {
            step: StartStep::of(*step).unwrap_or(StartStep::Namespaces),
            errno: Errno(*errno),
        }),
        // The exit code, or anything else for one that was killed.
        _ => Ok(i32::from(u8::try_from(status >> 8 & 0xff).unwrap_or(1))),
    }
}

/// The first process of the namespaces. An error when nothing was started.
fn inside(
    shell: &Shell,
    namespaces: Namespaces,
    identity: (u32, u32),
    started: Descriptor,
) -> Result<i32, Failure> {
    let options = &shell.options;
    die_with_parent().map_err(Failure::at(StartStep::Namespaces))?;
    if namespaces.users {
        remain(identity).map_err(Failure::at(StartStep::Users))?;
    }
    // By it the shell finds out which number it has outside.
    let processes_outside = open(Descriptor::HERE, c"/proc", OpenFor::Directory)
        .map_err(Failure::at(StartStep::Processes))?;
    view::enter(options)?;
    let mut proxy = None;
    if namespaces.network {
        raise_loopback().map_err(Failure::at(StartStep::Loopback))?;
        if options.network == Network::Proxy {
            proxy = Some(listen_on_loopback(PROXY_PORT).map_err(Failure::at(StartStep::Loopback))?);
        }
    }
    let give_up = || Failure::at(StartStep::Capabilities);
    drop_capabilities().map_err(give_up())?;
    forbid_new_privileges().map_err(give_up())?;
    forbid_looking_in().map_err(give_up())?;
    // Both are cleared by what was given up.
    die_with_parent().map_err(give_up())?;
    let confined = Shell {
        confinement: Some(Level::Full),
        processes_outside: Some(processes_outside),
        ..*shell
    };
    let kept = program::start(&confined);
    close(processes_outside);
    match kept {
        Ok(supervisor) => {
            report(Level::Full, None);
            if let Some(listener) = proxy {
                let packet = Report::Listening.packet(core::iter::empty());
                // A host that has gone is noticed by the supervisor.
                let _ = send_with(Descriptor::CONTROL, packet.bytes(), listener);
                close(listener);
            }
            has_started(started);
            Ok(supervisor.keep())
        }
        Err(failure) if failure.step.is_of_sandbox() => Err(failure),
        Err(failure) => {
            has_started(started);
            program::report_failure(failure);
            Ok(NOT_STARTED)
        }
    }
}

fn has_started(started: Descriptor) {
    // The other end waits for it; if it is gone, so is this process.
    let _ = write(started, b"1");
    close(started);
}

/// In a new namespace of users this user is nobody, until it says who it is: the same as before.
fn remain((user, group): (u32, u32)) -> Result<(), Errno> {
    let put = |path, text: &[u8]| -> Result<(), Errno> {
        let file = open_to_write(path)?;
        let written = write(file, text);
        close(file);
        written
    };
    let mut line = [0; 32];
    put(c"/proc/self/setgroups", b"deny")?;
    put(c"/proc/self/uid_map", mapped(user, &mut line))?;
    put(c"/proc/self/gid_map", mapped(group, &mut line))
}

/// `ID ID 1`
fn mapped(id: u32, line: &mut [u8; 32]) -> &[u8] {
    let mut digits = [0; 12];
    let digits = crate::table::decimal(id, &mut digits);
    let parts = [digits, b" ", digits, b" 1"];
    let mut length = 0;
    for byte in parts.into_iter().flatten() {
        if let Some(place) = line.get_mut(length) {
            *place = *byte;
            length += 1;
        }
    }
    line.get(..length).unwrap_or_default()
}

/// What remains without namespaces.
fn by_landlock(shell: &Shell, why: Failure) -> i32 {
    let level = if landlock_version() == 0 {
        Level::None
    } else {
        Level::Landlock
    };
    let started = drop_capabilities()
        .and_then(|()| forbid_new_privileges())
        .map_err(Failure::at(StartStep::Capabilities))
        .and_then(|()| {
            program::start(&Shell {
                confinement: Some(level),
                ..*shell
            })
        });
    match started {
        Ok(supervisor) => {
            report(level, Some(why));
            supervisor.keep()
        }
        Err(failure) => {
            program::report_failure(failure);
            NOT_STARTED
        }
    }
}

fn report(level: Level, why_not_more: Option<Failure>) {
    let report = Report::Sandboxed {
        level: level as u32,
        step: why_not_more.map(|failure| failure.step),
        errno: why_not_more.map_or(0, |failure| failure.errno.0),
        landlock: landlock_version(),
    };
    program::report(report);
}

/// Binds the process that is about to become the shell. Nothing but that may follow.
pub(crate) fn bind(options: &Options, level: Level) -> Result<(), Failure> {
    let internet = level == Level::Full || options.network == Network::Host;
    filter_calls(filter::Filter::new(internet).instructions())
        .map_err(Failure::at(StartStep::Filter))
}

/// The same for its files. It still has to reach what it needs to start.
pub(crate) fn bind_files(options: &Options, level: Level) -> Result<(), Failure> {
    if level == Level::None {
        return Ok(());
    }
    rights::bind(options, level).map_err(Failure::at(StartStep::Landlock))
}

/// Which number this process has in the namespace of that `/proc`.
pub(crate) fn number_in(processes: Descriptor) -> Option<Pid> {
    let mut buffer = [0; 16];
    let digits = crate::system::read_link(processes, c"self", &mut buffer).ok()?;
    core::str::from_utf8(digits).ok()?.parse().ok()
}
