//! The options of searching programs, read exactly: one that is not known makes all of them unknown, since it may
//! take the next word for its value.

use std::borrow::Cow;

use compact_str::CompactString;
use smallvec::{SmallVec, smallvec};
use tenon_programs::{Argument, Place, parse};
use tenon_shell::Word;

/// An option that was given, without its dashes.
pub(crate) struct Given {
    pub(crate) name: CompactString,
    pub(crate) value: Option<String>,
}

/// An argument as a program gets it: of one word there are several where a list in braces stands behind the sign.
struct Piece<'w> {
    word: &'w Word,
    /// The text, where it is known but for patterns of names, which stand for themselves or for names that fit them.
    text: Option<Cow<'w, str>>,
}

impl Argument for Piece<'_> {
    fn literal(&self) -> Option<&str> {
        self.text.as_deref()
    }

    fn known_start(&self) -> &str {
        self.text
            .as_deref()
            .unwrap_or_else(|| self.word.known_start())
    }

    fn is_opaque(&self) -> bool {
        self.text.is_none()
    }
}

fn pieces(word: &Word) -> SmallVec<[Piece<'_>; 1]> {
    if let Some(text) = word.literal() {
        let text = Some(Cow::Borrowed(text));
        return smallvec![Piece { word, text }];
    }
    match behind_sign(word) {
        Some(texts) => {
            let texts = texts.into_iter().map(|text| Some(Cow::Owned(text)));
            texts.map(|text| Piece { word, text }).collect()
        }
        None => smallvec![Piece { word, text: None }],
    }
}

/// `--include=*.{ts,tsx}`: what is expanded stands behind the sign.
fn behind_sign(word: &Word) -> Option<Vec<String>> {
    let text = word.pattern()?;
    let (name, value) = text.split_once('=')?;
    let named = name.starts_with("--") && !name.contains(['*', '?', '[', '{', '~']);
    if !named || word.expansion.tilde || word.expansion.splits {
        return None;
    }
    let values = match word.expansion.braces {
        true => alternatives(value)?,
        false => vec![value.to_owned()],
    };
    let whole = values.into_iter().map(|value| format!("{name}={value}"));
    Some(whole.collect())
}

/// Whether the argument is no option, whatever becomes of it.
fn is_operand(piece: &Piece<'_>) -> bool {
    let begins_plainly = piece.word.prefix().starts_with(|first: char| {
        !matches!(first, '-' | '*' | '?' | '[' | '{' | '~' | '+' | '@' | '!')
    });
    piece.text.is_some() || begins_plainly && !piece.word.expansion.splits
}

/// The options of a program of the catalogue among the arguments, in order; `None` when they cannot be determined.
pub(crate) fn given(program: &str, arguments: &[Word]) -> Option<Vec<Given>> {
    let program = tenon_programs::find(program)?;
    let pieces: Vec<Piece<'_>> = arguments.iter().flat_map(pieces).collect();
    let parsed = parse(program.options, &pieces);
    let own = parsed.operands.len().saturating_sub(parsed.behind);
    if !parsed
        .operands
        .iter()
        .take(own)
        .all(|piece| is_operand(piece))
    {
        return None;
    }
    let options = parsed.options.iter().map(|option| {
        let text = option.word.literal().filter(|_| option.exact)?;
        let value = match option.value {
            None => None,
            Some(Place::Within(_, place)) => Some(text.get(place..)?.to_owned()),
            Some(Place::Next(piece)) => Some(value_of(piece.word)?),
        };
        Some(Given {
            name: option.name.into(),
            value,
        })
    });
    options.collect()
}

/// How deep lists in braces may stand in each other.
const DEEPEST: usize = 8;

/// How many texts lists in braces may come to.
const MOST_TEXTS: usize = 64;

/// The texts of lists in braces; `None` for sequences, and for too many or too deep lists.
pub(crate) fn alternatives(text: &str) -> Option<Vec<String>> {
    alternatives_within(text, DEEPEST)
}

fn alternatives_within(text: &str, depth: usize) -> Option<Vec<String>> {
    let depth = depth.checked_sub(1)?;
    let mut whole = vec![String::new()];
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('{') {
        let end = closing(behind)?;
        let (list, behind) = (behind.get(..end)?, behind.get(end + 1..)?);
        let pieces = pieces_between_commas(list);
        if before.contains('}') || pieces.len() < 2 || list.contains(['\\', '$', '`']) {
            return None;
        }
        let mut next = Vec::new();
        for piece in pieces {
            let inner = if piece.contains(['{', '}']) {
                alternatives_within(piece, depth)?
            } else {
                vec![piece.to_owned()]
            };
            next.extend(inner.iter().map(|piece| format!("{before}{piece}")));
            if next.len() > MOST_TEXTS {
                return None;
            }
        }
        let next: Vec<String> = whole
            .iter()
            .flat_map(|start| next.iter().map(move |piece| format!("{start}{piece}")))
            .take(MOST_TEXTS + 1)
            .collect();
        if next.len() > MOST_TEXTS {
            return None;
        }
        whole = next;
        rest = behind;
    }
    if rest.contains('}') {
        return None;
    }
    whole.iter_mut().for_each(|text| text.push_str(rest));
    Some(whole)
}

/// Where the brace is that closes the list which begins before this text.
fn closing(text: &str) -> Option<usize> {
    let mut open = 0_usize;
    for (place, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => open += 1,
            b'}' if open == 0 => return Some(place),
            b'}' => open -= 1,
            _ => {}
        }
    }
    None
}

/// The pieces of a list, at the commas that stand in no list inside of it.
fn pieces_between_commas(list: &str) -> Vec<&str> {
    let mut open = 0_usize;
    list.split(|letter| {
        match letter {
            '{' => open += 1,
            '}' => open = open.saturating_sub(1),
            _ => {}
        }
        letter == ',' && open == 0
    })
    .collect()
}

/// The value in a word of its own. What an expansion makes of it is one word only in quotes, and its text does not
/// matter but for options that choose files.
fn value_of(word: &Word) -> Option<String> {
    match word.literal() {
        Some(text) => Some(text.to_owned()),
        None if !word.expansion.any() => Some("\0".to_owned()),
        None => None,
    }
}
