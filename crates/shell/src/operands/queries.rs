//! Files that a query writes: `COPY … TO 'x'`, `EXPORT DATABASE 'x'`, `INTO OUTFILE 'x'`.

use crate::statements::{has_words, is_of_word, readings};

/// What is written by queries.
#[derive(Default)]
pub(crate) struct Outputs {
    /// Names of files, as they stand there, each once.
    pub files: Vec<String>,
    /// Whether a name is computed.
    pub is_open: bool,
}

/// The files that these statements write.
pub(crate) fn outputs(text: &str) -> Outputs {
    let mut outputs = Outputs::default();
    for reading in readings(text) {
        outputs.read(&reading);
    }
    outputs
}

impl Outputs {
    fn read(&mut self, text: &str) {
        let lower = text.to_ascii_lowercase();
        for mark in ["export database", "into outfile", "into dumpfile"] {
            for (place, _) in lower.match_indices(mark) {
                self.add(text.get(place + mark.len()..).unwrap_or_default());
            }
        }
        if !has_words(&lower, &["copy"]) {
            return;
        }
        for (place, _) in lower.match_indices("to") {
            let is_near = |letter: char| is_of_word(letter) || letter == '.';
            let before = text.get(..place).unwrap_or_default();
            let behind = text.get(place + 2..).unwrap_or_default();
            let is_word = !before.ends_with(is_near) && !behind.starts_with(is_near);
            if is_word && !begins_with_name(behind) {
                self.add(behind);
            }
        }
    }

    /// The text between quotes with which this begins. A name that is given otherwise is computed.
    fn add(&mut self, text: &str) {
        let text = text.trim_start();
        let quote = text
            .chars()
            .next()
            .filter(|sign| matches!(sign, '\'' | '"'));
        let between = quote.and_then(|quote| text.get(1..)?.split_once(quote));
        match between {
            Some((name, behind)) if !behind.trim_start().starts_with("||") => {
                if !self.files.iter().any(|known| known == name) {
                    self.files.push(name.to_owned());
                }
            }
            _ => self.is_open = true,
        }
    }
}

/// Whether a text begins with a name, and not with the letter of a text with escapes (`E'x'`).
fn begins_with_name(text: &str) -> bool {
    let text = text.trim_start();
    let behind = text.trim_start_matches(|letter| is_of_word(letter) || letter == '.');
    behind.len() < text.len() && !behind.starts_with(['\'', '"', '&'])
}
