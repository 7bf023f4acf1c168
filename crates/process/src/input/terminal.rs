//! A terminal without a window: keeps what a screen would show and answers what programs ask it.

use std::num::NonZeroU16;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use tenon_contract::limits;

use crate::{fold_progress, strip_escapes};
use tenon_contract::after_escape;

/// The size of a terminal, in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TerminalSize {
    /// Lines.
    pub rows: NonZeroU16,
    /// Characters on a line.
    pub columns: NonZeroU16,
}

impl Default for TerminalSize {
    /// 30 lines of 120 characters.
    fn default() -> Self {
        Self::clamped(limits::TERMINAL_ROWS, limits::TERMINAL_COLUMNS)
    }
}

impl TerminalSize {
    /// This size, or the nearest that is kept: 2 to 500 lines of 2 to 1000 characters.
    #[must_use]
    pub fn clamped(rows: u16, columns: u16) -> Self {
        let bounded = |value: u16, most: u16| {
            NonZeroU16::new(value.clamp(2, most)).unwrap_or(NonZeroU16::MIN)
        };
        Self {
            rows: bounded(rows, limits::TERMINAL_ROWS_MAX),
            columns: bounded(columns, limits::TERMINAL_COLUMNS_MAX),
        }
    }
}

/// What a screen shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Screen {
    /// Its lines, without trailing spaces and without the empty ones at the bottom.
    pub text: String,
    /// Height in lines.
    pub rows: u16,
    /// Width in characters.
    pub columns: u16,
    /// The line of the cursor, counted from 1.
    pub cursor_row: u16,
    /// The column of the cursor, counted from 1.
    pub cursor_column: u16,
    /// Whether a program has taken the whole screen for itself, as editors and pagers do.
    pub full_screen: bool,
    /// The title of the window, if a program gave one.
    pub title: Option<String>,
}

/// What was written to a terminal, as a user would read it: lines with their last drawing and
/// without escape sequences, or, when it moved about the screen, what the screen shows now.
#[must_use]
pub fn terminal_text(written: &str, screen: &Screen) -> String {
    if moves_about(written) {
        let mut text = screen.text.clone();
        text.push('\n');
        return text;
    }
    strip_escapes(&fold_progress(written)).into_owned()
}

/// Whether something moves to other lines or scrolls: then the order of writing is not the order of
/// reading.
fn moves_about(written: &str) -> bool {
    let mut rest = written;
    while let Some((_, sequence)) = rest
        .find('\u{1B}')
        .and_then(|place| rest.split_at_checked(place))
    {
        let after = after_escape(sequence);
        let length = sequence.len().saturating_sub(after.len());
        let one = sequence.get(..length).unwrap_or("");
        let moves = match one.strip_prefix("\u{1B}[") {
            Some(body) => {
                body.ends_with([
                    'A', 'B', 'E', 'F', 'H', 'J', 'L', 'M', 'S', 'T', 'd', 'f', 'r',
                ]) || ["?1049h", "?1047h", "?47h"].contains(&body)
            }
            None => matches!(one, "\u{1B}M" | "\u{1B}8" | "\u{1B}c"),
        };
        if moves {
            return true;
        }
        rest = after;
    }
    false
}

/// What keys and pastes depend on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Modes {
    /// Arrows and their neighbours are wanted in their application form (DECCKM).
    pub(crate) application_cursor: bool,
    /// Pastes must be marked (mode 2004).
    pub(crate) bracketed_paste: bool,
}

/// The emulated terminal of one command.
pub(crate) struct Terminal {
    /// Nothing after a fault of the emulator, whose state cannot be trusted then, and for programs
    /// that ask for more drawing than anybody could look at.
    parser: Option<vt100::Parser<TerminalQuery>>,
    size: TerminalSize,
    /// Pieces in a row that took too long to draw.
    slow: u32,
}

/// A piece of a thousand bytes is drawn in microseconds, unless it asks for millions of characters.
const SLOW: Duration = Duration::from_millis(250);
/// So many slow pieces in a row are no accident of a busy machine: the screen is given up.
const SLOW_MAX: u32 = 4;

impl std::fmt::Debug for Terminal {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Terminal")
            .field("size", &self.size)
            .finish_non_exhaustive()
    }
}

/// What the program wants to know or says about its window.
#[derive(Debug, Default)]
struct TerminalQuery {
    answers: Vec<u8>,
    title: Option<String>,
}

impl Terminal {
    pub(crate) fn new(size: TerminalSize) -> Self {
        let parser =
            vt100::Parser::new_with_callbacks(size.rows, size.columns, 0, TerminalQuery::default());
        Self {
            parser: Some(parser),
            size,
            slow: 0,
        }
    }

    /// Draws what the program wrote, and says what a terminal answers to it.
    pub(crate) fn draw(&mut self, written: &[u8]) -> Vec<u8> {
        let Some(mut parser) = self.parser.take() else {
            return Vec::new();
        };
        // What programs write is untrusted, and a fault of the emulator must not take the command's
        // output away: then there is no screen any more, and that is all.
        let begun = Instant::now();
        let drawn = catch_unwind(AssertUnwindSafe(move || {
            parser.process(written);
            parser
        }));
        let Ok(mut parser) = drawn else {
            return Vec::new();
        };
        let answers = std::mem::take(&mut parser.callbacks_mut().answers);
        self.slow = if begun.elapsed() > SLOW {
            self.slow + 1
        } else {
            0
        };
        if self.slow < SLOW_MAX {
            self.parser = Some(parser);
        }
        answers
    }

    pub(crate) fn modes(&self) -> Modes {
        self.parser.as_ref().map_or_else(Modes::default, |parser| {
            let screen = parser.screen();
            Modes {
                application_cursor: screen.application_cursor(),
                bracketed_paste: screen.bracketed_paste(),
            }
        })
    }

    pub(crate) fn screen(&self) -> Option<Screen> {
        let parser = self.parser.as_ref()?;
        let screen = parser.screen();
        let mut lines: Vec<String> = screen
            .rows(0, self.size.columns.get())
            .map(|line| line.trim_end().to_owned())
            .collect();
        while lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        let (row, column) = screen.cursor_position();
        Some(Screen {
            text: lines.join("\n"),
            rows: self.size.rows.get(),
            columns: self.size.columns.get(),
            cursor_row: row.saturating_add(1),
            cursor_column: column.saturating_add(1),
            full_screen: screen.alternate_screen(),
            title: parser.callbacks().title.clone(),
        })
    }
}

impl vt100::Callbacks for TerminalQuery {
    fn set_window_title(&mut self, _: &mut vt100::Screen, title: &[u8]) {
        let title = String::from_utf8_lossy(title);
        self.title = Some(title.chars().take(200).collect());
    }

    /// Device status and attributes (ECMA-48, DEC STD 070): programs wait for these answers.
    fn unhandled_csi(
        &mut self,
        screen: &mut vt100::Screen,
        first: Option<u8>,
        second: Option<u8>,
        parameters: &[&[u16]],
        letter: char,
    ) {
        let parameter = parameters
            .first()
            .and_then(|values| values.first())
            .copied()
            .unwrap_or(0);
        let answer = match (first, second, letter, parameter) {
            // Is all well?
            (None, None, 'n', 5) => "\u{1B}[0n".to_owned(),
            // Where is the cursor?
            (None | Some(b'?'), None, 'n', 6) => {
                let (row, column) = screen.cursor_position();
                let mark = if first.is_some() { "?" } else { "" };
                format!(
                    "\u{1B}[{mark}{};{}R",
                    row.saturating_add(1),
                    column.saturating_add(1)
                )
            }
            // Who are you? A VT100 with advanced video.
            (None, None, 'c', 0) => "\u{1B}[?1;2c".to_owned(),
            (Some(b'>'), None, 'c', 0) => "\u{1B}[>0;10;1c".to_owned(),
            // How large is the text area?
            (None, None, 't', 18) => {
                let (rows, columns) = screen.size();
                format!("\u{1B}[8;{rows};{columns}t")
            }
            _ => return,
        };
        self.answers.extend_from_slice(answer.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn terminal(rows: u16, columns: u16) -> Terminal {
        Terminal::new(TerminalSize::clamped(rows, columns))
    }

    #[test]
    fn the_screen_is_what_a_user_would_see() {
        let mut terminal = terminal(4, 20);
        let answers =
            terminal.draw(b"one\r\ntwo   \r\n\x1B[31mthree\x1B[0m\rTHR\x1B[1;1H\x1B]2;title\x07");
        assert_eq!(answers, b"");
        assert_eq!(
            terminal.screen(),
            Some(Screen {
                text: "one\ntwo\nTHRee".into(),
                rows: 4,
                columns: 20,
                cursor_row: 1,
                cursor_column: 1,
                full_screen: false,
                title: Some("title".into()),
            })
        );
    }

    #[test]
    fn lines_that_leave_the_top_are_gone_and_a_full_screen_program_gives_back_what_was_there() {
        let mut terminal = terminal(3, 10);
        terminal.draw(b"1\r\n2\r\n3\r\n4");
        assert_eq!(terminal.screen().unwrap().text, "2\n3\n4");
        terminal.draw(b"\x1B[?1049h\x1B[H\x1B[2Jmenu");
        let screen = terminal.screen().unwrap();
        assert_eq!((screen.text.as_str(), screen.full_screen), ("menu", true));
        terminal.draw(b"\x1B[?1049l");
        assert_eq!(terminal.screen().unwrap().text, "2\n3\n4");
    }

    #[test]
    fn questions_of_programs_are_answered() {
        let mut terminal = terminal(24, 80);
        let table: [(&[u8], &[u8]); 7] = [
            (b"\x1B[6n", b"\x1B[1;1R"),
            (b"ab\r\nc\x1B[6n", b"\x1B[2;2R"),
            (b"\x1B[5n", b"\x1B[0n"),
            (b"\x1B[c", b"\x1B[?1;2c"),
            (b"\x1B[0c\x1B[>c", b"\x1B[?1;2c\x1B[>0;10;1c"),
            (b"\x1B[18t", b"\x1B[8;24;80t"),
            (b"\x1B[?1;2c", b""),
        ];
        for (question, answer) in table {
            assert_eq!(
                terminal.draw(question),
                answer,
                "{:?}",
                String::from_utf8_lossy(question)
            );
        }
    }

    #[test]
    fn lines_are_read_as_they_were_written_and_drawings_from_the_screen() {
        let text = |written: &str| {
            let mut terminal = terminal(4, 20);
            terminal.draw(written.as_bytes());
            terminal_text(written, &terminal.screen().unwrap())
        };
        let table = [
            (">>> 1\r\n\u{1B}[1m1\u{1B}[0m\r\n>>> ", ">>> 1\n1\n>>> "),
            ("10%\r\u{1B}[K20%\r\n", "20%\n"),
            ("\u{1B}[?2004h$ ls\r\n", "$ ls\n"),
            ("one\r\ntwo\u{1B}[1;1Hthree", "three\ntwo\n"),
            ("a\r\nb\r\n\u{1B}[Ac", "a\nc\n"),
            ("\u{1B}[2J\u{1B}[Hmenu", "menu\n"),
        ];
        for (written, expected) in table {
            assert_eq!(text(written), expected, "{written:?}");
        }
    }

    #[test]
    fn modes_that_keys_depend_on_are_followed() {
        let mut terminal = terminal(24, 80);
        assert_eq!(terminal.modes(), Modes::default());
        terminal.draw(b"\x1B[?1h\x1B[?2004h");
        assert_eq!(
            terminal.modes(),
            Modes {
                application_cursor: true,
                bracketed_paste: true
            }
        );
    }

    #[test]
    fn sizes_that_cannot_be_are_brought_near() {
        let size = |rows, columns| {
            let size = TerminalSize::clamped(rows, columns);
            (size.rows.get(), size.columns.get())
        };
        assert_eq!(
            [size(0, 0), size(24, 80), size(u16::MAX, u16::MAX)],
            [(2, 2), (24, 80), (500, 1000)]
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

        #[test]
        fn whatever_a_program_writes_there_is_a_screen_of_the_right_size(
            rows in 0_u16..6, columns in 0_u16..12,
            pieces in proptest::collection::vec(prop_oneof![
                "[ -~é漢😀\u{301}]{0,12}".prop_map(String::into_bytes),
                "\u{1B}\\[[?>]?[0-9]{0,5}(;[0-9]{0,5}){0,3}[@A-Za-z`]".prop_map(String::into_bytes),
                "\u{1B}[78=>Mcg(]".prop_map(String::into_bytes),
                proptest::collection::vec(any::<u8>(), 0..12),
            ], 0..20),
        ) {
            let mut terminal = terminal(rows, columns);
            for piece in &pieces {
                terminal.draw(piece);
            }
            if let Some(screen) = terminal.screen() {
                prop_assert!(screen.text.lines().count() <= usize::from(screen.rows));
                prop_assert!(screen.cursor_row <= screen.rows);
            }
        }
    }
}
