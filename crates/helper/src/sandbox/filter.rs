//! Which system calls a command in the sandbox may make: a program for the kernel (seccomp(2)).

use linux_raw_sys::errno::{ENOSYS, EPERM};
use linux_raw_sys::general as calls;
use linux_raw_sys::general::{
    CLONE_NEWCGROUP, CLONE_NEWIPC, CLONE_NEWNET, CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWTIME,
    CLONE_NEWUSER, CLONE_NEWUTS,
};
use linux_raw_sys::ptrace::{SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO, SECCOMP_RET_KILL_PROCESS};

use crate::system::Instruction;

/// Load a word of `struct seccomp_data`.
const LOAD: u16 = 0x20;
/// Jump if equal; if any of these bits is set.
const IF_EQUAL: u16 = 0x15;
const IF_ANY: u16 = 0x45;
/// Keep these bits of the word.
const AND: u16 = 0x54;
const RETURN: u16 = 0x06;
/// Where the number of the call lies, the architecture, and the lower half of an argument.
const NUMBER: u32 = 0;
const ARCHITECTURE: u32 = 4;
const fn argument(index: u32) -> u32 {
    16 + 8 * index
}

#[cfg(target_arch = "x86_64")]
const NATIVE: u32 = linux_raw_sys::ptrace::AUDIT_ARCH_X86_64;
#[cfg(target_arch = "aarch64")]
const NATIVE: u32 = linux_raw_sys::ptrace::AUDIT_ARCH_AARCH64;

const REFUSE: u32 = SECCOMP_RET_ERRNO | EPERM;
const UNKNOWN: u32 = SECCOMP_RET_ERRNO | ENOSYS;

/// Calls that look as if this kernel did not have them, so that programs do without. What io_uring
/// does passes no filter, and the flags of `clone3` cannot be seen by one.
const MISSING: &[u32] = &[
    calls::__NR_clone3,
    calls::__NR_io_uring_setup,
    calls::__NR_io_uring_enter,
    calls::__NR_io_uring_register,
    // Its mode lies where no filter looks.
    calls::__NR_openat2,
];

/// Calls that are never made for the work on a project.
const REFUSED: &[u32] = &[
    // Looking into other processes.
    calls::__NR_ptrace,
    calls::__NR_process_vm_readv,
    calls::__NR_process_vm_writev,
    calls::__NR_process_madvise,
    calls::__NR_pidfd_getfd,
    calls::__NR_kcmp,
    calls::__NR_perf_event_open,
    calls::__NR_fanotify_init,
    calls::__NR_lookup_dcookie,
    // The kernel's own programs and keys, and faults handled by processes.
    calls::__NR_bpf,
    calls::__NR_userfaultfd,
    calls::__NR_keyctl,
    calls::__NR_add_key,
    calls::__NR_request_key,
    // Mounts, roots, namespaces.
    calls::__NR_mount,
    calls::__NR_umount2,
    calls::__NR_pivot_root,
    calls::__NR_chroot,
    calls::__NR_setns,
    calls::__NR_move_mount,
    calls::__NR_open_tree,
    calls::__NR_open_tree_attr,
    calls::__NR_fsopen,
    calls::__NR_fsconfig,
    calls::__NR_fsmount,
    calls::__NR_fspick,
    calls::__NR_mount_setattr,
    calls::__NR_open_by_handle_at,
    calls::__NR_quotactl,
    calls::__NR_quotactl_fd,
    // The machine.
    calls::__NR_kexec_load,
    calls::__NR_kexec_file_load,
    calls::__NR_init_module,
    calls::__NR_finit_module,
    calls::__NR_delete_module,
    calls::__NR_reboot,
    calls::__NR_swapon,
    calls::__NR_swapoff,
    calls::__NR_sethostname,
    calls::__NR_setdomainname,
    calls::__NR_settimeofday,
    calls::__NR_clock_settime,
    calls::__NR_clock_adjtime,
    calls::__NR_adjtimex,
    calls::__NR_acct,
    calls::__NR_syslog,
    calls::__NR_vhangup,
    calls::__NR_nfsservctl,
    #[cfg(target_arch = "x86_64")]
    calls::__NR_iopl,
    #[cfg(target_arch = "x86_64")]
    calls::__NR_ioperm,
];

/// New namespaces as `clone` takes them, and as `unshare` does.
const NAMESPACES: u32 = CLONE_NEWNS
    | CLONE_NEWCGROUP
    | CLONE_NEWUTS
    | CLONE_NEWIPC
    | CLONE_NEWUSER
    | CLONE_NEWPID
    | CLONE_NEWNET;
/// The bit of a mode by which the user who runs the file becomes its owner. Outside of the sandbox such a file is a way to
/// other rights for all who find it.
const SET_USER: u32 = 0o4000;
/// Calls that give files a mode, and which argument that is.
const MODES: &[(u32, u32)] = &[
    #[cfg(target_arch = "x86_64")]
    (calls::__NR_chmod, 1),
    (calls::__NR_fchmod, 1),
    (calls::__NR_fchmodat, 2),
    (calls::__NR_fchmodat2, 2),
    #[cfg(target_arch = "x86_64")]
    (calls::__NR_creat, 1),
    #[cfg(target_arch = "x86_64")]
    (calls::__NR_mknod, 1),
    (calls::__NR_mknodat, 2),
];
/// The same of calls whose flags say whether there is a mode: the arguments of both.
const OPENS: &[(u32, u32, u32)] = &[
    #[cfg(target_arch = "x86_64")]
    (calls::__NR_open, 1, 2),
    (calls::__NR_openat, 2, 3),
];
/// `O_CREAT` and the bit of `O_TMPFILE` that is its own.
const MAKES: u32 = 0o100 | 0o20_000_000;
/// Requests that type into a terminal (ioctl_tty(2)).
const TYPE_INTO: [u32; 2] = [0x5412, 0x541C];
// Families of sockets (socket(2)).
const AF_INET: u32 = 2;
const AF_INET6: u32 = 10;
const AF_NETLINK: u32 = 16;
/// The bits of a socket's type that are no flags, and the types that stay with their pair: one for datagrams reaches
/// any service whose path it is sent to.
const TYPE: u32 = 0xf;
const SOCK_STREAM: u32 = 1;
const SOCK_SEQPACKET: u32 = 5;
/// Which asks for the network interfaces.
const NETLINK_ROUTE: u32 = 0;

const CAPACITY: usize = 256;

/// A program for the kernel.
#[derive(Debug, Clone)]
pub(crate) struct Filter {
    instructions: [Instruction; CAPACITY],
    length: usize,
}

impl Filter {
    /// The filter of a command. `internet` is whether it may have such sockets at all: where it has
    /// no network of its own that leads nowhere, it may not.
    pub(crate) fn new(internet: bool) -> Self {
        let mut filter = Self {
            instructions: [instruction(RETURN, SECCOMP_RET_KILL_PROCESS, 0, 0); CAPACITY],
            length: 0,
        };
        filter.push(LOAD, ARCHITECTURE, 0, 0);
        // The numbers below mean other calls there.
        filter.push(IF_EQUAL, NATIVE, 1, 0);
        filter.push(RETURN, SECCOMP_RET_KILL_PROCESS, 0, 0);
        filter.push(LOAD, NUMBER, 0, 0);
        #[cfg(target_arch = "x86_64")]
        {
            // The calls of x32, which have other numbers.
            filter.push(IF_ANY, 0x4000_0000, 0, 1);
            filter.push(RETURN, UNKNOWN, 0, 0);
        }
        for number in MISSING {
            filter.push(IF_EQUAL, *number, 0, 1);
            filter.push(RETURN, UNKNOWN, 0, 0);
        }
        for number in REFUSED {
            filter.push(IF_EQUAL, *number, 0, 1);
            filter.push(RETURN, REFUSE, 0, 0);
        }
        filter.refuse_flags(calls::__NR_clone, 0, NAMESPACES);
        filter.refuse_flags(calls::__NR_unshare, 0, NAMESPACES | CLONE_NEWTIME);
        for (number, mode) in MODES {
            filter.refuse_flags(*number, *mode, SET_USER);
        }
        for (number, flags, mode) in OPENS {
            filter.refuse_modes(*number, *flags, *mode);
        }
        filter.refuse_typing();
        filter.refuse_sockets(internet);
        filter.refuse_pairs();
        filter.push(RETURN, SECCOMP_RET_ALLOW, 0, 0);
        filter
    }

    pub(crate) fn instructions(&self) -> &[Instruction] {
        self.instructions.get(..self.length).unwrap_or_default()
    }

    /// Refuses the call when that argument has any of these bits.
    fn refuse_flags(&mut self, number: u32, index: u32, flags: u32) {
        self.push(IF_EQUAL, number, 0, 4);
        self.push(LOAD, argument(index), 0, 0);
        self.push(IF_ANY, flags, 0, 1);
        self.push(RETURN, REFUSE, 0, 0);
        self.push(RETURN, SECCOMP_RET_ALLOW, 0, 0);
    }

    /// Refuses a mode that makes others of those who run the file. Without a new file there is no mode: then the
    /// argument is whatever lay in its register.
    fn refuse_modes(&mut self, number: u32, flags: u32, mode: u32) {
        self.push(IF_EQUAL, number, 0, 6);
        self.push(LOAD, argument(flags), 0, 0);
        self.push(IF_ANY, MAKES, 0, 3);
        self.push(LOAD, argument(mode), 0, 0);
        self.push(IF_ANY, SET_USER, 0, 1);
        self.push(RETURN, REFUSE, 0, 0);
        self.push(RETURN, SECCOMP_RET_ALLOW, 0, 0);
    }

    fn refuse_typing(&mut self) {
        let [first, second] = TYPE_INTO;
        self.push(IF_EQUAL, calls::__NR_ioctl, 0, 5);
        self.push(LOAD, argument(1), 0, 0);
        self.push(IF_EQUAL, first, 1, 0);
        self.push(IF_EQUAL, second, 0, 1);
        self.push(RETURN, REFUSE, 0, 0);
        self.push(RETURN, SECCOMP_RET_ALLOW, 0, 0);
    }

    /// Sockets by path and by name reach services of the host, whatever the network is.
    fn refuse_sockets(&mut self, internet: bool) {
        self.push(
            IF_EQUAL,
            calls::__NR_socket,
            0,
            if internet { 8 } else { 6 },
        );
        self.push(LOAD, argument(0), 0, 0);
        if internet {
            self.push(IF_EQUAL, AF_INET, 5, 0);
            self.push(IF_EQUAL, AF_INET6, 4, 0);
        }
        self.push(IF_EQUAL, AF_NETLINK, 0, 2);
        self.push(LOAD, argument(2), 0, 0);
        self.push(IF_EQUAL, NETLINK_ROUTE, 1, 0);
        self.push(RETURN, REFUSE, 0, 0);
        self.push(RETURN, SECCOMP_RET_ALLOW, 0, 0);
    }

    fn refuse_pairs(&mut self) {
        self.push(IF_EQUAL, calls::__NR_socketpair, 0, 6);
        self.push(LOAD, argument(1), 0, 0);
        self.push(AND, TYPE, 0, 0);
        self.push(IF_EQUAL, SOCK_STREAM, 2, 0);
        self.push(IF_EQUAL, SOCK_SEQPACKET, 1, 0);
        self.push(RETURN, REFUSE, 0, 0);
        self.push(RETURN, SECCOMP_RET_ALLOW, 0, 0);
    }

    fn push(&mut self, code: u16, value: u32, if_true: u8, if_false: u8) {
        if let Some(place) = self.instructions.get_mut(self.length) {
            *place = instruction(code, value, if_true, if_false);
            self.length += 1;
        }
    }
}

const fn instruction(code: u16, value: u32, if_true: u8, if_false: u8) -> Instruction {
    Instruction {
        code,
        jt: if_true,
        jf: if_false,
        k: value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the kernel does with the program for a call.
    fn decided(
        filter: &Filter,
        arch: u32,
        number: u32,
        arguments: impl IntoIterator<Item = u32>,
    ) -> u32 {
        let mut data = [0_u32; 16];
        data[0] = number;
        data[1] = arch;
        for (index, value) in arguments.into_iter().enumerate() {
            data[4 + 2 * index] = value;
        }
        let (mut at, mut word) = (0, 0);
        loop {
            let step = filter.instructions()[at];
            at += 1;
            let jump = |holds: bool| usize::from(if holds { step.jt } else { step.jf });
            match step.code {
                LOAD => word = data[step.k as usize / 4],
                AND => word &= step.k,
                IF_EQUAL => at += jump(word == step.k),
                IF_ANY => at += jump(word & step.k != 0),
                RETURN => return step.k,
                other => panic!("{other}"),
            }
        }
    }

    fn call<const COUNT: usize>(internet: bool, number: u32, arguments: [u32; COUNT]) -> u32 {
        let filter = Filter::new(internet);
        assert!(filter.length < CAPACITY);
        decided(&filter, NATIVE, number, arguments)
    }

    #[test]
    fn ordinary_calls_pass() {
        for number in [
            calls::__NR_read,
            calls::__NR_openat,
            calls::__NR_execve,
            calls::__NR_connect,
            calls::__NR_kill,
            calls::__NR_memfd_create,
            calls::__NR_landlock_create_ruleset,
            calls::__NR_seccomp,
        ] {
            assert_eq!(call(true, number, [0; 3]), SECCOMP_RET_ALLOW, "{number}");
        }
    }

    #[test]
    fn calls_that_look_into_others_or_change_the_machine_are_refused() {
        for number in REFUSED {
            assert_eq!(call(true, *number, [0; 3]), REFUSE, "{number}");
        }
        for number in MISSING {
            assert_eq!(call(true, *number, [0; 3]), UNKNOWN, "{number}");
        }
    }

    #[test]
    fn new_processes_are_made_but_no_namespaces() {
        const THREAD: u32 = 0x003d_0f00;
        for flags in [17, THREAD, 0x4000 | 17] {
            assert_eq!(
                call(true, calls::__NR_clone, [flags, 0, 0]),
                SECCOMP_RET_ALLOW
            );
        }
        for bit in 0..32 {
            let flag = 1_u32 << bit;
            let expected = if NAMESPACES & flag == 0 {
                SECCOMP_RET_ALLOW
            } else {
                REFUSE
            };
            assert_eq!(call(true, calls::__NR_clone, [flag | 17, 0, 0]), expected);
        }
        assert_eq!(
            call(true, calls::__NR_unshare, [CLONE_NEWTIME, 0, 0]),
            REFUSE
        );
        assert_eq!(
            call(true, calls::__NR_unshare, [CLONE_NEWUSER, 0, 0]),
            REFUSE
        );
        // Of its own files only.
        assert_eq!(
            call(true, calls::__NR_unshare, [0x400, 0, 0]),
            SECCOMP_RET_ALLOW
        );
    }

    #[test]
    fn only_sockets_of_the_internet_are_made_and_those_only_where_they_lead_nowhere() {
        for family in 0..50 {
            for protocol in [0, 6, 15] {
                for internet in [false, true] {
                    let allowed = match family {
                        AF_INET | AF_INET6 => internet,
                        AF_NETLINK => protocol == NETLINK_ROUTE,
                        _ => false,
                    };
                    let expected = if allowed { SECCOMP_RET_ALLOW } else { REFUSE };
                    let arguments = [family, 1, protocol];
                    assert_eq!(
                        call(internet, calls::__NR_socket, arguments),
                        expected,
                        "{family} {protocol} {internet}"
                    );
                }
            }
        }
    }

    #[test]
    fn no_file_is_made_by_which_others_become_its_owner() {
        const MADE: u32 = 0o100 | 1;
        const PLAIN: u32 = 0o1755;
        for (mode, expected) in [(SET_USER | 0o755, REFUSE), (PLAIN, SECCOMP_RET_ALLOW)] {
            assert_eq!(call(true, calls::__NR_fchmod, [3, mode]), expected);
            assert_eq!(call(true, calls::__NR_fchmodat, [3, 0, mode]), expected);
            assert_eq!(call(true, calls::__NR_fchmodat2, [3, 0, mode]), expected);
            assert_eq!(call(true, calls::__NR_mknodat, [3, 0, mode]), expected);
            assert_eq!(call(true, calls::__NR_openat, [3, 0, MADE, mode]), expected);
            let unnamed = 0o20_200_002;
            assert_eq!(
                call(true, calls::__NR_openat, [3, 0, unnamed, mode]),
                expected
            );
            // There is no mode without a new file.
            assert_eq!(
                call(true, calls::__NR_openat, [3, 0, 0, mode]),
                SECCOMP_RET_ALLOW
            );
            let directory = 0o200_000;
            assert_eq!(
                call(true, calls::__NR_openat, [3, 0, directory, mode]),
                SECCOMP_RET_ALLOW
            );
            #[cfg(target_arch = "x86_64")]
            for (number, arguments) in [
                (calls::__NR_chmod, [0, mode, 0]),
                (calls::__NR_creat, [0, mode, 0]),
                (calls::__NR_mknod, [0, mode, 0]),
                (calls::__NR_open, [0, MADE, mode]),
            ] {
                assert_eq!(call(true, number, arguments), expected, "{number}");
            }
        }
    }

    #[test]
    fn only_sockets_that_stay_with_their_pair_are_made_in_pairs() {
        const FLAGS: u32 = 0o2_004_000;
        for kind in 0..=10 {
            let expected = match kind {
                SOCK_STREAM | SOCK_SEQPACKET => SECCOMP_RET_ALLOW,
                _ => REFUSE,
            };
            for flags in [0, FLAGS] {
                let arguments = [1, kind | flags, 0];
                assert_eq!(
                    call(true, calls::__NR_socketpair, arguments),
                    expected,
                    "{kind}"
                );
            }
        }
    }

    #[test]
    fn nothing_is_typed_into_a_terminal() {
        assert_eq!(call(true, calls::__NR_ioctl, [0, 0x5412, 0]), REFUSE);
        assert_eq!(call(true, calls::__NR_ioctl, [0, 0x541C, 0]), REFUSE);
        assert_eq!(
            call(true, calls::__NR_ioctl, [0, 0x5413, 0]),
            SECCOMP_RET_ALLOW
        );
    }

    #[test]
    fn calls_of_another_architecture_end_the_process() {
        let filter = Filter::new(true);
        for arch in [0x4000_0003, 0x4000_0028, 0] {
            assert_eq!(
                decided(&filter, arch, calls::__NR_read, [0; 3]),
                SECCOMP_RET_KILL_PROCESS
            );
        }
        #[cfg(target_arch = "x86_64")]
        assert_eq!(call(true, 0x4000_0000 | calls::__NR_read, [0; 3]), UNKNOWN);
    }
}
