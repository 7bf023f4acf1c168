//! Lists, one entry a line.

use tenon_contract::limits;
use tenon_tools::{ListOutput, shown_name};

use super::{count, kept_back, with_notices};
use crate::words::Words;

/// Bytes as people read them: `812B`, `50.0KB`, `1.2MB`.
pub(crate) fn size(bytes: u64) -> String {
    const STEP: f64 = 1024.0;
    let bytes_f = bytes as f64;
    if bytes_f < STEP {
        format!("{bytes}B")
    } else if bytes_f < STEP * STEP {
        format!("{:.1}KB", bytes_f / STEP)
    } else {
        format!("{:.1}MB", bytes_f / (STEP * STEP))
    }
}

/// Whole lines up to the byte limit of a text answer. Those beyond it are counted and never written.
#[derive(Debug, Default)]
pub(crate) struct BoundedList {
    text: String,
    written: usize,
    left_out: usize,
}

impl BoundedList {
    /// Adds the line that `write` puts at the end of a text, and answers whether it had room.
    pub(crate) fn push(&mut self, write: impl FnOnce(&mut String)) -> bool {
        if self.left_out > 0 {
            self.left_out += 1;
            return false;
        }
        let end = self.text.len();
        if end > 0 {
            self.text.push('\n');
        }
        let start = self.text.len();
        write(&mut self.text);
        if end + (self.text.len() - start) + 1 > limits::TEXT_MAX_BYTES {
            self.text.truncate(end);
            self.left_out = 1;
        } else {
            self.written += 1;
        }
        self.left_out == 0
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.written + self.left_out == 0
    }

    /// The text, and the notice when some lines had to go.
    pub(crate) fn finish(self) -> (String, Option<String>) {
        let (limit, left_out) = (size(limits::TEXT_MAX_BYTES as u64), self.left_out);
        let notice = (left_out > 0).then(|| {
            let lines = count(left_out as u64, "more line", "more lines");
            format!("{limit} limit reached, {lines}. Narrow the search")
        });
        (self.text, notice)
    }
}

/// Whole lines up to the byte limit of a text answer, and the notice when some had to go.
pub(crate) fn bounded_list(
    lines: impl IntoIterator<Item = impl AsRef<str>>,
) -> (String, Option<String>) {
    let mut list = BoundedList::default();
    for line in lines {
        list.push(|text| text.push_str(line.as_ref()));
    }
    list.finish()
}

/// The entries of a directory, one a line, directories with `/` at their end.
pub(crate) fn listing_text(output: &ListOutput, words: &Words<'_>) -> String {
    if output.entries.is_empty() {
        let notice = kept_back(output.kept_back.as_ref(), "listed");
        return with_notices("(empty directory)".to_owned(), notice.as_slice());
    }
    let (text, cut) = bounded_list(output.entries.iter().map(|entry| {
        let mark = if entry.is_directory { "/" } else { "" };
        format!("{}{mark}", shown_name(&entry.name))
    }));
    let mut notices = Vec::new();
    if output.truncated {
        let (shown, total) = (output.entries.len(), output.total);
        notices.push(match words.parameter("limit") {
            Some(name) => format!(
                "{shown} of {total} entries shown. Use {name}={} for more",
                output.limit.saturating_mul(2)
            ),
            None => format!("{shown} of {total} entries shown"),
        });
    }
    notices.extend(cut);
    notices.extend(kept_back(output.kept_back.as_ref(), "listed"));
    with_notices(text, &notices)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_read_as_people_write_them() {
        assert_eq!(
            [size(0), size(1023), size(51_200), size(1_300_000)],
            ["0B", "1023B", "50.0KB", "1.2MB"]
        );
    }

    #[test]
    fn a_list_is_cut_between_lines_and_says_how_many_are_missing() {
        let (text, notice) = bounded_list((0..3).map(|_| "x".repeat(20_000)));
        assert_eq!(text.len(), 40_001);
        assert_eq!(
            notice.as_deref(),
            Some("50.0KB limit reached, 1 more line. Narrow the search")
        );
    }
}
