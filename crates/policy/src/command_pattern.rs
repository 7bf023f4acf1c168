//! Command patterns (POLICY.md B1): exact words, or a prefix of words with `:*`. Split by the shell's own reader.

use tenon_shell::{Dialect, Word, read};

use crate::commands::{base_name, is_same_program};

/// Why a text is no command pattern: offset and problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommandPatternError {
    pub(crate) at: usize,
    pub(crate) problem: String,
}

/// Words to compare with those of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommandPattern {
    /// Never empty.
    pub(crate) words: Vec<String>,
    /// Whether more words may follow.
    pub(crate) prefix: bool,
}

/// How a pattern compares with words of which some are not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fit {
    /// It cannot match.
    No,
    /// It matches if the unknown words are the right ones.
    Perhaps,
    /// It matches.
    Yes,
}

impl CommandPattern {
    pub(crate) fn new(text: &str) -> Result<Self, CommandPatternError> {
        let fault = |at, problem: &str| {
            Err(CommandPatternError {
                at,
                problem: problem.to_owned(),
            })
        };
        let (body, prefix) = match text.strip_suffix(":*") {
            Some(body) => (body, true),
            None => (text, false),
        };
        let words = match (words(body), body.find(":*")) {
            (Ok(words), _) => words,
            (Err(_), Some(at)) => {
                return fault(
                    at,
                    "has `:*` before its end, where it would never match. Put `:*` at the end, or quote it",
                );
            }
            (Err(error), None) => return Err(error),
        };
        if words.is_empty() {
            return fault(
                0,
                "does not name a command. Write the words of a command, such as `git status` or `git:*`",
            );
        }
        Ok(Self { words, prefix })
    }

    /// The same with the sub-command under its name in the manual, where that is another one: `npm i` is `npm install`.
    pub(crate) fn in_manual(&self) -> Option<Self> {
        let [name, command, ..] = self.words.as_slice() else {
            return None;
        };
        let manual = tenon_shell::manual_command(name, command)?;
        let mut settled = self.clone();
        if let Some(word) = settled.words.get_mut(1) {
            manual.clone_into(word);
        }
        Some(settled)
    }

    /// Compares with the words of a command. `name` is what the first word counts as.
    pub(crate) fn fit(&self, name: Option<&str>, words: &[Word]) -> Fit {
        self.fit_behind(0, name, words)
    }

    /// The same for the words of the pattern from this place on.
    pub(crate) fn fit_behind(&self, place: usize, name: Option<&str>, words: &[Word]) -> Fit {
        let own = self.words.get(place..).unwrap_or_default();
        let Some((own_name, own_rest)) = own.split_first() else {
            return Fit::No;
        };
        let Some(name) = name else {
            return Fit::Perhaps;
        };
        if name != own_name {
            return Fit::No;
        }
        let rest = words.get(1..).unwrap_or_default();
        for (index, own) in own_rest.iter().enumerate() {
            match rest.get(index).map(Word::literal) {
                Some(Some(word)) if word == own => {}
                Some(None) if rest.get(index).is_some_and(|word| may_become(word, own)) => {
                    return Fit::Perhaps;
                }
                _ => return Fit::No,
            }
        }
        let more = rest.get(own_rest.len()..).unwrap_or_default();
        match more {
            [] => Fit::Yes,
            _ if self.prefix => Fit::Yes,
            // An expansion can vanish.
            _ if more
                .iter()
                .all(|word| word.is_opaque() && word.expansion.splits) =>
            {
                Fit::Perhaps
            }
            _ => Fit::No,
        }
    }

    /// Whether the word at this place names this command, whatever folder it is in.
    pub(crate) fn fit_name(&self, place: usize, words: &[Word]) -> bool {
        let name = words.first().and_then(Word::literal).map(base_name);
        let own = self.words.get(place).map(|own| base_name(own));
        name.zip(own)
            .is_some_and(|(name, own)| is_same_program(name, own))
    }

    /// Whether every command of `other` is one of this pattern.
    pub(crate) fn covers(&self, other: &Self) -> bool {
        if self.prefix {
            other.words.starts_with(&self.words)
        } else {
            self == other
        }
    }
}

/// Whether an opaque word can become this word, words that begin with it, or nothing at all.
fn may_become(word: &Word, wanted: &str) -> bool {
    let prefix = word.prefix();
    let open =
        |letter: &char| matches!(letter, '*' | '?' | '[' | '~' | '{' | '+' | '@' | '!' | '(');
    let fixed: String = prefix.chars().take_while(|letter| !open(letter)).collect();
    wanted.starts_with(&fixed)
}

/// The words of one simple command without anything to expand.
pub(crate) fn words(text: &str) -> Result<Vec<String>, CommandPatternError> {
    let fault = |at, problem: String| Err(CommandPatternError { at, problem });
    if text.trim_matches([' ', '\t']).is_empty() {
        return Ok(Vec::new());
    }
    let mut found: Option<Vec<String>> = None;
    for dialect in Dialect::ALL {
        let script = match read(text, dialect) {
            Ok(script) => script,
            Err(error) => {
                return fault(
                    error.span().start.min(text.len()),
                    format!("is not a command that a shell can parse ({error})"),
                );
            }
        };
        let mut commands = script.commands();
        let (Some(command), None, 1) = (commands.next(), commands.next(), script.findings.len())
        else {
            return fault(
                0,
                "is more than one simple command. Write one rule for each".to_owned(),
            );
        };
        if let Some(first) = command.assignments.iter().find(|assignment| {
            assignment.kind == tenon_shell::AssignmentKind::Prefix || command.words.is_empty()
        }) {
            return fault(
                first.span.start,
                "begins with an assignment. Name the command after it".to_owned(),
            );
        }
        if let Some(redirection) = command.redirections.first() {
            return fault(
                redirection.span.start,
                "has a redirection. Allow files by rules such as `Edit(path)`".to_owned(),
            );
        }
        let mut words = Vec::new();
        for word in &command.words {
            let Some(literal) = word.literal() else {
                return fault(
                    word.span.start,
                    "has a word that a shell would expand, which is never compared. Quote it, or end the words before it with `:*`".to_owned(),
                );
            };
            words.push(literal.to_owned());
        }
        if found.get_or_insert_with(|| words.clone()) != &words {
            return fault(
                0,
                "is parsed differently by bash and by a POSIX shell. Quote it".to_owned(),
            );
        }
    }
    Ok(found.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(pattern: &str, command: &str) -> Fit {
        let script = read(command, Dialect::Bash).unwrap();
        let words = script.commands().next().unwrap().words.clone();
        CommandPattern::new(pattern)
            .unwrap()
            .fit(words[0].literal(), &words)
    }

    #[test]
    fn exact_words_and_prefixes_of_whole_words() {
        for (pattern, command, expected) in [
            ("git status", "git status", Fit::Yes),
            ("git status", "git  'sta'tus", Fit::Yes),
            ("git status", "git status -s", Fit::No),
            ("git:*", "git", Fit::Yes),
            ("git:*", "git push origin", Fit::Yes),
            ("git:*", "gitk", Fit::No),
            ("git push:*", "git $x", Fit::Perhaps),
            ("git push:*", "git \"p$x\"", Fit::Perhaps),
            ("git push:*", "git \"s$x\"", Fit::No),
            ("git status", "git status $x", Fit::Perhaps),
            ("git commit -m 'a b'", "git commit -m \"a b\"", Fit::Yes),
        ] {
            assert_eq!(fit(pattern, command), expected, "{pattern} on {command}");
        }
    }

    #[test]
    fn what_could_never_match_is_refused_with_its_place() {
        let fault = |text: &str| {
            CommandPattern::new(text)
                .map_err(|error| error.at)
                .unwrap_err()
        };
        assert_eq!(fault("git:* push"), 3);
        assert_eq!(fault("git *"), 4);
        assert_eq!(fault(":*"), 0);
        assert_eq!(fault("a && b"), 0);
        assert_eq!(fault("a > b"), 2);
        assert_eq!(fault("X=1 a"), 0);
    }
}
