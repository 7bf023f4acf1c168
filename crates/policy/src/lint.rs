//! What is wrong with rules that compile: those that can never decide anything, and those that open too much.

use schemars::JsonSchema;
use serde::Serialize;
use tenon_contract::Operation;
use tenon_programs::{Catalogue, Runs, Traits};
use tenon_shell::{facts_name, is_wrapper};

use crate::rule::{Pattern, Rule, Subject};
use crate::rules::RuleSet;
use crate::verdict::Verdict;

/// A remark on one rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Lint {
    /// What is wrong.
    pub kind: LintKind,
    /// The list of the rule.
    pub list: Verdict,
    /// Its place in the list, from 0.
    pub index: usize,
    /// The rule as it was written.
    pub rule: String,
    /// What is wrong and what to do, in a sentence or two.
    pub message: String,
}

/// What can be wrong with a rule that compiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LintKind {
    /// Another rule of its list already says it.
    Redundant,
    /// A stricter rule decides every call that it matches.
    Shadowed,
    /// It can never allow anything.
    Dead,
    /// It opens more than its words seem to say.
    OverBroad,
    /// It allows a program that runs any code, such as `make`. That may be just what is wanted.
    Runner,
    /// It denies example files, such as `.env.example`, along with those that it is meant for.
    CoversExamples,
}

/// Built-ins that run the command behind them, besides the wrappers.
const RUNNING: &[&str] = &["exec", "eval"];

fn opens_anything(catalogue: &Catalogue, name: &str) -> bool {
    const OPEN: Traits = Traits::SHELL
        .with(Traits::LANGUAGE)
        .with(Traits::OPEN_ENDED);
    let program = catalogue.find(catalogue.facts_name(name));
    program.is_some_and(|program| program.is(OPEN))
}

fn wraps(catalogue: &Catalogue, name: &str) -> bool {
    is_wrapper(catalogue, name) || RUNNING.contains(&name)
}

/// Whether some of what a program does is to run commands, and some is not.
fn has_subcommands(catalogue: &Catalogue, name: &str) -> bool {
    let program = catalogue.find(catalogue.facts_name(name));
    program.is_some_and(|program| !program.commands.is_empty())
}

/// Whether it runs texts side by side, of which each command has a rule of its own.
fn runs_texts(catalogue: &Catalogue, name: &str) -> bool {
    let program = catalogue.find(catalogue.facts_name(name));
    let wrapper = program.and_then(|program| program.wrapper);
    wrapper.is_some_and(|wrapper| wrapper.runs == Runs::Texts)
}

/// Wrappers for which a rule on the command inside is enough.
const TRANSPARENT: &[&str] = &[
    "command", "env", "nice", "nohup", "stdbuf", "time", "timeout", "xargs",
];

impl RuleSet {
    /// Rules that can never decide anything, and rules that open too much. An empty answer is a good one.
    #[must_use]
    pub fn lints(&self, catalogue: &Catalogue) -> Vec<Lint> {
        self.rules
            .iter()
            .filter_map(|rule| self.lint(rule, catalogue))
            .collect()
    }

    fn lint(&self, rule: &Rule, catalogue: &Catalogue) -> Option<Lint> {
        let (kind, message) = self
            .covered(rule, catalogue)
            .or_else(|| opens(rule, catalogue).filter(|_| rule.list == Verdict::Allow))
            .or_else(|| covers_examples(rule).filter(|_| rule.list != Verdict::Allow))?;
        Some(Lint {
            kind,
            list: rule.list,
            index: rule.index,
            rule: rule.text.rule.clone(),
            message,
        })
    }

    /// Whether another rule leaves this one nothing to decide.
    fn covered(&self, rule: &Rule, catalogue: &Catalogue) -> Option<(LintKind, String)> {
        let name = &rule.text.rule;
        let others = || {
            self.rules
                .iter()
                .filter(|other| !std::ptr::eq(*other, rule))
        };
        let stricter = others().find(|other| other.list > rule.list && covers(other, rule));
        if let Some(stricter) = stricter {
            let message = format!(
                "`{name}` has no effect: `{}` {} everything it matches.",
                stricter.text.rule,
                match stricter.list {
                    Verdict::Deny => "denies",
                    Verdict::Ask => "asks about",
                    Verdict::Allow => "allows",
                }
            );
            return Some((LintKind::Shadowed, message));
        }
        let same = |other: &&Rule| {
            // Of two that say the same, the later one is the redundant one.
            other.list == rule.list
                && covers(other, rule)
                && (other.index < rule.index || !covers(rule, other))
        };
        if rule.list == Verdict::Allow && names_what_is_run(rule, catalogue) {
            return None;
        }
        let wider = others().find(same)?;
        let message = format!(
            "`{name}` is redundant: `{}` covers it. Remove it.",
            wider.text.rule
        );
        Some((LintKind::Redundant, message))
    }
}

/// Whether a rule that allows opens more than it says, or nothing.
fn opens(rule: &Rule, catalogue: &Catalogue) -> Option<(LintKind, String)> {
    let name = &rule.text.rule;
    let single = match (&rule.subject, &rule.pattern) {
        (Subject::Every, _) => {
            let message = format!(
                "`{name}` allows every tool, including those of MCP servers. Name the tools."
            );
            return Some((LintKind::OverBroad, message));
        }
        (Subject::Operation(Operation::Execute), Pattern::Any) => {
            let message = format!(
                "`{name}` allows every command. Name commands, such as `Bash(git status)` or `Bash(npm test)`."
            );
            return Some((LintKind::OverBroad, message));
        }
        (_, Pattern::Command(pattern)) if pattern.prefix => match pattern.words.as_slice() {
            [word] => word.as_str(),
            _ => return None,
        },
        _ => return None,
    };
    let is_half = || has_subcommands(catalogue, single) || runs_texts(catalogue, single);
    if wraps(catalogue, single) && is_half() {
        // It covers the others (`docker ps`), or is needed beside rules on what it runs.
        None
    } else if wraps(catalogue, single) {
        // Of these a rule on the command is enough.
        let message = if TRANSPARENT.contains(&facts_name(single)) {
            format!(
                "`{name}` has no effect: it does not allow what `{single}` runs. Allow the command itself, such as `Bash(ls:*)`."
            )
        } else {
            format!(
                "`{name}` has no effect: it does not allow what `{single}` runs. Name the command as well, such as `Bash({single} ls:*)`."
            )
        };
        Some((LintKind::Dead, message))
    } else if opens_anything(catalogue, single) {
        let message =
            format!("`{name}` allows `{single}` to run any code. Name a script or a subcommand.");
        Some((LintKind::Runner, message))
    } else {
        None
    }
}

/// Files that show what a file with secrets looks like, and hold none.
const EXAMPLES: &[&str] = &[
    ".env.example",
    ".env.sample",
    ".env.template",
    ".env.dist",
    "config.example.json",
    "credentials.example.json",
    "secrets.example.yaml",
];

/// Whether a rule that denies or asks covers files that show what such a file looks like: `.env*`. A rule that names one, and
/// one on everything in a directory, means it.
fn covers_examples(rule: &Rule) -> Option<(LintKind, String)> {
    let Pattern::Path(glob) = &rule.pattern else {
        return None;
    };
    let text = &rule.text.rule;
    let specifier = rule.specifier()?;
    let last = specifier.rsplit('/').next()?;
    if !last.contains('*') || last.starts_with('*') || last.contains(['{', '[']) {
        return None;
    }
    let form = |name: &str| [crate::glob::Segment::Literal(name.into())];
    let example = EXAMPLES.iter().find(|name| glob.overlaps(&form(name)))?;
    let message = format!(
        "`{text}` covers `{example}`, which usually has no secrets. To leave it out, name the files, such as `{}`.",
        text.replace(
            last,
            &format!(
                "{{{0},{0}.local,{0}.production}}",
                last.trim_end_matches(['*', '.'])
            )
        )
    );
    Some((LintKind::CoversExamples, message))
}

/// Whether `wide` matches every call that `narrow` matches. Cautious: `false` when it cannot be determined.
fn covers(wide: &Rule, narrow: &Rule) -> bool {
    let subject = match (&wide.subject, &narrow.subject) {
        (Subject::Every, _) => true,
        (Subject::Group(group), Subject::Operation(operation)) => operation.group() == *group,
        // What denies takes every case.
        (Subject::Foreign(wide), Subject::Exactly(narrow)) => {
            let narrow = narrow.to_ascii_lowercase();
            match wide.strip_suffix('*') {
                Some(prefix) => narrow.starts_with(prefix),
                None => *wide == narrow,
            }
        }
        (Subject::Foreign(wide), Subject::Foreign(narrow))
        | (Subject::Exactly(wide), Subject::Exactly(narrow)) => match wide.strip_suffix('*') {
            Some(prefix) => narrow.starts_with(prefix),
            None => wide == narrow,
        },
        (wide, narrow) => wide == narrow,
    };
    let condition =
        wide.after.is_empty() || !narrow.after.is_empty() && wide.after.has_all(narrow.after);
    subject
        && condition
        && match (&wide.pattern, &narrow.pattern) {
            (Pattern::Any, _) => true,
            (Pattern::Path(wide), _) if wide.is_everything() => true,
            (Pattern::Path(wide), Pattern::Path(narrow)) => wide.covers(narrow),
            (Pattern::Command(wide), Pattern::Command(narrow)) => wide.covers(narrow),
            (Pattern::Host(wide), Pattern::Host(narrow)) => wide.covers(narrow),
            (Pattern::Name(wide), Pattern::Name(narrow)) => wide.covers(narrow),
            (Pattern::Arguments(wide), Pattern::Arguments(narrow)) => wide == narrow,
            _ => false,
        }
}

/// Whether the rule allows a wrapper with a command behind it, which a rule on the wrapper alone does not (docs/policy.md, "What a rule on a command allows" and "Commands").
fn names_what_is_run(rule: &Rule, catalogue: &Catalogue) -> bool {
    let Some(pattern) = rule.command() else {
        return false;
    };
    let Some((name, words)) = pattern.words.split_first() else {
        return false;
    };
    let finds = || {
        words
            .iter()
            .any(|word| word.starts_with("-exec") || word.starts_with("-ok"))
    };
    match name.as_str() {
        name if facts_name(name) == "find" => finds(),
        name => wraps(catalogue, name) && !words.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Permissions;

    #[test]
    fn every_name_of_a_program_that_runs_anything_is_warned_of() {
        for name in [
            "sh",
            "ksh",
            "pwsh",
            "powershell",
            "python3.12",
            "pypy3",
            "nodejs",
            "tsx",
            "ts-node",
            "lua",
            "lua5.4",
            "Rscript",
            "julia",
            "gawk",
            "mawk",
            "gmake",
            "docker",
            "podman",
            "nerdctl",
            "npx",
            "bunx",
        ] {
            assert!(opens_anything(&Catalogue::BUILT_IN, name), "{name}");
        }
        for name in ["git", "npm", "ls", "grep", "tar", "gtar", "cargo"] {
            assert!(
                !opens_anything(&Catalogue::BUILT_IN, name) && !wraps(&Catalogue::BUILT_IN, name),
                "{name}"
            );
        }
        for name in [
            "sudo", "env", "genv", "gtimeout", "gxargs", "setsid", "flock", "busybox",
        ] {
            assert!(wraps(&Catalogue::BUILT_IN, name), "{name}");
        }
    }

    #[test]
    fn a_program_with_subcommands_that_run_nothing_is_not_said_to_have_no_effect() {
        let lints = |rule: &str| {
            let permissions = Permissions {
                allow: vec![rule.into()],
                ..Permissions::default()
            };
            let resolve = |name: &str| (name == "Bash").then_some(Operation::Execute);
            let rules = RuleSet::new(&permissions, &resolve).unwrap();
            rules.lints(&Catalogue::BUILT_IN).len()
        };
        assert_eq!(
            ["Bash(docker:*)", "Bash(jj:*)", "Bash(podman:*)"].map(lints),
            [0, 0, 0]
        );
        assert_eq!(
            ["Bash(sudo:*)", "Bash(timeout:*)", "Bash(time:*)"].map(lints),
            [1, 1, 1]
        );
    }

    #[test]
    fn a_pattern_that_covers_an_example_file_is_warned_of() {
        let permissions = Permissions {
            deny: [
                "Read(.env*)",
                "Read(.env)",
                "Read(.env.example)",
                "Read(secrets/**)",
                "Read(*.pem)",
            ]
            .map(Into::into)
            .to_vec(),
            ..Permissions::default()
        };
        let resolve = |name: &str| (name == "Read").then_some(Operation::Read);
        let lints = RuleSet::new(&permissions, &resolve)
            .unwrap()
            .lints(&Catalogue::BUILT_IN);
        let covering = lints
            .iter()
            .filter(|lint| lint.kind == LintKind::CoversExamples);
        let covering: Vec<&str> = covering.map(|lint| lint.message.as_str()).collect();
        assert_eq!(
            covering,
            [
                "`Read(.env*)` covers `.env.example`, which usually has no secrets. To leave it out, name the files, such as `Read({.env,.env.local,.env.production})`."
            ]
        );
    }

    #[test]
    fn rules_that_never_decide_and_rules_that_open_too_much_are_reported() {
        let permissions = Permissions {
            deny: vec!["Bash(git push:*)".into(), "Read(secrets/**)".into()],
            ask: vec!["Bash(git push --force:*)".into()],
            allow: [
                "Bash(git push origin)",
                "Bash(git:*)",
                "Bash(git status)",
                "Bash(sudo:*)",
                "Bash(python3:*)",
                "Read(secrets/a)",
                "mcp__a__*",
                "mcp__a__b",
                "Bash(npm test)",
                "Bash(find:*)",
                "Bash(find src -exec wc:*)",
            ]
            .map(Into::into)
            .to_vec(),
            default_mode: None,
        };
        let resolve = |name: &str| match name {
            "Bash" => Some(Operation::Execute),
            "Read" => Some(Operation::Read),
            _ => None,
        };
        let lints = RuleSet::new(&permissions, &resolve)
            .unwrap()
            .lints(&Catalogue::BUILT_IN);
        let reported: Vec<_> = lints
            .iter()
            .map(|lint| (lint.kind, lint.rule.as_str()))
            .collect();
        assert_eq!(
            reported,
            [
                (LintKind::Shadowed, "Bash(git push --force:*)"),
                (LintKind::Shadowed, "Bash(git push origin)"),
                (LintKind::Redundant, "Bash(git status)"),
                (LintKind::Dead, "Bash(sudo:*)"),
                (LintKind::Runner, "Bash(python3:*)"),
                (LintKind::Shadowed, "Read(secrets/a)"),
                (LintKind::Redundant, "mcp__a__b"),
            ]
        );
    }
}
