//! A terminal without a window: keeps what a screen would show and answers what programs ask it.

use std::num::NonZeroU16;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use alacritty_terminal::Term;
use alacritty_terminal::event::{Event, EventListener};
use alacritty_terminal::grid::{Dimensions, Row};
use alacritty_terminal::index::Line;
use alacritty_terminal::term::cell::{Cell, Flags};
use alacritty_terminal::term::{Config, TermMode};
use alacritty_terminal::vte::ansi::{Processor, Timeout};
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
                ]) || ["?1049h", "?1047h", "?47h", "u"].contains(&body)
            }
            None => ["M", "8", "c", "D", "E"]
                .iter()
                .any(|letter| one.strip_prefix('\u{1B}') == Some(letter)),
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
    emulator: Option<Emulator>,
    noted: Arc<Mutex<Noted>>,
    size: TerminalSize,
    /// Pieces in a row that took too long to draw.
    slow: u32,
}

struct Emulator {
    parser: Processor<AtOnce>,
    screen: Term<Listener>,
    /// The start of a sequence of [`SWAPS`] whose rest has not come yet.
    held: Vec<u8>,
}

/// How older programs swap the screens, and what the emulator knows for it.
const SWAPS: &[(&[u8], &[u8])] = &[
    (b"\x1B[?47h", b"\x1B[?1049h"),
    (b"\x1B[?47l", b"\x1B[?1049l"),
    (b"\x1B[?1047h", b"\x1B[?1049h"),
    (b"\x1B[?1047l", b"\x1B[?1049l"),
];

impl Emulator {
    fn draw(&mut self, written: &[u8]) {
        let mut bytes = std::mem::take(&mut self.held);
        bytes.extend_from_slice(written);
        let mut drawn = 0;
        for at in memchr::memchr_iter(0x1B, &bytes) {
            let rest = bytes.get(at..).unwrap_or_default();
            if let Some((swap, known)) = SWAPS.iter().find(|(swap, _)| rest.starts_with(swap)) {
                self.advance(bytes.get(drawn..at));
                self.advance(Some(known));
                drawn = at + swap.len();
            } else if SWAPS.iter().any(|(swap, _)| swap.starts_with(rest)) {
                self.held = rest.to_vec();
            }
        }
        self.advance(bytes.get(drawn..bytes.len() - self.held.len()));
    }

    fn advance(&mut self, bytes: Option<&[u8]>) {
        let bytes = bytes.unwrap_or_default();
        self.parser.advance(&mut self.screen, bytes);
    }
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
struct Noted {
    answers: String,
    title: Option<String>,
}

/// Notes what the emulator answers (ECMA-48, DEC STD 070): programs wait for that.
struct Listener(Arc<Mutex<Noted>>);

impl EventListener for Listener {
    fn send_event(&self, event: Event) {
        let mut noted = locked(&self.0);
        match event {
            Event::PtyWrite(answer) => noted.answers.push_str(&answer),
            Event::Title(title) => noted.title = Some(title.chars().take(200).collect()),
            Event::ResetTitle => noted.title = None,
            _ => {}
        }
    }
}

fn locked(noted: &Mutex<Noted>) -> MutexGuard<'_, Noted> {
    noted.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Updates that a program asks to be drawn together (mode 2026) are drawn as they come: nobody sees the screen between them.
#[derive(Default)]
struct AtOnce;

impl Timeout for AtOnce {
    fn set_timeout(&mut self, _: Duration) {}

    fn clear_timeout(&mut self) {}

    fn pending_timeout(&self) -> bool {
        false
    }
}

impl Dimensions for TerminalSize {
    fn total_lines(&self) -> usize {
        self.screen_lines()
    }

    fn screen_lines(&self) -> usize {
        usize::from(self.rows.get())
    }

    fn columns(&self) -> usize {
        usize::from(self.columns.get())
    }
}

impl Terminal {
    pub(crate) fn new(size: TerminalSize) -> Self {
        let config = Config {
            scrolling_history: 0,
            ..Config::default()
        };
        let noted = Arc::default();
        let emulator = Emulator {
            parser: Processor::new(),
            screen: Term::new(config, &size, Listener(Arc::clone(&noted))),
            held: Vec::new(),
        };
        Self {
            emulator: Some(emulator),
            noted,
            size,
            slow: 0,
        }
    }

    /// Draws what the program wrote, and says what a terminal answers to it.
    pub(crate) fn draw(&mut self, written: &[u8]) -> Vec<u8> {
        let Some(mut emulator) = self.emulator.take() else {
            return Vec::new();
        };
        // What programs write is untrusted, and a fault of the emulator must not take the command's
        // output away: then there is no screen any more, and that is all.
        let begun = Instant::now();
        let drawn = catch_unwind(AssertUnwindSafe(move || {
            emulator.draw(written);
            emulator
        }));
        let Ok(emulator) = drawn else {
            return Vec::new();
        };
        self.slow = if begun.elapsed() > SLOW {
            self.slow + 1
        } else {
            0
        };
        if self.slow < SLOW_MAX {
            self.emulator = Some(emulator);
        }
        std::mem::take(&mut locked(&self.noted).answers).into_bytes()
    }

    pub(crate) fn modes(&self) -> Modes {
        self.emulator
            .as_ref()
            .map_or_else(Modes::default, |emulator| {
                let modes = emulator.screen.mode();
                Modes {
                    application_cursor: modes.contains(TermMode::APP_CURSOR),
                    bracketed_paste: modes.contains(TermMode::BRACKETED_PASTE),
                }
            })
    }

    pub(crate) fn screen(&self) -> Option<Screen> {
        let screen = &self.emulator.as_ref()?.screen;
        let grid = screen.grid();
        let rows = (0..i32::from(self.size.rows.get())).map(Line);
        let mut lines: Vec<String> = rows.map(|row| text_of(&grid[row])).collect();
        while lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        let cursor = grid.cursor.point;
        let counted = |index: usize| u16::try_from(index + 1).unwrap_or(u16::MAX);
        Some(Screen {
            text: lines.join("\n"),
            rows: self.size.rows.get(),
            columns: self.size.columns.get(),
            cursor_row: counted(usize::try_from(cursor.line.0).unwrap_or_default()),
            cursor_column: counted(cursor.column.0),
            full_screen: screen.mode().contains(TermMode::ALT_SCREEN),
            title: locked(&self.noted).title.clone(),
        })
    }
}

/// A line of the screen without trailing spaces.
fn text_of(row: &Row<Cell>) -> String {
    let mut text = String::new();
    for cell in row {
        // The second half of a wide character.
        if cell.flags.contains(Flags::WIDE_CHAR_SPACER) {
            continue;
        }
        // A tab is kept where it was written.
        text.push(if cell.c == '\t' { ' ' } else { cell.c });
        text.extend(cell.zerowidth().into_iter().flatten());
    }
    text.truncate(text.trim_end().len());
    text
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
            (b"\x1B[c", b"\x1B[?6c"),
            (b"\x1B[0c", b"\x1B[?6c"),
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
            ("a\u{1B}Eb", "a\nb\n"),
            ("50%\u{1B}[s done\u{1B}[u!", "50%!done\n"),
            ("\u{1B}[2J\u{1B}[Hmenu", "menu\n"),
        ];
        for (written, expected) in table {
            assert_eq!(text(written), expected, "{written:?}");
        }
    }

    /// Terminfo of `xterm-256color`, which commands are given, promises these.
    #[test]
    fn what_the_name_of_the_terminal_promises_is_drawn() {
        let drawn = |written: &str| {
            let mut terminal = terminal(6, 40);
            terminal.draw(written.as_bytes());
            let screen = terminal.screen().unwrap();
            (screen.text, screen.cursor_row, screen.cursor_column)
        };
        let wide = "x".repeat(45);
        let table = [
            // Saving and restoring the cursor.
            ("50%\u{1B}[s done\u{1B}[u!", "50%!done", (1, 5)),
            // No wrapping.
            (
                &format!("\u{1B}[?7l{wide}yz"),
                &format!("{}z", "x".repeat(39)),
                (1, 40),
            ),
            // Inserting.
            ("abc\r\u{1B}[4hX\u{1B}[4l", "Xabc", (1, 2)),
            // Tabs: back, a stop of one's own, none.
            ("abcdefghijklmnopq\u{1B}[ZX", "abcdefghijklmnopX", (1, 18)),
            ("abc\u{1B}H\r\tX", "abcX", (1, 5)),
            ("\u{1B}[3g\u{1B}[10G\u{1B}H\r\tX", "         X", (1, 11)),
            // Index and next line.
            ("a\u{1B}Db\u{1B}Ec", "a\n b\nc", (3, 2)),
            // The test picture.
            ("\u{1B}#8\u{1B}[2;1H\u{1B}[J", &"E".repeat(40), (2, 1)),
            // A region: the cursor goes to the start of the screen, or of the region if that is the origin.
            ("abc\u{1B}[3;5rX", "Xbc", (1, 2)),
            ("abc\u{1B}[3;5r\u{1B}[?6hX", "abc\n\nX", (3, 2)),
            // The other screen: the cursor stays.
            ("main\u{1B}[?1049hX", "    X", (1, 6)),
            ("main\u{1B}[?47hX", "    X", (1, 6)),
            ("main\u{1B}[?1047hX\u{1B}[?1047l!", "main!", (1, 6)),
        ];
        for (written, text, (row, column)) in table {
            assert_eq!(
                drawn(written),
                (text.to_owned(), row, column),
                "{written:?}"
            );
        }
    }

    #[test]
    fn letters_with_marks_and_wide_ones_take_the_columns_that_they_have() {
        let mut terminal = terminal(2, 20);
        terminal.draw("e\u{301}\u{6F22}\u{5B57}\tx".as_bytes());
        let screen = terminal.screen().unwrap();
        assert_eq!(
            (screen.text.as_str(), screen.cursor_column),
            ("e\u{301}\u{6F22}\u{5B57}   x", 10)
        );
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
