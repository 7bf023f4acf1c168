//! Codex: `prefix_rule(pattern = […], decision = …, justification = …, match = […], not_match = […])`.
//!
//! The files are written in a language with variables and functions; only such calls with literal arguments are
//! read, anything else is reported.

use super::{ImportError, Imported};
use crate::rule::RuleText;
use crate::verdict::{DefaultMode, Verdict};

/// A literal of the language.
#[derive(Debug, Clone, PartialEq)]
enum Literal {
    Text(String),
    List(Vec<Literal>),
    Name(String),
}

impl Literal {
    fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::List(_) | Self::Name(_) => None,
        }
    }
}

pub(super) fn import(text: &str) -> Result<Imported, ImportError> {
    let mut reader = Reader { text, at: 0 };
    let mut imported = Imported::default();
    loop {
        reader.skip();
        if reader.rest().is_empty() {
            // What no rule is about requires approval there, or runs in a sandbox.
            imported.default_at_least(DefaultMode::Ask);
            imported.reading_is_free();
            return Ok(imported);
        }
        let start = reader.at;
        let name = reader.word();
        reader.skip();
        if name.is_empty() || !reader.take('(') {
            return Err(reader.fault("a call such as `prefix_rule(…)` was expected"));
        }
        let arguments = reader.arguments()?;
        let shown = text
            .get(start..reader.at)
            .unwrap_or_default()
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ");
        check(&name, &arguments).map_err(|problem| reader.fault_at(start, &problem))?;
        if name == "prefix_rule" {
            take(&mut imported, &shown, &arguments);
        } else {
            let decision = arguments.iter().find(|(own, _)| own == "decision");
            let allows = decision.and_then(|(_, value)| value.text()) == Some("allow");
            let list = if allows { Verdict::Allow } else { Verdict::Ask };
            imported.leave(&shown, list, &format!("`{name}` is not supported"));
        }
    }
}

/// The calls of the language, and what each is given by name.
const CALLS: &[(&str, &[&str])] = &[
    (
        "prefix_rule",
        &["pattern", "decision", "justification", "match", "not_match"],
    ),
    (
        "network_rule",
        &["host", "protocol", "decision", "justification"],
    ),
    ("host_executable", &["name", "paths"]),
];

/// Says what Codex refuses a whole file for: an argument that the call does not have, or has twice.
fn check(call: &str, arguments: &[(String, Literal)]) -> Result<(), String> {
    let Some((_, known)) = CALLS.iter().find(|(name, _)| *name == call) else {
        return Ok(());
    };
    for (place, (name, _)) in arguments.iter().enumerate() {
        if !known.contains(&name.as_str()) {
            let known = known.join("`, `");
            return Err(format!("`{call}` has no argument `{name}`. Use `{known}`"));
        }
        let mut earlier = arguments.iter().take(place);
        if earlier.any(|(other, _)| other == name) {
            return Err(format!("`{call}` has `{name}` twice"));
        }
    }
    Ok(())
}

/// Takes one `prefix_rule`, or says why not.
fn take(imported: &mut Imported, shown: &str, arguments: &[(String, Literal)]) {
    let argument = |name: &str| {
        arguments
            .iter()
            .find(|(own, _)| own == name)
            .map(|(_, value)| value)
    };
    let list = match list(argument("decision")) {
        Ok(list) => list,
        Err(why) => return imported.leave(shown, Verdict::Ask, why),
    };
    let prefixes = match prefixes(argument("pattern")) {
        Ok(prefixes) => prefixes,
        Err(why) => return imported.leave(shown, list, why),
    };
    let because = match argument("justification") {
        Some(Literal::Text(because)) => Some(because.clone()),
        _ => None,
    };
    // Examples are for the whole rule; with alternatives no single rule of ours has to match all of them.
    let matches = match prefixes.as_slice() {
        [_] => examples(argument("match")),
        _ => Vec::new(),
    };
    for prefix in prefixes {
        let words: Vec<String> = prefix
            .iter()
            .map(|word| crate::rule_text::quote(word))
            .collect();
        let rule = RuleText {
            rule: format!("Bash({}:*)", words.join(" ")),
            because: because.clone(),
            matches: matches.clone(),
            no_matches: examples(argument("not_match")),
        };
        imported.take(list, rule);
    }
}

/// The list that a `decision` stands for.
fn list(decision: Option<&Literal>) -> Result<Verdict, &'static str> {
    match decision {
        None => Ok(Verdict::Allow),
        Some(Literal::Text(decision)) => match decision.as_str() {
            "allow" => Ok(Verdict::Allow),
            "prompt" => Ok(Verdict::Ask),
            "forbidden" => Ok(Verdict::Deny),
            _ => Err("its `decision` is not `allow`, `prompt` or `forbidden`"),
        },
        Some(_) => Err("its `decision` is not a string"),
    }
}

/// Most rules of ours that one pattern may stand for.
const MAX_PREFIXES: usize = 256;

/// Every combination of the alternatives of a `pattern`.
fn prefixes(pattern: Option<&Literal>) -> Result<Vec<Vec<String>>, &'static str> {
    let Some(Literal::List(pattern)) = pattern else {
        return Err("it has no `pattern` list");
    };
    if pattern.is_empty() {
        return Err("its `pattern` is empty");
    }
    let mut prefixes: Vec<Vec<String>> = vec![Vec::new()];
    for word in pattern {
        let choices = choices(word)
            .filter(|choices| !choices.is_empty() && choices.len() * prefixes.len() <= MAX_PREFIXES)
            .ok_or("its `pattern` contains something that is not a string, or expands to more than 256 rules")?;
        let longer = prefixes.iter().flat_map(|prefix| {
            choices
                .iter()
                .map(move |choice| [prefix.as_slice(), &[choice.to_string()]].concat())
        });
        prefixes = longer.collect();
    }
    Ok(prefixes)
}

/// The texts that may stand at one place of a pattern.
fn choices(word: &Literal) -> Option<Vec<&str>> {
    match word {
        Literal::List(choices) => choices.iter().map(Literal::text).collect(),
        _ => Some(vec![word.text()?]),
    }
}

/// Examples are texts or lists of words.
fn examples(value: Option<&Literal>) -> Vec<String> {
    let Some(Literal::List(list)) = value else {
        return Vec::new();
    };
    let example = |literal: &Literal| match literal {
        Literal::Text(text) => Some(text.clone()),
        Literal::List(words) => {
            let quoted = words
                .iter()
                .map(|word| word.text().map(crate::rule_text::quote));
            quoted
                .collect::<Option<Vec<String>>>()
                .map(|words| words.join(" "))
        }
        Literal::Name(_) => None,
    };
    list.iter().filter_map(example).collect()
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn fault(&self, expected: &str) -> ImportError {
        self.fault_at(self.at, expected)
    }

    fn fault_at(&self, at: usize, expected: &str) -> ImportError {
        let line = self
            .text
            .get(..at)
            .unwrap_or_default()
            .matches('\n')
            .count()
            + 1;
        ImportError {
            format: "Codex",
            problem: format!("line {line}: {expected}"),
        }
    }

    /// Skips blanks and comments.
    fn skip(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start();
            self.at += rest.len() - trimmed.len();
            if !trimmed.starts_with('#') {
                return;
            }
            self.at += trimmed.find('\n').unwrap_or(trimmed.len());
        }
    }

    fn take(&mut self, letter: char) -> bool {
        let found = self.rest().starts_with(letter);
        if found {
            self.at += letter.len_utf8();
        }
        found
    }

    fn word(&mut self) -> String {
        let rest = self.rest();
        let end = rest
            .find(|letter: char| !(letter.is_alphanumeric() || letter == '_'))
            .unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).unwrap_or_default().to_owned()
    }

    fn arguments(&mut self) -> Result<Vec<(String, Literal)>, ImportError> {
        let mut arguments = Vec::new();
        loop {
            self.skip();
            if self.take(')') {
                return Ok(arguments);
            }
            let name = self.word();
            self.skip();
            if name.is_empty() || !self.take('=') {
                return Err(self.fault("an argument such as `pattern = […]` was expected"));
            }
            let value = self.literal(0)?;
            arguments.push((name, value));
            self.skip();
            if !self.take(',') && !self.rest().starts_with(')') {
                return Err(self.fault("`,` or `)` was expected"));
            }
        }
    }

    fn literal(&mut self, depth: usize) -> Result<Literal, ImportError> {
        self.skip();
        if depth > 8 {
            return Err(self.fault("lists are nested too deeply"));
        }
        if self.take('[') {
            let mut list = Vec::new();
            loop {
                self.skip();
                if self.take(']') {
                    return Ok(Literal::List(list));
                }
                list.push(self.literal(depth + 1)?);
                self.skip();
                if !self.take(',') && !self.rest().starts_with(']') {
                    return Err(self.fault("`,` or `]` was expected"));
                }
            }
        }
        for quote in ['"', '\''] {
            if self.take(quote) {
                return self.string(quote).map(Literal::Text);
            }
        }
        let name = self.word();
        if name.is_empty() {
            Err(self.fault("a text or a list was expected"))
        } else {
            Ok(Literal::Name(name))
        }
    }

    fn string(&mut self, quote: char) -> Result<String, ImportError> {
        let mut text = String::new();
        let mut letters = self.rest().char_indices();
        while let Some((at, letter)) = letters.next() {
            match letter {
                '\\' => match letters.next() {
                    Some((_, 'n')) => text.push('\n'),
                    Some((_, 't')) => text.push('\t'),
                    Some((_, other)) => text.push(other),
                    None => break,
                },
                '\n' => break,
                _ if letter == quote => {
                    self.at += at + letter.len_utf8();
                    return Ok(text);
                }
                _ => text.push(letter),
            }
        }
        Err(self.fault("a text is not closed"))
    }
}
