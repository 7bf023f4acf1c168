//! How a notebook is laid out as text.

use serde::Serialize as _;
use serde_json::Value;

use tenon_document::Notebook;

/// How the file is laid out, so that a new part looks like its neighbours.
pub(super) struct Layout {
    /// One step of indentation; nothing where all stands on one line.
    step: Option<String>,
    /// What stands before a cell: a line end and its indentation.
    pub(super) gap: String,
    /// What stands before the bracket that closes the list.
    pub(super) end: String,
}

impl Layout {
    pub(super) fn of(text: &str, notebook: &Notebook) -> Self {
        let end_of_line = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let second = text.lines().nth(1).unwrap_or_default();
        let step: String = second
            .chars()
            .take_while(|letter| matches!(letter, ' ' | '\t'))
            .collect();
        if step.is_empty() {
            return Self {
                step: None,
                gap: notebook.gap(text),
                end: String::new(),
            };
        }
        Self {
            gap: format!("{end_of_line}{}", step.repeat(2)),
            end: format!("{end_of_line}{step}"),
            step: Some(step),
        }
    }

    /// The cell as JSON at its place in the file.
    pub(super) fn cell(&self, cell: &Value) -> String {
        let Some(step) = &self.step else {
            return cell.to_string();
        };
        let mut bytes = Vec::new();
        let formatter = serde_json::ser::PrettyFormatter::with_indent(step.as_bytes());
        let mut writer = serde_json::Serializer::with_formatter(&mut bytes, formatter);
        // Writing a value to memory cannot fail; its compact form is as good a notebook.
        if cell.serialize(&mut writer).is_err() {
            return cell.to_string();
        }
        // Line feeds of the text itself are escaped.
        String::from_utf8(bytes)
            .map_or_else(|_| cell.to_string(), |text| text.replace('\n', &self.gap))
    }
}
