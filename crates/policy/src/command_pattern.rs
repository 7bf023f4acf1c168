//! Command patterns (docs/policy.md, "Rules"): exact words, or a prefix of words with `:*` or ` *` at the end. Split by the shell's
//! own reader. In rules that deny or ask, words may have one inner `*` and begin with `~/`: a denial may be wide.

use tenon_shell::{Part, ShellGrammar, Word, read};

use crate::glob::{Token, token_lists_overlap};
use crate::program_names::{base_name, is_same_program};

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
    /// The place of the word with an inner `*`; never the first.
    star: Option<usize>,
    /// Whether `~/` stands for every home: in rules that deny or ask.
    homes: bool,
}

/// Whether the rules of a list may be wider than what they name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Width {
    /// Rules that allow: only what is named.
    Narrow,
    /// Rules that deny or ask: one inner `*`, and `~/` for every home.
    Wide,
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
    pub(crate) fn new(text: &str, width: Width) -> Result<Self, CommandPatternError> {
        let fault = |at, problem: &str| {
            Err(CommandPatternError {
                at,
                problem: problem.to_owned(),
            })
        };
        let open = text.strip_suffix(":*").or_else(|| text.strip_suffix(" *"));
        let (body, prefix) = match open {
            Some(body) => (body, true),
            None => (text, false),
        };
        let words = match (words_of(body, width), body.find(":*")) {
            (Ok(words), _) => words,
            (Err(_), Some(at)) => {
                return fault(
                    at,
                    "has `:*` before its end, where it would never match. Put `:*` at the end, or quote it",
                );
            }
            (Err(error), None) => return Err(error),
        };
        let (words, star) = words;
        if words.is_empty() {
            return fault(
                0,
                "does not name a command. Write the words of a command, such as `git status` or `git:*`",
            );
        }
        Ok(Self {
            words,
            prefix,
            star,
            homes: width == Width::Wide,
        })
    }

    /// The same with the subcommand under its name in the manual, where that is another one: `npm i` is `npm install`.
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
        self.fit_rest(place + 1, own_rest, rest)
    }

    /// Compares the words of the pattern from this place on with all the words that are left.
    fn fit_rest(&self, place: usize, own_words: &[String], rest: &[Word]) -> Fit {
        let Some((own, own_rest)) = own_words.split_first() else {
            return match rest {
                [] => Fit::Yes,
                _ if self.prefix => Fit::Yes,
                // An expansion can vanish.
                _ if rest
                    .iter()
                    .all(|word| word.is_opaque() && word.expansion.splits) =>
                {
                    Fit::Perhaps
                }
                _ => Fit::No,
            };
        };
        if self.star == Some(place) && own == "*" {
            // Any number of words.
            let behind = (0..=rest.len()).filter_map(|count| rest.get(count..));
            let fits = behind.map(|rest| self.fit_rest(place + 1, own_rest, rest));
            return fits.max().unwrap_or(Fit::No);
        }
        let Some((word, rest)) = rest.split_first() else {
            return Fit::No;
        };
        match word.literal() {
            Some(text) if self.fits_text(place, text) => self.fit_rest(place + 1, own_rest, rest),
            // Most programs take the start of an option for it: `git reset --har`.
            Some(text) if self.homes && is_short_for(own, text) => {
                self.fit_rest(place + 1, own_rest, rest).min(Fit::Perhaps)
            }
            Some(_) => Fit::No,
            None if self.is_written_so(place, own, word) => {
                self.fit_rest(place + 1, own_rest, rest)
            }
            None if self.homes && self.star != Some(place) && is_other_home_path(own, word) => {
                Fit::No
            }
            None if self.ends_otherwise(place, own, word) => Fit::No,
            None if self.is_other_pattern(place, own, word) => {
                // Where no file has such a name, shells can be set to leave it out.
                self.fit_rest(place, own_words, rest).min(Fit::Perhaps)
            }
            None if may_become(word, own) || self.may_meet(place, own, word) => Fit::Perhaps,
            None => Fit::No,
        }
    }

    /// Whether the word of the pattern at this place fits a word of this text.
    pub(crate) fn fits_text(&self, place: usize, text: &str) -> bool {
        let Some(own) = self.words.get(place) else {
            return false;
        };
        if own == text {
            return true;
        }
        if let Some(below) = own
            .strip_prefix("~/")
            .filter(|_| self.homes && self.star != Some(place))
        {
            return below_a_home(text) == Some(below);
        }
        let Some((before, behind)) = own.split_once('*').filter(|_| self.star == Some(place))
        else {
            return false;
        };
        let between = text.len() >= before.len() + behind.len();
        between && text.starts_with(before) && text.ends_with(behind)
    }

    /// Whether a word that a shell expands is written as that of a wide pattern is.
    fn is_written_so(&self, place: usize, own: &str, word: &Word) -> bool {
        let wide = (self.homes && own.starts_with("~/")) || self.star == Some(place);
        let only_text = !word.expansion.splits && !word.expansion.braces && !word.quoted;
        wide && only_text && word.pattern().is_some_and(|text| text == own)
    }

    /// Whether a path below a home directory ends otherwise than this word of the pattern, whatever the home directory is.
    fn ends_otherwise(&self, place: usize, own: &str, word: &Word) -> bool {
        let Some(below) = below_home(word) else {
            return false;
        };
        let star = own.split_once('*').filter(|_| self.star == Some(place));
        match star {
            Some((_, behind)) => !below.ends_with(behind) && !behind.ends_with(&below),
            None => !own.ends_with(&below),
        }
    }

    /// Whether a word is a pattern of names of files of which none can be this word of the pattern: `*.txt` is never `-rf`.
    fn is_other_pattern(&self, place: usize, own: &str, word: &Word) -> bool {
        let is_home = self.homes && own.starts_with("~/");
        let Some(names) = names_of_pattern(word).filter(|_| !is_home) else {
            return false;
        };
        let is_star = |letter: &char| *letter == '*' && self.star == Some(place);
        let own = own.chars().map(|letter| match is_star(&letter) {
            true => Token::AnyRun,
            false => Token::Character(letter),
        });
        !token_lists_overlap(&names, &own.collect::<Vec<_>>())
    }

    /// Whether a word that is not known can become one that the `*` of the pattern fits.
    fn may_meet(&self, place: usize, own: &str, word: &Word) -> bool {
        let star = own.find('*').filter(|_| self.star == Some(place));
        let before = star.and_then(|star| own.get(..star));
        before.is_some_and(|before| may_become(word, before) || fixed(word).starts_with(before))
    }

    /// Whether any number of words may stand in the middle.
    pub(crate) fn has_gap(&self) -> bool {
        let starred = self.star.and_then(|place| self.words.get(place));
        starred.is_some_and(|word| word == "*")
    }

    /// Whether it ends with a gap and one option: `git * --force *`.
    pub(crate) fn seeks_option(&self) -> bool {
        let behind = self.star.and_then(|place| self.words.get(place + 1..));
        self.has_gap() && matches!(behind, Some([option]) if option.starts_with('-'))
    }

    /// Whether the word at this place names this command, whatever directory it is in.
    pub(crate) fn fit_name(&self, place: usize, words: &[Word]) -> bool {
        let name = words.first().and_then(Word::literal).map(base_name);
        let own = self.words.get(place).map(|own| base_name(own));
        name.zip(own)
            .is_some_and(|(name, own)| is_same_program(name, own))
    }

    /// Whether every command of `other` is one of this pattern.
    pub(crate) fn covers(&self, other: &Self) -> bool {
        if self.prefix && self.star.is_none() {
            other.words.starts_with(&self.words)
                && other.star.is_none_or(|star| star >= self.words.len())
        } else {
            self == other
        }
    }
}

/// Whether a word can be the short form of a long option.
fn is_short_for(option: &str, text: &str) -> bool {
    let name = text.strip_prefix("--").unwrap_or_default();
    name.len() > 1 && option.len() > text.len() && option.starts_with(text)
}

/// What of a path stands behind a home directory, as systems name these.
fn below_a_home(path: &str) -> Option<&str> {
    if let Some(below) = path.strip_prefix("/root/") {
        return Some(below);
    }
    let homes = ["/home/", "/Users/"];
    let of_users = homes.iter().find_map(|homes| path.strip_prefix(homes))?;
    of_users.split_once('/').map(|(_, below)| below)
}

/// Whether both are paths below a home directory, but not the same.
fn is_other_home_path(own: &str, word: &Word) -> bool {
    let own = own.strip_prefix('~').filter(|own| own.starts_with('/'));
    own.is_some_and(|own| below_home(word).is_some_and(|below| below != own))
}

/// The form of what a pattern of names of files can become; a star stands for slashes, too. Nothing for a word that is more.
fn names_of_pattern(word: &Word) -> Option<Vec<Token>> {
    let expansion = word.expansion;
    if !expansion.globs || expansion.splits || expansion.braces || expansion.tilde {
        return None;
    }
    let mut tokens = Vec::new();
    for part in &word.parts {
        let Part::Text { value, quoted } = part else {
            return None;
        };
        // A class and a list of patterns are more than one sign.
        if !quoted && value.contains(['[', '(', '\\']) {
            return None;
        }
        tokens.extend(value.chars().map(|letter| match letter {
            '*' if !quoted => Token::AnyRun,
            '?' if !quoted => Token::AnyOne,
            letter => Token::Character(letter),
        }));
    }
    Some(tokens)
}

/// What an opaque word surely begins with.
fn fixed(word: &Word) -> String {
    let open =
        |letter: &char| matches!(letter, '*' | '?' | '[' | '~' | '{' | '+' | '@' | '!' | '(');
    let prefix = word.prefix();
    prefix.chars().take_while(|letter| !open(letter)).collect()
}

/// Whether an opaque word can become words that begin with this one, or nothing at all.
fn may_become(word: &Word, wanted: &str) -> bool {
    wanted.starts_with(&fixed(word))
}

/// What stands behind the home directory in a word such as `~/x`.
fn below_home(word: &Word) -> Option<String> {
    let expansion = word.expansion;
    let only_home = expansion.tilde && !expansion.splits && !expansion.globs && !expansion.braces;
    let text = word.pattern().filter(|_| only_home && !word.quoted);
    let below = text.as_deref()?.strip_prefix('~')?;
    below.starts_with('/').then(|| below.to_owned())
}

/// The words of one simple command without anything to expand.
pub(crate) fn words(text: &str) -> Result<Vec<String>, CommandPatternError> {
    words_of(text, Width::Narrow).map(|(words, _)| words)
}

/// What a word stands for that a shell would expand; with whether it has a `*`.
fn wide_word(word: &Word) -> Option<(String, bool)> {
    let expansion = word.expansion;
    let text = word.pattern()?.into_owned();
    let only_text = !word.quoted && !expansion.splits && !expansion.braces;
    let stars = text.matches('*').count();
    let is_home = expansion.tilde && text.starts_with("~/") && stars == 0;
    let is_star = expansion.globs && !expansion.tilde && stars == 1;
    let plain = !text.contains(['?', '[', '$', '`']);
    (only_text && plain && (is_home || is_star)).then_some((text, is_star))
}

/// The same, and the place of the word with the `*` that a wide pattern may have.
fn words_of(text: &str, width: Width) -> Result<(Vec<String>, Option<usize>), CommandPatternError> {
    let fault = |at, problem: String| Err(CommandPatternError { at, problem });
    if text.trim_matches([' ', '\t']).is_empty() {
        return Ok((Vec::new(), None));
    }
    let mut found: Option<Vec<String>> = None;
    let mut star = None;
    for dialect in grammars_of(text, width)? {
        let script = match read(text, *dialect) {
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
        let words = texts_of(&command.words, width, &mut star)?;
        if found.get_or_insert_with(|| words.clone()) != &words {
            return fault(
                0,
                "is parsed differently by bash and by a POSIX shell. Quote it".to_owned(),
            );
        }
    }
    Ok((found.unwrap_or_default(), star))
}

/// The shells that read a pattern. For bash `time` is part of the syntax and no command, so the command behind it needs the rule.
fn grammars_of(text: &str, width: Width) -> Result<&'static [ShellGrammar], CommandPatternError> {
    let (first, behind) = text.split_once([' ', '\t']).unwrap_or((text, ""));
    let behind = behind.trim_matches([' ', '\t']);
    match first {
        "time" if width == Width::Narrow && !behind.is_empty() => Err(CommandPatternError {
            at: 0,
            problem: format!(
                "begins with `time`, which is seen through. Write the rule for the command behind it, such as `Bash({behind})`"
            ),
        }),
        "time" => Ok(&[ShellGrammar::Dash]),
        _ => Ok(&ShellGrammar::ALL),
    }
}

/// The texts of words, and the place of the one with a `*`.
fn texts_of(
    words: &[Word],
    width: Width,
    star: &mut Option<usize>,
) -> Result<Vec<String>, CommandPatternError> {
    let fault = |word: &Word, problem: &str| {
        Err(CommandPatternError {
            at: word.span.start,
            problem: problem.to_owned(),
        })
    };
    let mut texts = Vec::new();
    for (place, word) in words.iter().enumerate() {
        if let Some(literal) = word.literal() {
            texts.push(literal.to_owned());
            continue;
        }
        let wide = wide_word(word).filter(|_| width == Width::Wide && place > 0);
        let Some((text, has_star)) = wide else {
            return fault(word, expanded(width));
        };
        if has_star && star.is_some_and(|star| star != place) {
            return fault(
                word,
                "has more than one `*`. Write one, or one rule for each",
            );
        }
        *star = star.or(has_star.then_some(place));
        texts.push(text);
    }
    Ok(texts)
}

/// What is wrong with a word that a shell would expand.
const fn expanded(width: Width) -> &'static str {
    match width {
        Width::Narrow => {
            "has a word that a shell would expand, which an allow rule never compares. Quote it, or end the words before it with ` *` or `:*`"
        }
        Width::Wide => {
            "has a word that a shell would expand in a way that is never compared. Quote it, write one `*` behind the name of the command, or end the words before it with ` *`"
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(pattern: &str, command: &str) -> Fit {
        let script = read(command, ShellGrammar::Bash).unwrap();
        let words = script.commands().next().unwrap().words.clone();
        CommandPattern::new(pattern, Width::Wide)
            .unwrap()
            .fit(words[0].literal(), &words)
    }

    #[test]
    fn a_star_behind_a_blank_at_the_end_is_a_prefix_of_whole_words() {
        for width in [Width::Narrow, Width::Wide] {
            for text in ["git", "npx tsc", "npm run"] {
                let starred = CommandPattern::new(&format!("{text} *"), width).unwrap();
                assert_eq!(
                    starred,
                    CommandPattern::new(&format!("{text}:*"), width).unwrap()
                );
            }
        }
    }

    #[test]
    fn a_denial_may_have_one_inner_star_and_a_home() {
        for (pattern, command, expected) in [
            ("git * --force", "git push origin main --force", Fit::Yes),
            ("git * --force", "git --force", Fit::Yes),
            ("git * --force", "git push --force x", Fit::No),
            ("git * --force *", "git push --force x", Fit::Yes),
            ("git * --force", "git push $x", Fit::Perhaps),
            ("rm *.env", "rm a.env", Fit::Yes),
            ("rm *.env", "rm .env", Fit::Yes),
            ("rm *.env", "rm a.txt", Fit::No),
            ("rm *.env", "rm *.env", Fit::Yes),
            ("rm *.env", "rm a*", Fit::Perhaps),
            ("rm -rf /*", "rm *.txt", Fit::No),
            ("rm -rf /*", "rm src/*", Fit::No),
            ("rm -rf /*", "rm *", Fit::Perhaps),
            ("rm -rf /*", "rm *f", Fit::Perhaps),
            ("rm -rf /*", "rm -*", Fit::Perhaps),
            ("rm -rf /*", "rm ?rf x", Fit::Perhaps),
            ("rm -rf /*", "rm [-]rf x", Fit::Perhaps),
            ("rm -rf /*", "rm -rf *", Fit::Perhaps),
            ("rm -rf /*", "rm -rf /u*", Fit::Perhaps),
            ("rm -rf /*", "rm -rf src/*", Fit::No),
            ("rm -rf /*", "rm *.txt -rf /usr", Fit::Perhaps),
            ("rm -rf /*", "rm *.txt $x /usr", Fit::Perhaps),
            ("npm run deploy*", "npm run deploy:prod", Fit::Yes),
            ("npm run deploy*", "npm run build", Fit::No),
            ("cat ~/.ssh/id_rsa", "cat ~/.ssh/id_rsa", Fit::Yes),
            ("cat ~/.ssh/id_rsa", "cat /home/me/.ssh/id_rsa", Fit::Yes),
            (
                "cat ~/.ssh/id_rsa",
                "cat \"$HOME/.ssh/id_rsa\"",
                Fit::Perhaps,
            ),
            ("cat ~/.ssh/id_rsa", "cat .ssh/id_rsa", Fit::No),
            ("cat ~/.ssh *", "cat ~/.ssh -n", Fit::Yes),
        ] {
            assert_eq!(fit(pattern, command), expected, "{pattern} on {command}");
        }
    }

    #[test]
    fn an_allow_rule_means_its_words_and_no_more() {
        let pattern = CommandPattern::new("cat '~/x' '*'", Width::Narrow).unwrap();
        for (command, expected) in [
            ("cat '~/x' '*'", Fit::Yes),
            ("cat /home/me/x '*'", Fit::No),
            ("cat '~/x' y", Fit::No),
            ("cat '~/x' a b", Fit::No),
        ] {
            let script = read(command, ShellGrammar::Bash).unwrap();
            let words = script.commands().next().unwrap().words.clone();
            assert_eq!(
                pattern.fit(words[0].literal(), &words),
                expected,
                "{command}"
            );
        }
    }

    #[test]
    fn a_wide_denial_covers_no_other_rule_but_itself() {
        let wide = |text: &str| CommandPattern::new(text, Width::Wide).unwrap();
        assert!(wide("git *").covers(&wide("git * --force")));
        assert!(!wide("git * --force").covers(&wide("git push --force")));
        assert!(!wide("rm *.env *").covers(&wide("rm *.env x")));
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
    fn a_rule_on_time_names_the_program_and_another_one_needs_the_command_behind_it() {
        for width in [Width::Narrow, Width::Wide] {
            let pattern = CommandPattern::new("time:*", width).unwrap();
            assert_eq!(
                (pattern.words, pattern.prefix),
                (vec!["time".to_owned()], true)
            );
        }
        let problem = CommandPattern::new("time npm test:*", Width::Narrow).unwrap_err();
        assert_eq!(
            problem.problem,
            "begins with `time`, which is seen through. Write the rule for the command behind it, such as `Bash(npm test)`"
        );
        assert_eq!(fit("time rm *", "'time' rm x"), Fit::Yes);
    }

    #[test]
    fn what_could_never_match_is_refused_with_its_place() {
        let fault = |text: &str| {
            CommandPattern::new(text, Width::Narrow)
                .map_err(|error| error.at)
                .unwrap_err()
        };
        assert_eq!(fault("git:* push"), 3);
        assert_eq!(fault("git * push"), 4);
        assert_eq!(fault("git log*"), 4);
        assert_eq!(fault("cat ~/x"), 4);
        assert_eq!(fault("* --version"), 0);
        let wide = |text: &str| {
            CommandPattern::new(text, Width::Wide)
                .map_err(|error| error.at)
                .unwrap_err()
        };
        assert_eq!(wide("* --version"), 0);
        assert_eq!(wide("git * x * y"), 8);
        assert_eq!(wide("cat $x"), 4);
        assert_eq!(wide("rm a?"), 3);
        assert_eq!(fault(":*"), 0);
        assert_eq!(fault("a && b"), 0);
        assert_eq!(fault("a > b"), 2);
        assert_eq!(fault("X=1 a"), 0);
    }
}
