//! THE table of runners: how each is called, asked for a report that can be read, and read.

use std::path::Path;

use super::report::Report;
use super::{cargo, coverage, go, jest, mocha, pytest, tap, vitest};

/// A runner of tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Framework {
    Vitest,
    Jest,
    Mocha,
    Node,
    Pytest,
    Cargo,
    Nextest,
    Go,
}

/// What a runner wrote.
#[derive(Debug, Clone, Copy)]
pub(super) struct RunnerOutput<'a> {
    pub(super) stdout: &'a str,
    pub(super) stderr: &'a str,
    /// The path of the Go module that was tested.
    pub(super) module: &'a str,
}

impl Framework {
    /// As answers call it.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Vitest => "vitest",
            Self::Jest => "jest",
            Self::Mocha => "mocha",
            Self::Node => "node:test",
            Self::Pytest => "pytest",
            Self::Cargo => "cargo",
            Self::Nextest => "cargo nextest",
            Self::Go => "go test",
        }
    }

    /// What it reported; nothing where it was not able to run tests.
    pub(super) fn read(self, written: RunnerOutput<'_>) -> Option<Report> {
        let RunnerOutput {
            stdout,
            stderr,
            module,
        } = written;
        match self {
            Self::Vitest | Self::Jest | Self::Mocha => {
                let report = if self == Self::Mocha {
                    mocha::parse(stdout)
                } else {
                    jest::parse(stdout)
                };
                let coverage =
                    coverage::of_istanbul(stdout).or_else(|| coverage::of_istanbul(stderr));
                let report = report.map(|report| Report { coverage, ..report });
                if self == Self::Vitest {
                    report.map(|report| vitest::completed(report, stderr))
                } else {
                    report
                }
            }
            Self::Node => tap::parse(stdout),
            Self::Pytest => pytest::parse(stdout),
            Self::Cargo => cargo::parse(stdout, stderr),
            Self::Nextest => cargo::parse_nextest(stdout),
            Self::Go => go::parse(stdout, stderr, module),
        }
    }

    /// Whether this code of its end is no sign of a failure: pytest has one of its own for "no tests".
    pub(super) fn is_fine(self, exit_code: Option<i32>) -> bool {
        exit_code == Some(0) || (self == Self::Pytest && exit_code == Some(5))
    }

    /// Whether its report is written piece by piece, so that one can look in while it runs.
    pub(super) const fn reports_as_it_runs(self) -> bool {
        matches!(self, Self::Node | Self::Cargo | Self::Nextest | Self::Go)
    }

    /// Whether it finds out by itself which tests a change concerns.
    pub(super) const fn knows_affected(self) -> bool {
        matches!(self, Self::Vitest | Self::Jest)
    }

    /// What the language of this file is tested with; nothing where that is not known.
    pub(super) fn of_language(file: &Path) -> Option<&'static [Self]> {
        let ending = file.extension()?.to_str()?;
        Some(match ending {
            "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" | "vue" | "svelte" => {
                &[Self::Vitest, Self::Jest, Self::Mocha, Self::Node]
            }
            "py" => &[Self::Pytest],
            "rs" => &[Self::Cargo, Self::Nextest],
            "go" => &[Self::Go],
            _ => return None,
        })
    }
}
