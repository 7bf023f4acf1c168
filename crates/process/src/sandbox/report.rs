//! Which sandbox a command was given, and why it was no better one.

use std::io;

/// How much of the sandbox there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SandboxLevel {
    /// None that would contain the command.
    None,
    /// Landlock and a filter of system calls (Linux).
    Landlock,
    /// Everything: on Linux namespaces, Landlock and a filter of system calls; on macOS Seatbelt.
    Full,
}

/// Which sandbox a command was given.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxReport {
    /// How much of it there is.
    pub level: SandboxLevel,
    /// Why it is not the full one.
    pub failure: Option<SandboxFailure>,
    /// The version of Landlock; 0 for none.
    pub landlock: u32,
}

/// What a sandbox failed at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxFailure {
    /// The step that failed, such as `making namespaces`.
    pub what: &'static str,
    /// What the system said, as a number of its own; 0 if it was not asked.
    pub errno: i32,
}

impl std::fmt::Display for SandboxFailure {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.errno == 0 {
            return formatter.write_str(self.what);
        }
        let reason = io::Error::from_raw_os_error(self.errno).to_string();
        let reason = reason.split(" (os error").next().unwrap_or_default();
        write!(formatter, "{} failed: {reason}", self.what)
    }
}

impl SandboxReport {
    /// That there is none.
    #[must_use]
    pub const fn none(what: &'static str) -> Self {
        Self {
            level: SandboxLevel::None,
            failure: Some(SandboxFailure { what, errno: 0 }),
            landlock: 0,
        }
    }

    /// What a command can do all the same that the full level refuses, in a few words each.
    #[must_use]
    pub fn open(&self) -> Vec<&'static str> {
        match self.level {
            SandboxLevel::Full => Vec::new(),
            SandboxLevel::Landlock => {
                let mut open = vec![
                    "changing modes and times of files outside the workspace",
                    "writing protected names such as .git/hooks in the workspace",
                    "seeing other processes",
                ];
                if self.landlock < 6 {
                    open.push("signalling other processes of this user");
                }
                if self.landlock < 3 {
                    open.push("emptying files outside the workspace");
                }
                open
            }
            SandboxLevel::None => vec!["writing and deleting all files of this user"],
        }
    }
}

#[cfg(target_os = "linux")]
impl SandboxReport {
    /// What the helper program reported.
    pub(crate) fn reported(
        level: u32,
        step: Option<tenon_helper::StartStep>,
        errno: u32,
        landlock: u32,
    ) -> Self {
        let level = match level {
            2 => SandboxLevel::Full,
            1 => SandboxLevel::Landlock,
            _ => SandboxLevel::None,
        };
        Self {
            level,
            failure: step.map(|step| failure(step, errno)),
            landlock,
        }
    }
}

/// What a step of the helper program is about.
#[cfg(target_os = "linux")]
pub(crate) fn failure(step: tenon_helper::StartStep, errno: u32) -> SandboxFailure {
    use tenon_helper::StartStep;
    let what = match step {
        StartStep::Placeholders => "covering protected names that do not exist",
        StartStep::Namespaces => "making namespaces",
        StartStep::Users => "making a namespace of users",
        StartStep::Root => "making the root directory read-only",
        StartStep::Devices => "creating a directory of devices",
        StartStep::Processes => "mounting a `/proc` of its own",
        StartStep::Writable => "mounting the writable directories",
        StartStep::Protected => "mounting protected names read-only",
        StartStep::Loopback => "making a network of its own",
        StartStep::Capabilities => "giving up capabilities",
        StartStep::Landlock => "applying Landlock",
        StartStep::Filter => "filtering system calls",
        StartStep::Directory => "changing to its directory",
        StartStep::Options
        | StartStep::Prepare
        | StartStep::Fork
        | StartStep::Input
        | StartStep::Execute => "starting",
    };
    SandboxFailure {
        what,
        errno: errno.cast_signed(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_open_is_named_for_every_level_but_the_full_one() {
        let open = |level, landlock| {
            SandboxReport {
                level,
                failure: None,
                landlock,
            }
            .open()
            .len()
        };
        assert_eq!(open(SandboxLevel::Full, 7), 0);
        assert_eq!(open(SandboxLevel::Landlock, 7), 3);
        assert_eq!(open(SandboxLevel::Landlock, 1), 5);
        assert_eq!(open(SandboxLevel::None, 0), 1);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_failure_names_what_was_tried_and_what_the_system_said() {
        assert_eq!(
            failure(tenon_helper::StartStep::Namespaces, 1).to_string(),
            "making namespaces failed: Operation not permitted"
        );
    }
}
