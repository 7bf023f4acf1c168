use super::Reader;
use super::cursor::Cursor;

/// A word with a meaning for the grammar at the place of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reserved {
    Bang,
    OpenBrace,
    CloseBrace,
    If,
    Then,
    Elif,
    Else,
    Fi,
    Case,
    Esac,
    For,
    While,
    Until,
    Do,
    Done,
    In,
    Conditional,
    Function,
    Select,
    Time,
    Coproc,
}

impl Reserved {
    fn of(word: &[u8]) -> Option<Self> {
        Some(match word {
            b"!" => Self::Bang,
            b"{" => Self::OpenBrace,
            b"}" => Self::CloseBrace,
            b"if" => Self::If,
            b"then" => Self::Then,
            b"elif" => Self::Elif,
            b"else" => Self::Else,
            b"fi" => Self::Fi,
            b"case" => Self::Case,
            b"esac" => Self::Esac,
            b"for" => Self::For,
            b"while" => Self::While,
            b"until" => Self::Until,
            b"do" => Self::Do,
            b"done" => Self::Done,
            b"in" => Self::In,
            b"[[" => Self::Conditional,
            b"function" => Self::Function,
            b"select" => Self::Select,
            b"time" => Self::Time,
            b"coproc" => Self::Coproc,
            _ => return None,
        })
    }

    /// Whether only bash knows the word.
    fn is_of_bash(self) -> bool {
        matches!(
            self,
            Self::Conditional | Self::Function | Self::Select | Self::Time | Self::Coproc
        )
    }

    /// Whether the word ends a list.
    pub(super) fn ends_list(self) -> bool {
        matches!(
            self,
            Self::CloseBrace
                | Self::Then
                | Self::Elif
                | Self::Else
                | Self::Fi
                | Self::Esac
                | Self::Do
                | Self::Done
        )
    }

    /// Whether the word begins a compound command.
    pub(super) fn begins_compound(self) -> bool {
        matches!(
            self,
            Self::OpenBrace
                | Self::If
                | Self::Case
                | Self::For
                | Self::While
                | Self::Until
                | Self::Conditional
                | Self::Select
        )
    }
}

impl<'a> Reader<'a, '_> {
    /// The reserved word at the cursor, if the whole word is one and no part of it is quoted.
    pub(super) fn reserved(&self) -> Option<Reserved> {
        self.reserved_here().map(|(reserved, _)| reserved)
    }

    /// Takes this reserved word if it stands at the cursor.
    pub(super) fn take_reserved(&mut self, wanted: Reserved) -> bool {
        match self.reserved_here() {
            Some((reserved, behind)) if reserved == wanted => {
                self.cursor = behind;
                self.state.steps += 8;
                true
            }
            _ => false,
        }
    }

    fn reserved_here(&self) -> Option<(Reserved, Cursor<'a>)> {
        // Every command is looked at for several of them, and few begin with one of these letters.
        if !matches!(
            self.cursor.raw()?,
            b'!' | b'[' | b'\\' | b'c'..=b'f' | b'i' | b's'..=b'u' | b'w' | b'{' | b'}'
        ) {
            return None;
        }
        let place = self.cursor.position();
        match self.reserved_at.get() {
            (known, found) if known == place => found,
            _ => {
                let found = self.read_reserved();
                self.reserved_at.set((place, found));
                found
            }
        }
    }

    fn read_reserved(&self) -> Option<(Reserved, Cursor<'a>)> {
        let mut ahead = self.cursor;
        let mut word = [0_u8; 8];
        let mut length = 0;
        while let Some(byte) = ahead.peek() {
            if !(byte.is_ascii_lowercase() || matches!(byte, b'{' | b'}' | b'!' | b'[')) {
                break;
            }
            *word.get_mut(length)? = byte;
            length += 1;
            ahead.bump();
        }
        let ends = match ahead.peek() {
            None | Some(b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')') => true,
            Some(b'<' | b'>') => !(ahead.second() == Some(b'(') && self.is_bash()),
            Some(_) => false,
        };
        let reserved = Reserved::of(word.get(..length)?).filter(|_| ends)?;
        (!reserved.is_of_bash() || self.is_bash()).then_some((reserved, ahead))
    }
}
