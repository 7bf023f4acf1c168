//! Rules of other agents, carried over as far as they mean the same here, with a report of what could not be.
//!
//! Nothing is widened: where a rule says more than ours can, it is carried over narrower or not at all. What is not
//! carried over and would have denied or asked is reported as such, since omitting it opens something.

mod claude;
mod codex;
mod gemini;
mod opencode;

use serde::Serialize;

use crate::command_pattern::{CommandPattern, Width};
use crate::rule::RuleText;
use crate::rules::Permissions;
use crate::verdict::{DefaultMode, Verdict};

/// Whose rules they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportFormat {
    /// `settings.json` of Claude Code: `permissions.{allow, ask, deny, defaultMode}`.
    ClaudeCode,
    /// `opencode.json`: `permission`, where the last pattern that matches wins.
    OpenCode,
    /// Policy files of gemini-cli (TOML): `[[rule]]` with priorities.
    GeminiCli,
    /// Rule files of Codex: calls of `prefix_rule(…)`.
    Codex,
}

/// What came of an import.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Imported {
    /// The rules, ready for [`RuleSet::new`](crate::RuleSet::new).
    pub permissions: Permissions,
    /// What could not be carried over, in the order of the file.
    pub left_out: Vec<LeftOut>,
}

/// A rule that could not be carried over.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// The rule as its file writes it.
    pub rule: String,
    /// Why, and what to do, in a sentence.
    pub why: String,
    /// Whether it denied or asked, or is not known, so that something may be open without it.
    pub restricts: bool,
}

/// Why a text is no rule file of this format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("These are not rules of {format}: {problem}.")]
pub struct ImportError {
    /// Whose rules they should be.
    pub format: &'static str,
    /// What is wrong, with line and column where they are known.
    pub problem: String,
}

/// Reads the rules of another agent.
///
/// # Errors
/// A text that is no rule file of this format. Single rules that cannot be carried over are no error.
pub fn import_rules(format: ImportFormat, text: &str) -> Result<Imported, ImportError> {
    match format {
        ImportFormat::ClaudeCode => claude::import(&json("Claude Code", text)?),
        ImportFormat::OpenCode => opencode::import(&json("opencode", text)?),
        ImportFormat::GeminiCli => gemini::import(text),
        ImportFormat::Codex => codex::import(text),
    }
}

fn json(format: &'static str, text: &str) -> Result<serde_json::Value, ImportError> {
    json5::from_str(text).map_err(|error| ImportError {
        format,
        problem: error.to_string(),
    })
}

impl Imported {
    fn take(&mut self, list: Verdict, rule: impl Into<RuleText>) {
        let rules = match list {
            Verdict::Deny => &mut self.permissions.deny,
            Verdict::Ask => &mut self.permissions.ask,
            Verdict::Allow => &mut self.permissions.allow,
        };
        rules.push(rule.into());
    }

    fn leave(&mut self, rule: &str, list: Verdict, why: &str) {
        self.left_out.push(LeftOut {
            rule: rule.to_owned(),
            why: why.to_owned(),
            restricts: list != Verdict::Allow,
        });
    }

    /// Takes over that none of these agents asks before it reads in its workspace, where otherwise all would ask.
    fn reading_is_free(&mut self) {
        let own = &self.permissions;
        let restricts = matches!(
            own.mode(false),
            DefaultMode::Ask | DefaultMode::Deny | DefaultMode::AskIfDangerous
        );
        let said = |rule: &RuleText| matches!(rule.rule.as_str(), "*" | "Read" | "Read(**)");
        let denied = own.deny.iter().any(said);
        if restricts && !denied && !own.allow.iter().any(said) {
            self.take(Verdict::Allow, RuleText::from("Read(**)"));
        }
    }

    /// Makes what holds where no rule matches at least as strict as this.
    fn default_at_least(&mut self, mode: DefaultMode) {
        if self.permissions.default_mode != Some(DefaultMode::Deny) {
            self.permissions.default_mode = Some(mode);
        }
    }

    /// Takes a command pattern in which `*` stands for any text, if it is words or words with one star at the end.
    fn take_starred(&mut self, list: Verdict, original: &str, pattern: &str) {
        let body = pattern
            .strip_suffix(":*")
            .or_else(|| pattern.strip_suffix(" *"));
        let (body, prefix) = match body {
            Some(body) => (body, true),
            None => (pattern, false),
        };
        if body.contains('*') && list != Verdict::Allow {
            return self.take_wide(list, original, body, prefix);
        }
        if body.contains('*') {
            return self.leave(original, list, "a `*` inside a command or word is not supported in rules that allow: they compare whole words. Write the words");
        }
        match crate::command_pattern::words(body) {
            Ok(words) if words.is_empty() => self.take(list, RuleText::from("Bash")),
            Ok(words) => {
                let quoted: Vec<String> = words
                    .iter()
                    .map(|word| crate::rule_text::quote(word))
                    .collect();
                let star = if prefix { ":*" } else { "" };
                self.take(
                    list,
                    RuleText {
                        rule: format!("Bash({}{star})", quoted.join(" ")),
                        ..RuleText::default()
                    },
                );
            }
            Err(error) => self.leave(original, list, &format!("its command {}", error.problem)),
        }
    }

    /// Takes a command pattern with a `*` before its end, which a rule that denies or asks may have in one place.
    fn take_wide(&mut self, list: Verdict, original: &str, body: &str, prefix: bool) {
        let open = body.ends_with('*');
        let star = if prefix || open { ":*" } else { "" };
        let mut fault = None;
        for rule in [
            format!("{body}{star}"),
            format!("{}:*", body.trim_end_matches('*')),
        ] {
            match CommandPattern::new(&rule, Width::Wide) {
                Ok(_) if rule.starts_with(body) && says_all(body) => {
                    return self.take(list, RuleText::from(format!("Bash({rule})").as_str()));
                }
                Ok(_) if rule.starts_with(body) || open => {
                    self.leave(original, list, "`*` within a word also matched several words, or other commands; it was imported for the one word only");
                    return self.take(list, RuleText::from(format!("Bash({rule})").as_str()));
                }
                Ok(_) => {}
                Err(error) => fault = fault.or(Some(error.problem)),
            }
        }
        let problem = fault.unwrap_or_default();
        self.leave(original, list, &format!("its command {problem}"));
    }
}

/// Whether one `*` of ours is what that of a pattern is for which it stands for any text: between words, or at the end.
fn says_all(body: &str) -> bool {
    let within = |word: &str| word != "*" && word.contains('*');
    let inner = body.strip_suffix('*').unwrap_or(body);
    !inner.split_whitespace().any(within)
}

#[cfg(test)]
mod tests;
