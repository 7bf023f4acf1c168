//! Sets of ASCII letters, and what looks random in them.

/// A set of ASCII letters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Letters(u128);

impl Letters {
    const fn of(mut letters: &[u8]) -> Self {
        let mut set = 0;
        while let Some((letter, rest)) = letters.split_first() {
            set |= 1 << *letter;
            letters = rest;
        }
        Self(set)
    }

    const fn and(self, letters: &[u8]) -> Self {
        Self(self.0 | Self::of(letters).0)
    }

    pub(crate) fn has(self, byte: u8) -> bool {
        byte < 128 && self.0 >> byte & 1 == 1
    }

    pub(crate) const QUOTES: Self = Self::of(b"\"'`])");
    pub(crate) const SPACES: Self = Self::of(b" \t");
    /// Quotes as they are written within a string.
    pub(crate) const WRITTEN_QUOTES: Self = Self::QUOTES.and(b"\\");
    pub(crate) const LINES_AND_COMMA: Self = Self::of(b" \t\r\n,");
    pub(crate) const SEPARATORS: Self = Self::of(b"=:>");

    /// This set and these letters.
    pub(crate) const fn union_of(self, letters: &[u8]) -> Self {
        self.and(letters)
    }

    pub(crate) fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    pub(crate) fn has_char(self, letter: char) -> bool {
        u8::try_from(letter).is_ok_and(|byte| self.has(byte))
    }

    /// How many of the first bytes are in the set, counted up to `most`: a text may have a place to look at every few bytes of one
    /// word without end.
    pub(crate) fn run(self, bytes: &[u8], most: usize) -> usize {
        let bytes = bytes.iter().take(most);
        bytes.take_while(|&&byte| self.has(byte)).count()
    }
}

pub(crate) const DIGITS: Letters = Letters::of(b"0123456789");
const LOWER: Letters = DIGITS.and(b"abcdefghijklmnopqrstuvwxyz");
pub(crate) const HEX: Letters = DIGITS.and(b"abcdefABCDEF");
pub(crate) const HEXDASH: Letters = HEX.and(b"-");
pub(crate) const HEXDOT: Letters = HEX.and(b".");
pub(crate) const HEXWORD: Letters = HEX.and(b"_");
pub(crate) const UUID: Letters = HEXDASH;
pub(crate) const UPPER: Letters = DIGITS.and(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ");
pub(crate) const LOWERALNUM: Letters = LOWER;
pub(crate) const ALNUM: Letters = LOWER.and(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ");
pub(crate) const ALNUMDASH: Letters = ALNUM.and(b"-");
pub(crate) const WORD: Letters = ALNUM.and(b"_");
pub(crate) const URLSAFE: Letters = WORD.and(b"-");
pub(crate) const DOTTED: Letters = URLSAFE.and(b".");
/// What names of settings are of, and what types are written with.
pub(crate) const NAME: Letters = DOTTED;
pub(crate) const TYPE: Letters = WORD.and(b"[]|.&? '");
pub(crate) const HARNESS: Letters = DOTTED;
pub(crate) const AIRTABLE: Letters = ALNUM.and(b".");
pub(crate) const DOLLAR: Letters = ALNUM.and(b"$");
pub(crate) const SLACK: Letters = ALNUM.and(b"-%");
pub(crate) const BASE64: Letters = ALNUM.and(b"+/=");
pub(crate) const BASE64URL: Letters = BASE64.and(b"-_");
pub(crate) const BASE64WORD: Letters = BASE64.and(b"_-");
/// Base64 without what fills it up at the end.
pub(crate) const BASE64BODY: Letters = ALNUM.and(b"+/");
pub(crate) const URLSAFEPAD: Letters = URLSAFE.and(b"=");
pub(crate) const UPPERDASH: Letters = UPPER.and(b"-");
pub(crate) const UPPERWORD: Letters = UPPER.and(b"_");
pub(crate) const LOWERDASH: Letters = LOWER.and(b"-");
pub(crate) const PATH: Letters = URLSAFE.and(b"/");
pub(crate) const PATHAT: Letters = PATH.and(b"@.");

/// How many different letters there are, and of which kinds.
pub(crate) struct LetterCount {
    pub(crate) distinct: u32,
    pub(crate) digits: usize,
    pub(crate) uppers: usize,
    pub(crate) lowers: usize,
    /// How often a digit or a letter of the other case follows.
    pub(crate) changes: usize,
}

impl LetterCount {
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let kind = |byte: u8| {
            (
                byte.is_ascii_digit(),
                byte.is_ascii_uppercase(),
                byte.is_ascii_lowercase(),
            )
        };
        let count = |fits: fn(&u8) -> bool| bytes.iter().filter(|byte| fits(byte)).count();
        let set = bytes
            .iter()
            .fold(0_u128, |set, &byte| set | 1 << (byte & 127));
        Self {
            distinct: set.count_ones(),
            digits: count(u8::is_ascii_digit),
            uppers: count(u8::is_ascii_uppercase),
            lowers: count(u8::is_ascii_lowercase),
            changes: bytes
                .windows(2)
                .filter(|pair| matches!(pair, [one, other] if kind(*one) != kind(*other)))
                .count(),
        }
    }

    /// It is no word, no row of one letter and no counting: letters of two kinds, and many different ones.
    pub(crate) fn is_random(&self) -> bool {
        let kinds = [self.digits, self.uppers, self.lowers]
            .iter()
            .filter(|&&count| count > 0)
            .count();
        self.distinct >= 8 && kinds >= 2
    }

    /// As random as what has no beginning of its own must be: words and dates that are joined do not pass.
    pub(crate) fn is_very_random(&self, length: usize) -> bool {
        self.is_random()
            && self.digits >= 2
            && self.changes * 4 >= length
            && (self.distinct as usize) * 3 >= length.min(36)
    }
}
