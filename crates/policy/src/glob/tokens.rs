//! One name of a pattern.

/// A piece of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Token {
    /// This character.
    Character(char),
    /// Any one character.
    AnyOne,
    /// Any characters, none included.
    AnyRun,
    /// Any characters, none included, but no dot at the start of a name: the star of a shell.
    ShellRun,
    /// One of these ranges, or none of them.
    Class {
        /// Whether it is none of them.
        negated: bool,
        /// First and last character of each.
        ranges: Vec<(char, char)>,
    },
}

/// The letter as it is compared where case does not count.
pub(crate) fn fold(letter: char) -> char {
    if letter.is_ascii() {
        return letter.to_ascii_lowercase();
    }
    letter.to_lowercase().next().unwrap_or(letter)
}

impl Token {
    /// The piece for names in small letters.
    pub(super) fn folded(&self) -> Self {
        match self {
            Self::Character(own) => Self::Character(fold(*own)),
            // Which small letters it takes is not worked out.
            Self::Class { ranges, .. }
                if ranges
                    .iter()
                    .any(|(first, last)| !first.is_ascii_digit() || !last.is_ascii_digit()) =>
            {
                Self::AnyOne
            }
            other => other.clone(),
        }
    }

    /// The character, if it is one.
    pub(super) fn character(&self) -> Option<char> {
        match self {
            Self::Character(own) => Some(*own),
            _ => None,
        }
    }

    fn takes(&self, character: char) -> bool {
        match self {
            Self::Character(own) => *own == character,
            Self::AnyOne | Self::AnyRun | Self::ShellRun => true,
            Self::Class { negated, ranges } => {
                ranges
                    .iter()
                    .any(|(first, last)| (*first..=*last).contains(&character))
                    != *negated
            }
        }
    }

    fn is_run(&self) -> bool {
        matches!(self, Self::AnyRun | Self::ShellRun)
    }

    /// Whether one character can be taken by both. Two classes count as overlapping.
    fn meets(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Character(own), token) | (token, Self::Character(own)) => token.takes(*own),
            _ => true,
        }
    }
}

/// Whether the name is covered. Linear in the pattern for each star, without recursion.
pub(crate) fn tokens_match(tokens: &[Token], name: &str) -> bool {
    let mut rest = name.chars();
    let mut token = 0;
    let mut star: Option<(usize, std::str::Chars<'_>)> = None;
    loop {
        let mut ahead = rest.clone();
        match (tokens.get(token), ahead.next()) {
            (None, None) => return true,
            (Some(run), _) if run.is_run() => {
                star = Some((token + 1, rest.clone()));
                token += 1;
                continue;
            }
            (Some(one), Some(character)) if one.takes(character) => {
                token += 1;
                rest = ahead;
                continue;
            }
            _ => {}
        }
        let Some((after, taken)) = &mut star else {
            return false;
        };
        if taken.next().is_none() {
            return false;
        }
        token = *after;
        rest = taken.clone();
    }
}

/// Whether one name can have both forms.
pub(crate) fn token_lists_overlap(left: &[Token], right: &[Token]) -> bool {
    let hidden = |own: &[Token], other: &[Token]| {
        matches!(own.first(), Some(Token::ShellRun))
            && matches!(other.first(), Some(Token::Character('.')))
    };
    if hidden(left, right) || hidden(right, left) {
        return false;
    }
    super::overlap::forms_overlap(left, right, Token::is_run, Token::meets)
}
