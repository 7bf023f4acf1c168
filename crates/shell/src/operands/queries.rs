//! Files that a query writes: `COPY … TO 'x'`, `EXPORT DATABASE 'x'`, `INTO OUTFILE 'x'`.

/// What is written by queries.
pub(crate) struct Outputs {
    /// Names of files, as they stand there.
    pub files: Vec<String>,
    /// Whether a name is computed.
    pub is_open: bool,
}

/// The files that these statements write.
pub(crate) fn outputs(text: &str) -> Outputs {
    let mut outputs = Outputs {
        files: Vec::new(),
        is_open: false,
    };
    let lower = text.to_ascii_lowercase();
    // Small letters of other alphabets can be longer.
    let text = if lower.len() == text.len() {
        text
    } else {
        &lower
    };
    for mark in ["export database", "into outfile", "into dumpfile"] {
        for (place, _) in lower.match_indices(mark) {
            let behind = text.get(place + mark.len()..).unwrap_or_default();
            outputs.add(behind, true);
        }
    }
    if lower
        .split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .any(|word| word == "copy")
    {
        for (place, _) in lower.match_indices("to") {
            let is_word = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '.';
            let before = text.get(..place).unwrap_or_default();
            let behind = text.get(place + 2..).unwrap_or_default();
            if !before.ends_with(is_word) && !behind.starts_with(is_word) {
                outputs.add(behind, !behind.trim_start().starts_with(is_word));
            }
        }
    }
    outputs
}

impl Outputs {
    /// The text between quotes with which this begins; what is none is computed, where one `must` stand there.
    fn add(&mut self, text: &str, must: bool) {
        let text = text.trim_start();
        let text = text.strip_prefix("truncate").unwrap_or(text);
        let quote = text
            .chars()
            .next()
            .filter(|sign| matches!(sign, '\'' | '"'));
        let between = quote.and_then(|quote| text.get(1..)?.split_once(quote));
        match between {
            Some((name, behind)) if !behind.trim_start().starts_with("||") => {
                self.files.push(name.to_owned());
            }
            Some(_) => self.is_open = true,
            None => self.is_open |= must,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::outputs;

    #[test]
    fn the_files_that_a_query_writes_stand_between_quotes() {
        let cases: &[(&str, &[&str], bool)] = &[
            ("copy (select 1) to 'a'", &["a"], false),
            ("COPY t TO 'a.csv' (header); select 1", &["a.csv"], false),
            ("export database '../x'", &["../x"], false),
            ("select 1 into outfile 'x' format CSV", &["x"], false),
            ("copy t to (getenv('A'))", &[], true),
            ("copy t to 'a' || 'b'", &[], true),
            ("copy t from 'a'", &[], false),
            ("select total from t", &[], false),
        ];
        for (text, files, is_open) in cases {
            let found = outputs(text);
            assert_eq!(found.files, *files, "{text}");
            assert_eq!(found.is_open, *is_open, "{text}");
        }
    }
}
