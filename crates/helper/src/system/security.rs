//! What a process gives up for good: capabilities, rights on files, system calls.
#![allow(unsafe_code, reason = "system calls are made here")]

use core::ptr;

use linux_raw_sys::general::{
    __NR_capset, __NR_landlock_add_rule, __NR_landlock_create_ruleset, __NR_landlock_restrict_self,
    __NR_prctl, __NR_seccomp, __NR_setgroups, __NR_setresgid, __NR_setresuid,
    __user_cap_data_struct, __user_cap_header_struct,
};
use linux_raw_sys::prctl::{
    PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, PR_CAPBSET_DROP, PR_SET_DUMPABLE, PR_SET_NO_NEW_PRIVS,
};
use linux_raw_sys::ptrace::{SECCOMP_SET_MODE_FILTER, sock_fprog};

pub(crate) use linux_raw_sys::ptrace::sock_filter as Instruction;

use super::call::{Errno, call};
use super::file::Descriptor;
use super::process::process_control;

/// `_LINUX_CAPABILITY_VERSION_3`: sets of 64 bits.
const CAPABILITY_VERSION: u32 = 0x2008_0522;
/// Capabilities have numbers below this.
const CAPABILITIES: usize = 64;
/// `LANDLOCK_CREATE_RULESET_VERSION`
const ASK_VERSION: usize = 1;
/// `LANDLOCK_RULE_PATH_BENEATH`
const RULE_PATH_BENEATH: usize = 1;

/// Gives up every capability, also for programs that are executed later.
pub(crate) fn drop_capabilities() -> Result<(), Errno> {
    let ambient = [
        PR_CAP_AMBIENT as usize,
        PR_CAP_AMBIENT_CLEAR_ALL as usize,
        0,
        0,
        0,
    ];
    // SAFETY: the option takes numbers.
    unsafe { call(__NR_prctl, ambient)? };
    for capability in 0..CAPABILITIES {
        match process_control(PR_CAPBSET_DROP, capability) {
            Ok(()) => {}
            // Beyond the last that this kernel knows.
            Err(Errno::INVALID) => break,
            // Without the privilege to shrink the set there is none to use it either: programs gain
            // nothing from it once `forbid_new_privileges` holds.
            Err(Errno::NOT_PERMITTED) => break,
            Err(errno) => return Err(errno),
        }
    }
    let header = __user_cap_header_struct {
        version: CAPABILITY_VERSION,
        pid: 0,
    };
    let none = __user_cap_data_struct {
        effective: 0,
        permitted: 0,
        inheritable: 0,
    };
    let sets = [none, none];
    let arguments = [
        ptr::from_ref(&header).expose_provenance(),
        sets.as_ptr().expose_provenance(),
    ];
    // SAFETY: a header and, for this version, two sets.
    unsafe { call(__NR_capset, arguments)? };
    Ok(())
}

/// Becomes this user for good: no other groups, no capabilities, nothing gained by any file.
pub(crate) fn become_user(user: u32) -> Result<(), Errno> {
    let user = user as usize;
    // SAFETY: an empty list is not looked at; numbers touch no memory.
    unsafe {
        call(__NR_setgroups, [0, 0])?;
        call(__NR_setresgid, [user, user, user])?;
        call(__NR_setresuid, [user, user, user])?;
    }
    forbid_new_privileges()
}

/// No program that is executed from now on gains anything by its file.
pub(crate) fn forbid_new_privileges() -> Result<(), Errno> {
    process_control(PR_SET_NO_NEW_PRIVS, 1)
}

/// Nobody without privileges may look into this process.
pub(crate) fn forbid_looking_in() -> Result<(), Errno> {
    process_control(PR_SET_DUMPABLE, 0)
}

/// What a set of rules is about; everything in it is refused but for what rules allow
/// (`struct landlock_ruleset_attr`).
#[repr(C)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Handled {
    pub(crate) files: u64,
    pub(crate) network: u64,
    pub(crate) scopes: u64,
}

/// Which version of Landlock there is. None: the kernel has none.
pub(crate) fn landlock_version() -> Option<u32> {
    // SAFETY: with this flag the structure must be missing.
    let version = unsafe { call(__NR_landlock_create_ruleset, [0, 0, ASK_VERSION]) };
    version.ok().and_then(|version| u32::try_from(version).ok())
}

/// A new set of rules, of which kernels of an older version see only the first members.
pub(crate) fn landlock_rules(handled: &Handled, version: u32) -> Result<Descriptor, Errno> {
    let known = match version {
        ..4 => 1,
        4..6 => 2,
        6.. => 3,
    };
    let arguments = [
        ptr::from_ref(handled).expose_provenance(),
        known * size_of::<u64>(),
        0,
    ];
    // SAFETY: a structure with the size that is meant.
    Descriptor::new(unsafe { call(__NR_landlock_create_ruleset, arguments)? })
}

/// Allows `rights` on a place and everything below it.
pub(crate) fn landlock_allow(
    rules: Descriptor,
    place: Descriptor,
    rights: u64,
) -> Result<(), Errno> {
    /// `struct landlock_path_beneath_attr`
    #[repr(C, packed)]
    struct Rule {
        rights: u64,
        place: i32,
    }
    let rule = Rule {
        rights,
        place: place.0,
    };
    let arguments = [
        rules.raw(),
        RULE_PATH_BENEATH,
        ptr::from_ref(&rule).expose_provenance(),
        0,
    ];
    // SAFETY: a structure of the kind that the number says.
    unsafe { call(__NR_landlock_add_rule, arguments)? };
    Ok(())
}

/// From now on the rules hold for this process and those that it starts.
pub(crate) fn landlock_bind(rules: Descriptor) -> Result<(), Errno> {
    // SAFETY: touches no memory.
    unsafe { call(__NR_landlock_restrict_self, [rules.raw(), 0])? };
    Ok(())
}

/// From now on a filter decides on the system calls of this process and those that it starts.
pub(crate) fn filter_calls(program: &[Instruction]) -> Result<(), Errno> {
    let program = sock_fprog {
        len: u16::try_from(program.len()).map_err(|_| Errno::INVALID)?,
        filter: program.as_ptr().cast_mut(),
    };
    program.filter.expose_provenance();
    let arguments = [
        SECCOMP_SET_MODE_FILTER as usize,
        0,
        ptr::from_ref(&program).expose_provenance(),
    ];
    // SAFETY: a program with its length, which the kernel copies.
    unsafe { call(__NR_seccomp, arguments)? };
    Ok(())
}
