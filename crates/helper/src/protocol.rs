//! What host and helper send each other: packets of 32-bit numbers over a `SOCK_SEQPACKET` socket.
//!
//! Both ends come from one build, so the numbers are in the byte order of the machine and there is
//! no version: a packet that does not parse is the end of the conversation.

/// Longest packet, in bytes.
pub const PACKET_MAX_BYTES: usize = 4 * NUMBERS_MAX;
/// Most numbers of a packet.
const NUMBERS_MAX: usize = 64;
/// Most survivors that are listed by number.
const SURVIVORS_MAX: usize = NUMBERS_MAX - 4;

/// From the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// Start the shell. A descriptor that comes along becomes its standard input, else that is
    /// `/dev/null`; `terminal` makes it the controlling terminal.
    Start {
        /// Whether the descriptor is a terminal that is to control the session.
        terminal: bool,
    },
    /// End everything: TERM, at most `grace_ms`, KILL. Answered by [`Report::Ended`].
    End {
        /// Milliseconds between TERM and KILL.
        grace_ms: u32,
    },
    /// Say how many processes live. Answered by [`Report::Living`].
    Count,
}

/// From the helper.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Report<'a> {
    /// There is a process that is about to become the shell; what hinders it is a [`Report::Failed`]. Sent by that process, since
    /// a command may kill the helper with its first step, before that can report [`Report::Started`].
    Forked {
        /// Its number; 0 when that cannot be read.
        pid: u32,
    },
    /// The shell runs.
    Started {
        /// Its number.
        pid: u32,
    },
    /// The shell does not run, and nothing else either.
    Failed {
        /// What failed.
        step: StartStep,
        /// Why, as a number of the system.
        errno: u32,
    },
    /// The shell has ended. When `left` is 0, so has the helper.
    Exited {
        /// Its status, as `wait` reports it.
        status: u32,
        /// Processes of the command that still live.
        left: u32,
    },
    /// After [`Report::Exited`]: nothing lives any more, and the helper has ended.
    Emptied,
    /// How many processes live.
    Living {
        /// The shell included.
        count: u32,
    },
    /// Before [`Report::Started`]: the sandbox that the shell will run in.
    Sandboxed {
        /// 2 for the full one, 1 for Landlock and the filter of system calls, 0 for the filter alone.
        level: u32,
        /// What failed, where it is not the full one.
        step: Option<StartStep>,
        /// Why, as a number of the system.
        errno: u32,
        /// The version of Landlock; 0 for none.
        landlock: u32,
    },
    /// A descriptor comes along: a socket that listens on port 3128 of the loopback interface in the
    /// sandbox.
    Listening,
    /// The processes of the command together exceed a limit: they are being killed.
    Limit {
        /// Which one.
        limit: Limit,
    },
    /// Everything was ended.
    Ended {
        /// Processes that lived when the ending began.
        found: u32,
        /// Processes that were sent KILL.
        killed: u32,
        /// How many live on all the same.
        survivors: u32,
        /// Their numbers, as many as there is room for.
        numbers: Numbers<'a>,
    },
}

/// What the processes of a command together may not exceed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Limit {
    /// Memory.
    Memory = 1,
    /// Time of processors.
    ProcessorTime = 2,
    /// Their number.
    Processes = 3,
}

impl Limit {
    const ALL: [Self; 3] = [Self::Memory, Self::ProcessorTime, Self::Processes];

    fn of(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|limit| *limit as u32 == number)
    }
}

/// What can fail before the shell runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum StartStep {
    /// The arguments of the helper.
    Options = 1,
    /// What a supervisor of processes needs: being a sub-reaper, hearing of children, memory.
    Prepare = 2,
    /// Making the process of the shell.
    Fork = 3,
    /// Its standard input and terminal.
    Input = 4,
    /// Executing the shell.
    Execute = 5,
    /// Going to the directory that the command starts in.
    Directory = 6,
    /// Making what is mounted over protected names that do not exist.
    Placeholders = 10,
    /// Making namespaces.
    Namespaces = 11,
    /// Being the same user in a new namespace of users.
    Users = 12,
    /// A root directory that cannot be written.
    Root = 13,
    /// A directory of devices of its own.
    Devices = 14,
    /// A `/proc` of its own.
    Processes = 15,
    /// The directories that may be written.
    Writable = 16,
    /// The protected names in them.
    Protected = 17,
    /// The loopback interface, and listening there.
    Loopback = 18,
    /// Giving up capabilities.
    Capabilities = 19,
    /// Landlock.
    Landlock = 20,
    /// The filter of system calls.
    Filter = 21,
}

impl StartStep {
    const ALL: [Self; 18] = [
        Self::Options,
        Self::Prepare,
        Self::Fork,
        Self::Input,
        Self::Execute,
        Self::Directory,
        Self::Placeholders,
        Self::Namespaces,
        Self::Users,
        Self::Root,
        Self::Devices,
        Self::Processes,
        Self::Writable,
        Self::Protected,
        Self::Loopback,
        Self::Capabilities,
        Self::Landlock,
        Self::Filter,
    ];

    /// Whether only a sandbox needs it.
    #[must_use]
    pub const fn is_of_sandbox(self) -> bool {
        self as u32 >= Self::Placeholders as u32
    }

    pub(crate) fn of(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|step| *step as u32 == number)
    }
}

/// Numbers at the end of a packet.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Numbers<'a>(&'a [u8]);

impl<'a> Numbers<'a> {
    /// One after another.
    pub fn iter(&self) -> impl Iterator<Item = u32> + 'a {
        self.0.chunks_exact(4).map(number)
    }
}

fn number(bytes: &[u8]) -> u32 {
    bytes.try_into().map_or(0, u32::from_ne_bytes)
}

/// A packet as it is sent.
#[derive(Debug, Clone, Copy)]
pub struct Packet {
    bytes: [u8; PACKET_MAX_BYTES],
    length: usize,
}

impl Packet {
    fn new(numbers: &[u32]) -> Self {
        let mut packet = Self {
            bytes: [0; PACKET_MAX_BYTES],
            length: 0,
        };
        for number in numbers {
            packet.push(*number);
        }
        packet
    }

    fn push(&mut self, number: u32) {
        let end = self.length + 4;
        if let Some(place) = self.bytes.get_mut(self.length..end) {
            place.copy_from_slice(&number.to_ne_bytes());
            self.length = end;
        }
    }

    /// Its bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.bytes.get(..self.length).unwrap_or_default()
    }
}

const START: u32 = 1;
const END: u32 = 2;
const COUNT: u32 = 3;

impl Order {
    /// As a packet.
    #[must_use]
    pub fn packet(self) -> Packet {
        match self {
            Self::Start { terminal } => Packet::new(&[START, u32::from(terminal)]),
            Self::End { grace_ms } => Packet::new(&[END, grace_ms]),
            Self::Count => Packet::new(&[COUNT]),
        }
    }

    /// From a packet; nothing if it is none of ours.
    #[must_use]
    pub fn parse(packet: &[u8]) -> Option<Self> {
        let mut numbers = Numbers(packet).iter();
        Some(match numbers.next()? {
            START => Self::Start {
                terminal: numbers.next()? != 0,
            },
            END => Self::End {
                grace_ms: numbers.next()?,
            },
            COUNT => Self::Count,
            _ => return None,
        })
    }
}

const STARTED: u32 = 101;
const FAILED: u32 = 102;
const EXITED: u32 = 103;
const EMPTIED: u32 = 104;
const LIVING: u32 = 105;
const ENDED: u32 = 106;
const LIMIT: u32 = 107;
const SANDBOXED: u32 = 108;
const LISTENING: u32 = 109;
const FORKED: u32 = 110;

impl Report<'_> {
    /// As a packet, where the numbers of survivors are those of `survivors`.
    #[must_use]
    pub fn packet(self, survivors: impl Iterator<Item = u32>) -> Packet {
        match self {
            Self::Forked { pid } => Packet::new(&[FORKED, pid]),
            Self::Started { pid } => Packet::new(&[STARTED, pid]),
            Self::Failed { step, errno } => Packet::new(&[FAILED, step as u32, errno]),
            Self::Exited { status, left } => Packet::new(&[EXITED, status, left]),
            Self::Emptied => Packet::new(&[EMPTIED]),
            Self::Living { count } => Packet::new(&[LIVING, count]),
            Self::Sandboxed {
                level,
                step,
                errno,
                landlock,
            } => {
                let step = step.map_or(0, |step| step as u32);
                Packet::new(&[SANDBOXED, level, step, errno, landlock])
            }
            Self::Listening => Packet::new(&[LISTENING]),
            Self::Limit { limit } => Packet::new(&[LIMIT, limit as u32]),
            Self::Ended {
                found,
                killed,
                survivors: count,
                ..
            } => {
                let mut packet = Packet::new(&[ENDED, found, killed, count]);
                survivors
                    .take(SURVIVORS_MAX)
                    .for_each(|pid| packet.push(pid));
                packet
            }
        }
    }
}

impl<'a> Report<'a> {
    /// From a packet; nothing if it is none of ours.
    #[must_use]
    pub fn parse(packet: &'a [u8]) -> Option<Self> {
        let mut numbers = Numbers(packet).iter();
        let kind = numbers.next()?;
        let mut next = || numbers.next();
        Some(match kind {
            FORKED => Self::Forked { pid: next()? },
            STARTED => Self::Started { pid: next()? },
            FAILED => Self::Failed {
                step: StartStep::of(next()?)?,
                errno: next()?,
            },
            EXITED => Self::Exited {
                status: next()?,
                left: next()?,
            },
            EMPTIED => Self::Emptied,
            LIVING => Self::Living { count: next()? },
            SANDBOXED => Self::Sandboxed {
                level: next()?,
                step: match next()? {
                    0 => None,
                    step => Some(StartStep::of(step)?),
                },
                errno: next()?,
                landlock: next()?,
            },
            LISTENING => Self::Listening,
            LIMIT => Self::Limit {
                limit: Limit::of(next()?)?,
            },
            ENDED => Self::Ended {
                found: next()?,
                killed: next()?,
                survivors: next()?,
                numbers: Numbers(packet.get(16..)?),
            },
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sent_is_what_is_understood() {
        for order in [
            Order::Start { terminal: false },
            Order::Start { terminal: true },
            Order::End { grace_ms: 2000 },
            Order::Count,
        ] {
            assert_eq!(Order::parse(order.packet().bytes()), Some(order));
        }
        for report in [
            Report::Forked { pid: 7 },
            Report::Started { pid: 7 },
            Report::Failed {
                step: StartStep::Execute,
                errno: 2,
            },
            Report::Exited {
                status: 256,
                left: 3,
            },
            Report::Emptied,
            Report::Living { count: 2 },
            Report::Limit {
                limit: Limit::Processes,
            },
            Report::Sandboxed {
                level: 2,
                step: None,
                errno: 0,
                landlock: 7,
            },
            Report::Sandboxed {
                level: 1,
                step: Some(StartStep::Namespaces),
                errno: 1,
                landlock: 4,
            },
            Report::Listening,
        ] {
            let packet = report.packet(core::iter::empty());
            assert_eq!(Report::parse(packet.bytes()), Some(report));
        }
    }

    #[test]
    fn survivors_are_reported_by_number_as_far_as_there_is_room() {
        let reported = |count: u32| {
            let report = Report::Ended {
                found: 9,
                killed: 8,
                survivors: count,
                numbers: Numbers::default(),
            };
            let packet = report.packet(1..=count);
            let Some(Report::Ended {
                found,
                killed,
                survivors,
                numbers,
            }) = Report::parse(packet.bytes())
            else {
                panic!("no end");
            };
            assert_eq!((found, killed, survivors), (9, 8, count));
            numbers.iter().collect::<Vec<_>>()
        };
        assert_eq!(reported(0), []);
        assert_eq!(reported(2), [1, 2]);
        assert_eq!(reported(1000), (1..=60).collect::<Vec<_>>());
    }

    #[test]
    fn what_is_no_packet_of_ours_is_not_understood() {
        for packet in [
            &[][..],
            &[1, 2, 3],
            &[0; 4],
            &[255; 64],
            &2_u32.to_ne_bytes(),
        ] {
            assert_eq!(Order::parse(packet), None);
            assert_eq!(Report::parse(packet), None);
        }
        let unknown_step = [FAILED, 99, 1].map(u32::to_ne_bytes).concat();
        assert_eq!(Report::parse(&unknown_step), None);
        let unknown_limit = [LIMIT, 99].map(u32::to_ne_bytes).concat();
        assert_eq!(Report::parse(&unknown_limit), None);
    }
}
