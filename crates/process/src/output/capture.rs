//! Keeps the two ends of a stream of bytes in constant memory and counts the rest.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::{Capture, Keep, OutputGuard, Spill};

/// Takes bytes as they come; makes a [`Capture`] at any time.
#[derive(Debug)]
pub(crate) struct Recorder {
    keep: Keep,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total_bytes: u64,
    newlines: u64,
    ends_in_newline: bool,
    /// The file that holds the whole, as far as the writer of this stream reported.
    pub(crate) spill: Option<Spill>,
    /// Knows what readers of news wait for.
    guard: Option<Arc<dyn OutputGuard>>,
}

impl Recorder {
    pub(crate) fn new(keep: Keep) -> Self {
        Self {
            keep,
            head: Vec::new(),
            tail: VecDeque::new(),
            total_bytes: 0,
            newlines: 0,
            ends_in_newline: true,
            spill: None,
            guard: None,
        }
    }

    pub(crate) fn guarded_by(mut self, guard: Option<Arc<dyn OutputGuard>>) -> Self {
        self.guard = guard;
        self
    }

    pub(crate) fn total_bytes(&self) -> u64 {
        self.total_bytes
    }

    /// Whether bytes would have to be dropped to take `more`.
    pub(crate) fn would_drop(&self, more: usize) -> bool {
        let room = self.keep.head_bytes.saturating_add(self.keep.tail_bytes);
        usize::try_from(self.total_bytes)
            .unwrap_or(usize::MAX)
            .saturating_add(more)
            > room
    }

    /// Everything so far, if nothing was dropped yet.
    pub(crate) fn whole(&self) -> Option<Vec<u8>> {
        let mut whole = self.head.clone();
        whole.extend(&self.tail);
        (whole.len() as u64 == self.total_bytes).then_some(whole)
    }

    pub(crate) fn push(&mut self, chunk: &[u8]) {
        let Some(last) = chunk.last() else {
            return;
        };
        self.total_bytes += chunk.len() as u64;
        self.newlines += memchr::memchr_iter(b'\n', chunk).count() as u64;
        self.ends_in_newline = *last == b'\n';
        let room = self.keep.head_bytes.saturating_sub(self.head.len());
        let (first, rest) = chunk.split_at(room.min(chunk.len()));
        self.head.extend_from_slice(first);
        self.push_tail(rest);
    }

    fn push_tail(&mut self, chunk: &[u8]) {
        let limit = self.keep.tail_bytes;
        let (_, kept) = chunk.split_at(chunk.len().saturating_sub(limit));
        let excess = (self.tail.len() + kept.len()).saturating_sub(limit);
        self.tail.drain(..excess.min(self.tail.len()));
        self.tail.extend(kept);
    }

    /// What is known now. While the stream continues, a character that has not arrived whole is
    /// left for later; at its end it is a broken one.
    pub(crate) fn capture(&self, finished: bool) -> Capture {
        let kept = (self.head.len() + self.tail.len()) as u64;
        let mut capture = Capture {
            total_bytes: self.total_bytes,
            total_lines: self.newlines + u64::from(!self.ends_in_newline),
            spill: self.spill.clone(),
            ..Capture::default()
        };
        if kept == self.total_bytes {
            let mut whole = self.head.clone();
            whole.extend(&self.tail);
            if !finished {
                whole.truncate(whole.len() - self.unfinished(&whole));
            }
            capture.head = decoded(whole);
            return capture;
        }
        let mut head = self.head.clone();
        head.truncate(head.len() - self.torn_at_end(&head));
        let torn = torn_character(self.tail.iter());
        let mut tail: Vec<u8> = self.tail.iter().skip(torn).copied().collect();
        tail.drain(..self.torn_at_start(&tail));
        let tail_start = self.total_bytes - tail.len() as u64;
        if !finished {
            tail.truncate(tail.len() - self.unfinished(&tail));
        }
        capture.omitted = Some(head.len() as u64..tail_start);
        capture.head = decoded(head);
        capture.tail = decoded(tail);
        capture
    }
}

/// The longest word that is left out where output is cut.
const WORD_MAX_BYTES: usize = 1024;

/// What came after a place in a stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct News {
    /// The new text: its start, and its end when bytes between them are kept no longer. The totals
    /// are those of the whole stream.
    pub(crate) capture: Capture,
    /// Where the next news begin.
    pub(crate) next: u64,
}

impl Recorder {
    /// What came after `place`, as far as it is kept.
    pub(crate) fn since(&self, place: u64, finished: bool) -> News {
        let head_end = self.head.len() as u64;
        let tail_start = self.total_bytes - self.tail.len() as u64;
        let skipped = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
        let mut head: Vec<u8> = self.head.iter().skip(skipped(place)).copied().collect();
        let from_tail = skipped(place.saturating_sub(tail_start));
        let mut tail: Vec<u8> = self.tail.iter().skip(from_tail).copied().collect();
        let mut capture = Capture {
            total_bytes: self.total_bytes,
            total_lines: self.newlines + u64::from(!self.ends_in_newline),
            spill: self.spill.clone(),
            ..Capture::default()
        };
        if tail_start > head_end.max(place) {
            head.truncate(head.len() - self.torn_at_end(&head));
            let mut torn = torn_character(tail.iter());
            tail.drain(..torn);
            let word = self.torn_at_start(&tail);
            tail.drain(..word);
            torn += word;
            let omitted_from = head_end.min(place) + head.len() as u64;
            capture.omitted = Some(omitted_from.max(place)..tail_start + torn as u64);
        } else {
            head.append(&mut tail);
        }
        let last = if capture.omitted.is_some() {
            &mut tail
        } else {
            &mut head
        };
        let unfinished = if finished { 0 } else { self.unfinished(last) };
        last.truncate(last.len() - unfinished);
        capture.head = decoded(head);
        capture.tail = decoded(tail);
        News {
            capture,
            next: self.total_bytes - unfinished as u64,
        }
    }

    /// How many bytes at the end of a start begin a character or, where output is guarded, a word whose rest is left out: a
    /// part of a secret is not known for one.
    fn torn_at_end(&self, head: &[u8]) -> usize {
        let torn = unfinished_character(head);
        let whole = head.get(..head.len() - torn).unwrap_or_default();
        let word = whole
            .iter()
            .rev()
            .take_while(|byte| !byte.is_ascii_whitespace());
        torn + self.guarded(word.count())
    }

    /// The same at the start of an end.
    fn torn_at_start(&self, tail: &[u8]) -> usize {
        let word = tail.iter().take_while(|byte| !byte.is_ascii_whitespace());
        self.guarded(word.count())
    }

    /// A text without whitespace is no word.
    fn guarded(&self, word: usize) -> usize {
        if self.guard.is_some() && word <= WORD_MAX_BYTES {
            word
        } else {
            0
        }
    }

    /// How many bytes at the end of news are left for the next.
    fn unfinished(&self, news: &[u8]) -> usize {
        let torn = unfinished_character(news);
        let whole = news.get(..news.len() - torn).unwrap_or_default();
        let held = self.guard.as_ref().map_or(0, |guard| {
            let text = String::from_utf8_lossy(whole);
            // Bytes that are no text became longer ones.
            if text.len() == whole.len() {
                guard.unfinished(&text)
            } else {
                0
            }
        });
        torn + held
    }

    /// The last bytes of the stream, at most `count`, decoded.
    pub(crate) fn last(&self, count: usize) -> String {
        let from_tail = count.min(self.tail.len());
        let mut bytes: Vec<u8> = Vec::with_capacity(count);
        if self.tail.len() as u64 + self.head.len() as u64 == self.total_bytes {
            let from_head = (count - from_tail).min(self.head.len());
            bytes.extend(self.head.iter().skip(self.head.len() - from_head));
        }
        bytes.extend(self.tail.iter().skip(self.tail.len() - from_tail));
        let torn = torn_character(bytes.iter());
        bytes.drain(..torn);
        decoded(bytes)
    }
}

/// Decodes UTF-8, with U+FFFD for what is not UTF-8, without a copy when all of it is.
fn decoded(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// How many bytes at the end begin a character that is not complete.
fn unfinished_character(bytes: &[u8]) -> usize {
    let mut continuation = 0;
    for byte in bytes.iter().rev().take(4) {
        match byte {
            0x80..=0xBF => continuation += 1,
            0xC2..=0xDF if continuation < 1 => return continuation + 1,
            0xE0..=0xEF if continuation < 2 => return continuation + 1,
            0xF0..=0xF4 if continuation < 3 => return continuation + 1,
            _ => return 0,
        }
    }
    0
}

/// How many bytes at the start are the rest of a character whose first byte was dropped.
fn torn_character<'a>(bytes: impl Iterator<Item = &'a u8>) -> usize {
    bytes
        .take(3)
        .take_while(|byte| matches!(byte, 0x80..=0xBF))
        .count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn recorded(keep: Keep, chunks: &[&[u8]]) -> Capture {
        let mut recorder = Recorder::new(keep);
        for chunk in chunks {
            recorder.push(chunk);
        }
        recorder.capture(true)
    }

    #[test]
    fn what_fits_is_kept_whole_across_the_border_of_head_and_tail() {
        assert_eq!(
            recorded(Keep::ends(8), &[b"abc", "dé".as_bytes(), b"f\n"]),
            Capture {
                head: "abcdéf\n".into(),
                total_bytes: 8,
                total_lines: 1,
                ..Capture::default()
            }
        );
    }

    #[test]
    fn head_and_tail_are_kept_and_the_middle_is_named() {
        assert_eq!(
            recorded(Keep::ends(6), &[b"0123456", b"789"]),
            Capture {
                head: "012".into(),
                tail: "789".into(),
                omitted: Some(3..7),
                total_bytes: 10,
                total_lines: 1,
                ..Capture::default()
            }
        );
        assert_eq!(recorded(Keep::head(2), &[b"abc"]).text("…"), "ab…");
        assert_eq!(recorded(Keep::tail(2), &[b"abc"]).text("…"), "…bc");
    }

    #[test]
    fn a_character_at_the_cut_is_omitted_whole() {
        let capture = recorded(Keep::ends(8), &["ab😀cd😀ef".as_bytes()]);
        assert_eq!(
            (
                capture.head.as_str(),
                capture.tail.as_str(),
                capture.omitted
            ),
            ("ab", "ef", Some(2..12))
        );
    }

    #[test]
    fn bytes_that_are_not_utf8_are_replaced() {
        assert_eq!(
            recorded(Keep::ends(100), &[b"a\xFFb\xC3"]).head,
            "a\u{FFFD}b\u{FFFD}"
        );
    }

    #[test]
    fn a_character_that_is_still_arriving_is_not_shown_broken() {
        let mut recorder = Recorder::new(Keep::ends(100));
        recorder.push(b"ab\xF0\x9F\x98");
        assert_eq!(recorder.capture(false).head, "ab");
        recorder.push(b"\x80");
        assert_eq!(recorder.capture(false).head, "ab😀");
    }

    #[test]
    fn a_last_line_without_newline_counts() {
        let lines = |chunks: &[&[u8]]| recorded(Keep::head(1), chunks).total_lines;
        assert_eq!(
            [
                lines(&[]),
                lines(&[b"a"]),
                lines(&[b"a\n"]),
                lines(&[b"a\n", b"b"]),
                lines(&[b"\n\n"])
            ],
            [0, 1, 1, 2, 2]
        );
    }

    #[test]
    fn news_are_what_came_since_and_nothing_twice() {
        let mut recorder = Recorder::new(Keep::ends(8));
        recorder.push("ab".as_bytes());
        let first = recorder.since(0, false);
        assert_eq!((first.capture.head.as_str(), first.next), ("ab", 2));
        recorder.push(b"c\xC3");
        let second = recorder.since(first.next, false);
        assert_eq!((second.capture.head.as_str(), second.next), ("c", 3));
        assert_eq!(recorder.since(second.next, false).capture.head, "");
        recorder.push(b"\xA9123456789");
        let third = recorder.since(second.next, false);
        assert_eq!(
            third,
            News {
                capture: Capture {
                    head: String::new(),
                    tail: "6789".into(),
                    omitted: Some(3..10),
                    total_bytes: 14,
                    total_lines: 1,
                    spill: None,
                },
                next: 14
            }
        );
        assert_eq!(recorder.since(third.next, true).capture.head, "");
        assert_eq!(recorder.last(3), "789");
    }

    proptest! {
        #[test]
        fn news_of_any_stream_add_up_to_the_stream(
            pieces in proptest::collection::vec("[a-zé漢😀\n]{0,6}", 0..30), keep in 16usize..80, step in 1usize..9,
        ) {
            let whole = pieces.concat();
            let mut recorder = Recorder::new(Keep::ends(keep));
            let (mut place, mut read) = (0, String::new());
            for chunk in whole.as_bytes().chunks(step) {
                recorder.push(chunk);
                let news = recorder.since(place, false);
                prop_assert!(news.next >= place);
                if let Some(omitted) = &news.capture.omitted {
                    prop_assert_eq!(read.len() as u64 + news.capture.head.len() as u64, omitted.start);
                    read.push_str(&news.capture.head);
                    read.push_str(&whole[omitted.start as usize..omitted.end as usize]);
                    read.push_str(&news.capture.tail);
                } else {
                    read.push_str(&news.capture.head);
                }
                place = news.next;
                prop_assert!(whole.starts_with(&read), "{:?} {:?}", whole, read);
            }
            prop_assert_eq!(place, whole.len() as u64);
        }

        #[test]
        fn any_cut_of_any_text_yields_its_two_ends(
            text in "\\PC{0,80}", head in 0usize..40, tail in 0usize..40, step in 1usize..9,
        ) {
            let mut recorder = Recorder::new(Keep { head_bytes: head, tail_bytes: tail });
            for chunk in text.as_bytes().chunks(step) {
                recorder.push(chunk);
            }
            let capture = recorder.capture(true);
            prop_assert!(capture.head.len() <= head.max(text.len().min(head + tail)));
            prop_assert!(text.starts_with(&capture.head));
            match &capture.omitted {
                None => prop_assert_eq!(&capture.head, &text),
                Some(range) => {
                    prop_assert_eq!(range.start as usize, capture.head.len());
                    prop_assert_eq!(range.end as usize, text.len() - capture.tail.len());
                    prop_assert!(text.ends_with(&capture.tail));
                    prop_assert!(range.end - range.start <= (text.len() - head - tail + 6) as u64);
                }
            }
        }

        #[test]
        fn any_bytes_are_counted_and_kept_within_the_limit(
            bytes in proptest::collection::vec(any::<u8>(), 0..200), keep in 0usize..50, step in 1usize..30,
        ) {
            let mut recorder = Recorder::new(Keep::ends(keep));
            for chunk in bytes.chunks(step) {
                recorder.push(chunk);
                prop_assert!(recorder.head.len() + recorder.tail.len() <= keep);
            }
            prop_assert_eq!(recorder.capture(true).total_bytes, bytes.len() as u64);
        }
    }
}
