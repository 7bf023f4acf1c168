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
    fn of(word: &str, bash: bool) -> Option<Self> {
        Some(match word {
            "!" => Self::Bang,
            "{" => Self::OpenBrace,
            "}" => Self::CloseBrace,
            "if" => Self::If,
            "then" => Self::Then,
            "elif" => Self::Elif,
            "else" => Self::Else,
            "fi" => Self::Fi,
            "case" => Self::Case,
            "esac" => Self::Esac,
            "for" => Self::For,
            "while" => Self::While,
            "until" => Self::Until,
            "do" => Self::Do,
            "done" => Self::Done,
            "in" => Self::In,
            "[[" if bash => Self::Conditional,
            "function" if bash => Self::Function,
            "select" if bash => Self::Select,
            "time" if bash => Self::Time,
            "coproc" if bash => Self::Coproc,
            _ => return None,
        })
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
        let mut ahead = self.cursor;
        let mut word = String::new();
        while let Some(byte) = ahead.peek() {
            if !(byte.is_ascii_lowercase() || matches!(byte, b'{' | b'}' | b'!' | b'[')) {
                break;
            }
            if word.len() >= 8 {
                return None;
            }
            word.push(char::from(byte));
            ahead.bump();
        }
        let ends = match ahead.peek() {
            None | Some(b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')') => true,
            Some(b'<' | b'>') => !(self.is_bash() && ahead.second() == Some(b'(')),
            Some(_) => false,
        };
        let reserved = Reserved::of(&word, self.is_bash())?;
        ends.then_some((reserved, ahead))
    }
}
