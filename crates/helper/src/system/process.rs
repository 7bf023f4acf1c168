//! Processes and signals.
#![allow(unsafe_code, reason = "system calls are made here")]

use core::ffi::CStr;
use core::ptr;

use linux_raw_sys::general::{
    __NR_chdir, __NR_clock_gettime, __NR_clone, __NR_execve, __NR_exit_group, __NR_getpid,
    __NR_getppid, __NR_getrusage, __NR_ioctl, __NR_kill, __NR_pidfd_open, __NR_pidfd_send_signal,
    __NR_prctl, __NR_prlimit64, __NR_rt_sigaction, __NR_rt_sigprocmask, __NR_setsid,
    __NR_signalfd4, __NR_wait4, __WALL, __kernel_timespec, CLOCK_MONOTONIC, CLONE_VFORK, O_CLOEXEC,
    O_NONBLOCK, RLIMIT_CPU, RLIMIT_FSIZE, RUSAGE_CHILDREN, SIG_SETMASK, SIGCHLD, SIGKILL, WNOHANG,
    rlimit64,
};
use linux_raw_sys::prctl::{PR_SET_CHILD_SUBREAPER, PR_SET_PDEATHSIG};

use super::arguments::Arguments;
use super::call::{Errno, call, signed};
use super::file::Descriptor;

/// Makes a terminal the controlling one (ioctl_tty(2)).
const TIOCSCTTY: usize = 0x540E;

/// The number of a process.
pub(crate) type Pid = i32;

/// Ends this process with all its threads.
pub fn exit(code: i32) -> ! {
    loop {
        // SAFETY: touches no memory and does not return.
        let _ = unsafe { call(__NR_exit_group, [signed(code)]) };
    }
}

fn pid_of(result: usize) -> Pid {
    // The kernel's own type is an `int`.
    Pid::try_from(result).unwrap_or(0)
}

pub(crate) fn own_pid() -> Pid {
    // SAFETY: touches no memory; always succeeds.
    unsafe { call(__NR_getpid, []) }.map_or(0, pid_of)
}

/// 0 when the parent lives in another PID namespace.
pub(crate) fn parent_pid() -> Pid {
    // SAFETY: touches no memory; always succeeds.
    unsafe { call(__NR_getppid, []) }.map_or(0, pid_of)
}

/// Makes a child, which returns here too, with `None`. This process continues when the child has
/// executed a program or has ended.
pub(crate) fn fork(flags: u32) -> Result<Option<Pid>, Errno> {
    let flags = (SIGCHLD | CLONE_VFORK | flags) as usize;
    // SAFETY: without `CLONE_VM` the child has a copy of all memory, this stack included.
    let child = unsafe { call(__NR_clone, [flags, 0, 0, 0, 0])? };
    Ok((child != 0).then(|| pid_of(child)))
}

/// Becomes another program: the one named by the argument at `program`, with those behind it.
/// Returns only on failure.
pub(crate) fn execute(arguments: &Arguments, program: usize) -> Errno {
    let Some(path) = arguments.get(program) else {
        return Errno::INVALID;
    };
    let arguments = [
        path.as_ptr().expose_provenance(),
        arguments.pointers_from(program).expose_provenance(),
        arguments.environment().expose_provenance(),
    ];
    // SAFETY: a text that ends in NUL, and two lists of such that end in a null pointer.
    match unsafe { call(__NR_execve, arguments) } {
        Ok(_) => Errno::INVALID,
        Err(errno) => errno,
    }
}

/// What the kernel limits per process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Resource {
    /// The size of a file that is written.
    FileBytes,
    /// Time of processors.
    ProcessorSeconds,
}

/// Limits this process and those that it starts. A lower limit that holds already stays.
pub(crate) fn set_limit(resource: Resource, value: u64) -> Result<(), Errno> {
    let number = match resource {
        Resource::FileBytes => RLIMIT_FSIZE,
        Resource::ProcessorSeconds => RLIMIT_CPU,
    };
    let mut limit = rlimit64 {
        rlim_cur: 0,
        rlim_max: 0,
    };
    let limit = &raw mut limit;
    let arguments = |new: usize, old: usize| [0, number as usize, new, old];
    // SAFETY: the kernel writes what holds now there.
    unsafe { call(__NR_prlimit64, arguments(0, limit.expose_provenance()))? };
    // SAFETY: it was filled by the kernel and is used by nobody else.
    let limit = unsafe { &mut *limit };
    limit.rlim_max = limit.rlim_max.min(value);
    limit.rlim_cur = limit.rlim_cur.min(value);
    let new = ptr::from_mut(limit).expose_provenance();
    // SAFETY: the kernel reads the new limit from there.
    unsafe { call(__NR_prlimit64, arguments(new, 0))? };
    Ok(())
}

/// Processor time of the children of this process that have ended, and of theirs.
pub(crate) fn processor_milliseconds_of_children() -> u64 {
    // Two times of 16 bytes each, and 14 numbers (getrusage(2)).
    let mut usage = [0_i64; 18];
    let arguments = [
        signed(RUSAGE_CHILDREN),
        usage.as_mut_ptr().expose_provenance(),
    ];
    // SAFETY: the kernel writes 144 bytes there. It cannot fail; if it did, all would be zero.
    let _ = unsafe { call(__NR_getrusage, arguments) };
    let [user_s, user_us, system_s, system_us, ..] =
        usage.map(|part| u64::try_from(part).unwrap_or(0));
    (user_s + system_s) * 1000 + (user_us + system_us) / 1000
}

/// How a child ended, as `wait` reports it (wait(2)).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct ChildEnd {
    pub(crate) pid: Pid,
    pub(crate) status: u32,
}

/// Reaps a child that has ended. `Ok(None)`: there are children, and all live.
/// [`Errno::NO_CHILD`]: there are none.
pub(crate) fn wait_any() -> Result<Option<ChildEnd>, Errno> {
    let mut status = 0_u32;
    let arguments = [
        signed(-1),
        ptr::from_mut(&mut status).expose_provenance(),
        (WNOHANG | __WALL) as usize,
        0,
    ];
    // SAFETY: the kernel writes the status there.
    let pid = pid_of(unsafe { call(__NR_wait4, arguments)? });
    Ok((pid != 0).then_some(ChildEnd { pid, status }))
}

/// Adopts every process that loses its parent below this process.
pub(crate) fn become_sub_reaper() -> Result<(), Errno> {
    process_control(PR_SET_CHILD_SUBREAPER, 1)
}

/// Has this process killed when its parent ends, whatever that dies of.
pub(crate) fn die_with_parent() -> Result<(), Errno> {
    process_control(PR_SET_PDEATHSIG, SIGKILL as usize)
}

pub(super) fn process_control(what: u32, value: usize) -> Result<(), Errno> {
    // SAFETY: the options used here take numbers.
    unsafe { call(__NR_prctl, [what as usize, value, 0, 0, 0])? };
    Ok(())
}

/// A session and a process group of its own, without a terminal.
pub(crate) fn become_session_leader() -> Result<(), Errno> {
    // SAFETY: touches no memory.
    unsafe { call(__NR_setsid, [])? };
    Ok(())
}

/// Makes a terminal that of this session.
pub(crate) fn take_terminal(terminal: Descriptor) -> Result<(), Errno> {
    // SAFETY: this request takes a number.
    unsafe { call(__NR_ioctl, [terminal.raw(), TIOCSCTTY, 0])? };
    Ok(())
}

pub(crate) fn change_directory(path: &CStr) -> Result<(), Errno> {
    // SAFETY: the path is a text that ends in NUL.
    unsafe { call(__NR_chdir, [path.as_ptr().expose_provenance()])? };
    Ok(())
}

/// Signals that are held back, a bit each.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SignalMask(u64);

/// Holds all signals back, so that no polite one ends this program. Says what was held back before.
pub(crate) fn block_all_signals() -> Result<SignalMask, Errno> {
    set_mask(SignalMask(u64::MAX))
}

pub(crate) fn restore_signals(mask: SignalMask) -> Result<(), Errno> {
    set_mask(mask).map(|_| ())
}

fn set_mask(mask: SignalMask) -> Result<SignalMask, Errno> {
    let mut before = SignalMask(0);
    let arguments = [
        SIG_SETMASK as usize,
        ptr::from_ref(&mask.0).expose_provenance(),
        ptr::from_mut(&mut before.0).expose_provenance(),
        size_of::<u64>(),
    ];
    // SAFETY: two sets of 64 signals, one to read and one to write.
    unsafe { call(__NR_rt_sigprocmask, arguments)? };
    Ok(before)
}

/// Gives every signal its usual effect again, as libuv does for the children of Node: what a host ignores (`nohup` does
/// SIGHUP, shells do SIGINT of what they start with `&`, Node does SIGXFSZ) would stay ignored in the programs that are
/// started, and nothing would interrupt them.
pub(crate) fn reset_signals() {
    /// `NSIG`
    const LAST: usize = 64;
    // The default handler is 0, as are no flags, no restorer and no signals that are held back.
    let action = [0_u64; 4];
    for signal in 1..=LAST {
        let arguments = [
            signal,
            action.as_ptr().expose_provenance(),
            0,
            size_of::<u64>(),
        ];
        // SAFETY: a structure of four words of which all may be zero. SIGKILL and SIGSTOP alone are refused, and have no
        // other effect than the usual one.
        let _ = unsafe { call(__NR_rt_sigaction, arguments) };
    }
}

/// A descriptor that can be read when a child has ended. SIGCHLD must be held back.
pub(crate) fn watch_children() -> Result<Descriptor, Errno> {
    let set = 1_u64 << (SIGCHLD - 1);
    let arguments = [
        signed(-1),
        ptr::from_ref(&set).expose_provenance(),
        size_of::<u64>(),
        (O_CLOEXEC | O_NONBLOCK) as usize,
    ];
    // SAFETY: a set of 64 signals to read.
    Descriptor::new(unsafe { call(__NR_signalfd4, arguments)? })
}

/// A handle that means this very process, not a later one with its number.
pub(crate) fn open_process(pid: Pid) -> Result<Descriptor, Errno> {
    // SAFETY: touches no memory.
    Descriptor::new(unsafe { call(__NR_pidfd_open, [signed(pid), 0])? })
}

/// Signals the process of a handle.
pub(crate) fn send_signal(process: Descriptor, signal: u32) -> Result<(), Errno> {
    // SAFETY: a null pointer stands for the usual details of a signal.
    unsafe {
        call(
            __NR_pidfd_send_signal,
            [process.raw(), signal as usize, 0, 0],
        )?
    };
    Ok(())
}

/// Signals a whole group at once.
pub(crate) fn send_signal_to_group(group: Pid, signal: u32) -> Result<(), Errno> {
    send_signal_by_number(-group, signal)
}

/// Signals a process by its number.
pub(crate) fn send_signal_by_number(pid: Pid, signal: u32) -> Result<(), Errno> {
    // SAFETY: touches no memory.
    unsafe { call(__NR_kill, [signed(pid), signal as usize])? };
    Ok(())
}

/// Milliseconds of a clock that never jumps.
pub(crate) fn milliseconds() -> u64 {
    let mut time = __kernel_timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    let arguments = [
        CLOCK_MONOTONIC as usize,
        ptr::from_mut(&mut time).expose_provenance(),
    ];
    // SAFETY: the kernel writes the time there. The clock exists on every Linux.
    let _ = unsafe { call(__NR_clock_gettime, arguments) };
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    seconds * 1000 + u64::try_from(time.tv_nsec).unwrap_or(0) / 1_000_000
}
