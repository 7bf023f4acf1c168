//! Rules of other agents, carried over as far as they mean the same here, with a report of what could not be.
//!
//! Nothing is widened: where a rule says more than ours can, it is carried over narrower or not at all. What is not
//! carried over and would have denied or asked is reported as such, since omitting it opens something.

mod claude;
mod codex;
mod gemini;
mod opencode;

use serde::Serialize;

use crate::rule::RuleText;
use crate::rules::Permissions;
use crate::verdict::Verdict;

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
    /// Whether it denied or asked, so that something is open without it.
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

    /// Takes a command pattern in which `*` stands for any text, if it is words or words with one star at the end.
    fn take_starred(&mut self, list: Verdict, original: &str, pattern: &str) {
        let body = pattern
            .strip_suffix(":*")
            .or_else(|| pattern.strip_suffix(" *"));
        let (body, prefix) = match body {
            Some(body) => (body, true),
            None => (pattern, false),
        };
        let text = body.strip_suffix('*').unwrap_or(body);
        let letters = text.len() != body.len();
        if text.contains('*') || (letters && list == Verdict::Allow) {
            return self.leave(original, list, "a `*` inside a command or word is not supported: rules compare whole words. Write the words");
        }
        if letters {
            // `rm*` also denied what begins with these letters; whole words are what can be said.
            self.leave(original, list, "`*` right after a word also matched longer words; it was imported for the whole word only");
        }
        match crate::command_pattern::words(text) {
            Ok(words) if words.is_empty() => self.take(list, RuleText::from("Bash")),
            Ok(words) => {
                let quoted: Vec<String> = words
                    .iter()
                    .map(|word| crate::rule_text::quote(word))
                    .collect();
                let star = if prefix || letters { ":*" } else { "" };
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
}

#[cfg(test)]
mod tests;
