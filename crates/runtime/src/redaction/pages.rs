//! Files of variables as a read shows them: where a text stands in its file is still known, so that nothing else is touched.

use std::borrow::Cow;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tenon_process::OUTPUT_SCHEME;
use tenon_secrets::values;
use tenon_tools::{PageOutput, ReadEncoding, ReadOutput, ShownPart, WholeOutput};

use super::{Hiding, Redaction, VARIABLE, Variables};
use crate::variable_files::{content, leads_to_variables};

impl Redaction {
    /// Hides values in the texts of files of variables, and in outputs of commands that read one.
    pub(crate) fn pages(&self, read: &mut ReadOutput, hiding: &Hiding) {
        if let ReadOutput::Whole(whole) = read
            && whole.encoding == ReadEncoding::Base64
        {
            return self.encoded(whole, hiding);
        }
        if hiding.is_nothing() {
            return;
        }
        match read {
            ReadOutput::Text(page) => self.page(page, hiding),
            ReadOutput::Whole(whole) => {
                if let Cow::Owned(clean) = self.page_text(&whole.path, 1, &whole.content, hiding) {
                    whole.content = clean;
                }
            }
            ReadOutput::Several(parts) => {
                for part in parts {
                    if let ShownPart::Page(page) = &mut part.shown {
                        self.page(page, hiding);
                    }
                }
            }
            ReadOutput::Image(_) => {}
        }
    }

    /// Hides in a text that is shown as base64 what would be hidden in the text itself. Other bytes stay as they are.
    fn encoded(&self, whole: &mut WholeOutput, hiding: &Hiding) {
        let bytes = STANDARD.decode(&whole.content).unwrap_or_default();
        let Ok(text) = String::from_utf8(bytes) else {
            return;
        };
        let page = self.page_text(&whole.path, 1, &text, hiding);
        let clean = self.text(&page, &hiding.with(Variables::Shown));
        if clean != text {
            whole.content = STANDARD.encode(&*clean);
        }
    }

    fn page(&self, page: &mut PageOutput, hiding: &Hiding) {
        let (path, text) = (&page.path, &page.page.text);
        if let Cow::Owned(clean) = self.page_text(path, page.page.first_line, text, hiding) {
            page.page.text = clean;
        }
    }

    /// The text that begins in this line of a file, without values if it is a file of variables.
    fn page_text<'t>(
        &self,
        path: &str,
        first_line: u64,
        text: &'t str,
        hiding: &Hiding,
    ) -> Cow<'t, str> {
        if path.starts_with(OUTPUT_SCHEME) {
            return self.text(text, hiding);
        }
        let file = self.root.join(path);
        if !leads_to_variables(&file) {
            return text.into();
        }
        // What stands before it says whether it is within a value.
        let before = lines_before(&file, first_line, text);
        let whole = format!("{before}{text}");
        let places = values(&whole).into_iter().filter_map(|place| {
            let end = place.end.checked_sub(before.len()).filter(|end| *end > 0)?;
            Some(place.start.saturating_sub(before.len())..end)
        });
        let mut places: Vec<_> = places.collect();
        places.extend(hiding.with(Variables::Shown).values.places(text));
        self.redactor.redact_also(text, places, VARIABLE)
    }
}

/// What stands in a file before a text that begins in this line, and perhaps not at its start.
fn lines_before(file: &Path, first_line: u64, text: &str) -> String {
    let all = content(file).unwrap_or_default();
    let first = usize::try_from(first_line).unwrap_or(usize::MAX);
    let mut lines = all.split_inclusive('\n');
    let mut before: String = lines.by_ref().take(first.saturating_sub(1)).collect();
    let line = lines.next().unwrap_or_default();
    let shown = text.lines().next().unwrap_or_default();
    let skipped = line.find(shown).unwrap_or_default();
    before.push_str(line.get(..skipped).unwrap_or_default());
    before
}
