//! Pages of the whole output of a session, by line.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use tenon_contract::limits;

use super::CommandSession;

/// Which lines.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LogRequest {
    /// Lines to skip from the start. Default: so many that the last `limit` lines are left.
    pub offset: Option<u64>,
    /// Most lines. Default: to the end.
    pub limit: Option<u64>,
}

/// Some lines of an output.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LogPage {
    /// The lines, without the end of the last one.
    pub text: String,
    /// Lines before the first of them.
    pub first: u64,
    /// How many they are.
    pub lines: u64,
    /// Lines of the whole output.
    pub total_lines: u64,
    /// Bytes of the whole output.
    pub total_bytes: u64,
    /// Whether lines were left out because they are too many or too long for one answer.
    pub cut: bool,
    /// Why lines before or after these cannot be had at all.
    pub missing: Option<String>,
    /// The file with the whole output, once it exceeded what memory holds.
    pub file: Option<PathBuf>,
}

impl CommandSession {
    /// Some lines of the whole output, from memory or from the file that holds it. Reads the file on
    /// a thread for that.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub async fn log(&self, request: LogRequest) -> io::Result<LogPage> {
        let Some(channel) = self.main() else {
            return Ok(LogPage::default());
        };
        let capture = channel.capture(self.state().is_over());
        let mut page = LogPage {
            total_lines: capture.total_lines,
            total_bytes: capture.total_bytes,
            ..LogPage::default()
        };
        page.first = request.offset.unwrap_or_else(|| match request.limit {
            Some(limit) => capture.total_lines.saturating_sub(limit),
            None => 0,
        });
        let limit = request.limit.unwrap_or(u64::MAX);
        if capture.omitted.is_none() {
            take_lines(capture.head.as_bytes(), limit, &mut page)?;
            return Ok(page);
        }
        let kept_at_end = capture.tail.lines().count() as u64;
        // The first line of the tail may be the end of a longer one.
        let whole_at_end = capture.total_lines - kept_at_end.saturating_sub(1);
        let kept = channel.spilled().await;
        let failure = kept.as_ref().and_then(|spill| spill.failure.clone());
        let spill = kept.filter(|spill| spill.number > 0);
        page.file = spill.as_ref().map(|spill| spill.path.clone());
        if page.first >= whole_at_end {
            let skipped = page.first;
            page.first -= whole_at_end.saturating_sub(1);
            take_lines(capture.tail.as_bytes(), limit, &mut page)?;
            page.first = skipped;
            return Ok(page);
        }
        let Some(spill) = spill else {
            take_lines(capture.head.as_bytes(), limit, &mut page)?;
            let why = failure.map(|failure| format!(" {failure}"));
            page.missing = Some(format!(
                "The middle of the output was not kept.{}",
                why.unwrap_or_default()
            ));
            return Ok(page);
        };
        let path = spill.path;
        let mut page = tokio::task::spawn_blocking(move || from_file(&path, limit, page))
            .await
            .map_err(io::Error::other)??;
        page.missing = failure;
        Ok(page)
    }
}

fn from_file(path: &Path, limit: u64, mut page: LogPage) -> io::Result<LogPage> {
    let reader = BufReader::with_capacity(256 * 1024, File::open(path)?);
    take_lines(reader, limit, &mut page)?;
    Ok(page)
}

/// Skips `page.first` lines and takes at most `limit`, within the bounds of one answer.
fn take_lines(mut source: impl BufRead, limit: u64, page: &mut LogPage) -> io::Result<()> {
    skip_lines(&mut source, page.first)?;
    let mut lines: Vec<String> = Vec::new();
    let mut room = limits::SESSION_LOG_MAX_BYTES;
    while page.lines < limit {
        let mut line = Vec::new();
        let read = take_line(&mut source, room.saturating_add(1), &mut line)?;
        if read == 0 {
            break;
        }
        if line.len() > room || page.lines >= limits::SESSION_LOG_MAX_LINES {
            page.cut = true;
            if lines.is_empty() {
                // One line alone is too long: its start is better than nothing.
                line.truncate(room);
                lines.push(text_of(line));
                page.lines += 1;
            }
            break;
        }
        room -= line.len();
        lines.push(text_of(line));
        page.lines += 1;
    }
    page.text = lines.join("\n");
    Ok(())
}

fn skip_lines(source: &mut impl BufRead, count: u64) -> io::Result<()> {
    let mut left = count;
    while left > 0 {
        let buffer = source.fill_buf()?;
        if buffer.is_empty() {
            return Ok(());
        }
        let mut used = buffer.len();
        for at in memchr::memchr_iter(b'\n', buffer) {
            left -= 1;
            if left == 0 {
                used = at + 1;
                break;
            }
        }
        source.consume(used);
    }
    Ok(())
}

/// Reads one line with its end, keeping at most `most` bytes of it. Answers how many bytes it has.
fn take_line(source: &mut impl BufRead, most: usize, line: &mut Vec<u8>) -> io::Result<u64> {
    let mut read = 0;
    loop {
        let buffer = source.fill_buf()?;
        if buffer.is_empty() {
            return Ok(read);
        }
        let end = memchr::memchr(b'\n', buffer).map(|at| at + 1);
        let (piece, _) = buffer.split_at(end.unwrap_or(buffer.len()));
        let room = most.saturating_sub(line.len());
        line.extend(piece.iter().take(room));
        let used = piece.len();
        read += used as u64;
        source.consume(used);
        if end.is_some() {
            return Ok(read);
        }
    }
}

fn text_of(mut line: Vec<u8>) -> String {
    for end in [b'\n', b'\r'] {
        if line.last() == Some(&end) {
            line.pop();
        }
    }
    String::from_utf8_lossy(&line).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(text: &str, first: u64, limit: u64) -> (String, u64, bool) {
        let mut page = LogPage {
            first,
            ..LogPage::default()
        };
        take_lines(text.as_bytes(), limit, &mut page).unwrap();
        (page.text, page.lines, page.cut)
    }

    #[test]
    fn lines_are_counted_from_zero_and_the_last_needs_no_end() {
        let text = "one\ntwo\r\nthree";
        assert_eq!(page(text, 0, 9), ("one\ntwo\nthree".into(), 3, false));
        assert_eq!(page(text, 1, 1), ("two".into(), 1, false));
        assert_eq!(page(text, 2, 5), ("three".into(), 1, false));
        assert_eq!(page(text, 3, 5), (String::new(), 0, false));
        assert_eq!(page("", 0, 5), (String::new(), 0, false));
        assert_eq!(page("\n\n", 0, 5), ("\n".into(), 2, false));
    }

    #[test]
    fn an_answer_is_bounded_by_lines_and_bytes() {
        let many = "x\n".repeat(5000);
        let (_, lines, cut) = page(&many, 0, u64::MAX);
        assert_eq!((lines, cut), (limits::SESSION_LOG_MAX_LINES, true));
        let long = "y".repeat(200_000);
        let (text, lines, cut) = page(&long, 0, u64::MAX);
        assert_eq!(
            (text.len(), lines, cut),
            (limits::SESSION_LOG_MAX_BYTES, 1, true)
        );
    }
}
