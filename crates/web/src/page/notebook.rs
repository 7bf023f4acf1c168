//! Jupyter notebooks.

use tenon_document::{Notebook, as_text};

/// The cells of a notebook with their outputs; nothing for a text that is not one.
pub(super) fn shown(text: &str) -> Option<String> {
    let notebook = Notebook::parse(text).ok()?;
    let all = 1..=notebook.cells.len().max(1);
    Some(as_text(&notebook, &all, without_colours))
}

/// Without the sequences that colour a terminal (`ESC [ … m` and their like).
fn without_colours(text: &str) -> String {
    let mut parts = text.split("\u{1b}[");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = part.find(|letter: char| matches!(letter, '@'..='~'));
        plain.push_str(end.and_then(|end| part.get(end + 1..)).unwrap_or(part));
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_shown_with_their_outputs_and_without_colours() {
        let text = r##"{"cells": [
            {"cell_type": "markdown", "id": "a", "metadata": {}, "source": ["# Title\n", "text"]},
            {"cell_type": "code", "id": "b", "metadata": {}, "execution_count": 1, "source": "f()",
             "outputs": [{"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["\u001b[0;31mE\u001b[0m: v"]}]}
        ], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}"##;
        let expected = "Notebook of 2 cells, language python.\n\n[cell 1: markdown, id a]\n# Title\ntext\n\n\
            [cell 2: code, id b, run 1]\nf()\n[output]\nE: v\n";
        assert_eq!(shown(text).as_deref(), Some(expected));
        assert_eq!(shown("{}"), None);
    }
}
