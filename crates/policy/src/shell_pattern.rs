//! What file names a word with shell patterns can become.

use smallvec::SmallVec;
use tenon_shell::{Part, Word};

use crate::glob::{Segment, Token, class};

/// A character of a word, and whether quotes or a backslash take its meaning away.
type Letter = (char, bool);

/// Those of one word.
type Letters = SmallVec<[Letter; 32]>;

/// The paths below the workspace root that `word` can become in `directory`; `None` when that cannot be determined.
///
/// `directory` are the parts of the directory below the root. A star at the start of a name does not take a dot; who
/// allows a text that switches `dotglob` on has to look at that.
pub(crate) fn form(directory: &[String], word: &Word) -> Option<Vec<Segment>> {
    if word.expansion.tilde || word.expansion.braces {
        return None;
    }
    let letters = letters(word)?;
    let special = |wanted: &[char]| {
        letters
            .iter()
            .any(|(letter, quoted)| !quoted && wanted.contains(letter))
    };
    if special(&['(']) || letters.first()?.0 == '/' {
        return None;
    }
    let directory = directory
        .iter()
        .map(|part| Segment::Literal(part.as_str().into()));
    names(directory.collect(), &letters)
}

/// The same with the names behind it that these letters have.
fn names(mut form: Vec<Segment>, letters: &[Letter]) -> Option<Vec<Segment>> {
    for part in parts_of(letters) {
        match part {
            [] | [('.', _)] => {}
            [('.', _), ('.', _)] => return None,
            part if is_above_in_old_shells(part) => return None,
            [('*', false), ('*', false)] => form.push(Segment::AnyDepth),
            part => form.push(segment(part)),
        }
    }
    Some(form)
}

/// The form of an absolute pattern below this root, or of one of which the directory is no part of it and none around it.
pub(crate) fn absolute_form(root: &str, word: &Word) -> Option<Vec<Segment>> {
    let letters = letters(word)?;
    let text: String = letters.iter().map(|(letter, _)| letter).collect();
    let mut parts = text.split('/').skip(1);
    let plain = text.starts_with('/') && parts.all(|part| !matches!(part, "" | "." | ".."));
    let is_pattern = |(letter, quoted): &Letter| !quoted && matches!(letter, '*' | '?' | '[');
    let is_list = |(letter, quoted): &Letter| !quoted && *letter == '(';
    let fixed = letters.iter().position(is_pattern).unwrap_or(letters.len());
    let plain = plain && !letters.iter().any(is_list);
    if !plain || word.expansion.tilde || word.expansion.braces {
        return None;
    }
    let inside = text
        .strip_prefix(root)
        .is_some_and(|rest| rest.starts_with('/'));
    let skipped = if inside { root.chars().count() + 1 } else { 1 };
    // The root itself must be written out.
    (fixed >= skipped).then_some(())?;
    names(Vec::new(), letters.get(skipped..)?)
}

/// The form of what stands behind an expansion in a word: `"$d/sub/name"` is some `sub/name`.
pub(crate) fn tail_form(word: &Word) -> Option<Vec<Segment>> {
    // The working directory is known in other ways, and what it is not is looked at strictly.
    let of_shell = |part: &Part| matches!(part, Part::Parameter { name, .. } if matches!(name.as_str(), "PWD" | "OLDPWD"));
    if word.expansion.any() || word.parts.iter().any(of_shell) {
        return None;
    }
    let last = word
        .parts
        .iter()
        .rposition(|part| !matches!(part, Part::Text { .. }))?;
    let mut tail = String::new();
    for part in word.parts.get(last + 1..)? {
        let Part::Text { value, .. } = part else {
            return None;
        };
        tail.push_str(value);
    }
    let (_, behind) = tail.split_once('/')?;
    let parts: Vec<&str> = behind
        .split('/')
        .filter(|part| !part.is_empty() && *part != ".")
        .collect();
    // What ends in the directory is any directory.
    if parts.is_empty() || parts.contains(&"..") || behind.ends_with(['/', '.']) {
        return None;
    }
    let literals = parts.into_iter().map(|part| Segment::Literal(part.into()));
    Some(std::iter::once(Segment::AnyDepth).chain(literals).collect())
}

/// The directory that stands before the first pattern of a word, and the parts behind it as they are written; `None` when
/// letters behind it are quoted.
pub(crate) fn directory_and_rest(word: &Word) -> Option<(String, Vec<String>)> {
    let letters = letters(word)?;
    let pattern = |(letter, quoted): &Letter| !quoted && matches!(letter, '*' | '?' | '[');
    let first = letters.iter().position(pattern).unwrap_or(letters.len());
    let slash = letters
        .get(..first)?
        .iter()
        .rposition(|(letter, _)| *letter == '/');
    let start = slash.map_or(0, |slash| slash + 1);
    let (above, rest) = letters.split_at_checked(start)?;
    let special = |(letter, quoted): &Letter| *quoted && matches!(letter, '*' | '?' | '[' | '\\');
    if rest.iter().any(special) {
        return None;
    }
    let above: String = above.iter().map(|(letter, _)| letter).collect();
    let rest: String = rest.iter().map(|(letter, _)| letter).collect();
    let parts = rest
        .split('/')
        .filter(|part| !part.is_empty() && *part != ".");
    let above = if above.is_empty() {
        ".".to_owned()
    } else {
        above
    };
    Some((above, parts.map(str::to_owned).collect()))
}

/// Whether a word is a pattern of names that are known part by part, wherever it begins.
pub(crate) fn has_form(word: &Word) -> bool {
    let is_above = |part: &[Letter]| matches!(part, [('.', _), ('.', _)]);
    let letters = plain_letters(word);
    letters.is_some_and(|letters| !parts_of(&letters).any(is_above))
}

/// Whether a part of a pattern can become `..`, as older versions of bash let `.*` do.
pub(crate) fn may_climb(word: &Word) -> bool {
    plain_letters(word).is_none_or(|letters| parts_of(&letters).any(is_above_in_old_shells))
}

/// The names of a pattern part by part, wherever it begins; what leads upwards is left out.
pub(crate) fn segments(word: &Word) -> Option<Vec<Segment>> {
    let letters = plain_letters(word)?;
    let named =
        parts_of(&letters).filter(|part| !matches!(part, [] | [('.', _)] | [('.', _), ('.', _)]));
    Some(named.map(segment).collect())
}

/// The letters of a word that is a pattern and no list of several.
fn plain_letters(word: &Word) -> Option<Letters> {
    let is_list = |(letter, quoted): &Letter| !quoted && *letter == '(';
    let expands = word.expansion.tilde || word.expansion.braces;
    letters(word).filter(|letters| !expands && !letters.iter().any(is_list))
}

fn parts_of(letters: &[Letter]) -> impl Iterator<Item = &[Letter]> {
    letters.split(|(letter, _)| *letter == '/')
}

/// Whether older versions of bash let this part of a pattern become `..`.
fn is_above_in_old_shells(part: &[Letter]) -> bool {
    matches!(part, [('.', _), ('*' | '?' | '[', false), ..])
}

/// One name of a pattern. Whatever it is, it is one name.
fn segment(part: &[Letter]) -> Segment {
    Segment::name(tokens(part).unwrap_or_else(|| vec![Token::AnyRun]))
}

fn letters(word: &Word) -> Option<Letters> {
    let mut letters = Letters::new();
    for part in &word.parts {
        let Part::Text { value, quoted } = part else {
            return None;
        };
        letters.extend(value.chars().map(|letter| (letter, *quoted)));
    }
    Some(letters)
}

fn tokens(part: &[Letter]) -> Option<Vec<Token>> {
    // Behind the last letter that is quoted, counted from the front.
    let last_quoted = part.iter().rposition(|(_, quoted)| *quoted);
    let last_quoted = last_quoted.map_or(0, |place| place + 1);
    let mut tokens = Vec::with_capacity(part.len());
    let mut rest = part;
    while let [(letter, quoted), tail @ ..] = rest {
        rest = tail;
        tokens.push(match letter {
            _ if *quoted => Token::Character(*letter),
            '*' if tokens.is_empty() => Token::ShellRun,
            '*' => Token::AnyRun,
            '?' => Token::AnyOne,
            '[' => {
                if part.len() - tail.len() < last_quoted {
                    return None;
                }
                // No further than to the bracket that closes it: a word can be one class behind the other.
                let first = usize::from(matches!(tail.first(), Some(('!' | '^', _)))) + 1;
                let members = tail.iter().skip(first);
                let close = members.into_iter().position(|(letter, _)| *letter == ']')?;
                let class_text = tail.get(..=first + close)?;
                let text: String = class_text.iter().map(|(letter, _)| *letter).collect();
                let (class, bytes) = class(&text)?;
                let taken = text.get(..bytes)?.chars().count();
                rest = tail.get(taken..)?;
                class
            }
            _ => Token::Character(*letter),
        });
    }
    Some(tokens)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn form_of(text: &str) -> Option<Vec<Segment>> {
        let script = tenon_shell::read(text, tenon_shell::ShellGrammar::Dash).unwrap();
        let command = script.commands().next().unwrap();
        form(&[], &command.words[0])
    }

    #[test]
    fn a_class_ends_at_its_own_bracket_and_quotes_behind_it_leave_the_form_open() {
        let one = |letter| Token::Class {
            negated: false,
            ranges: vec![(letter, letter)],
        };
        let other = Token::Class {
            negated: true,
            ranges: vec![(']', ']')],
        };
        let classes = vec![one('a'), other, one('b')];
        assert_eq!(form_of("[a][!]][b]"), Some(vec![Segment::Name(classes)]));
        let quoted = vec![Token::Character('x'), one('a')];
        assert_eq!(form_of("'x'[a]"), Some(vec![Segment::Name(quoted)]));
        let any = Some(vec![Segment::name(vec![Token::AnyRun])]);
        assert_eq!(form_of("[a]'x'"), any);
        assert_eq!(form_of("[a]["), any);
    }
}
