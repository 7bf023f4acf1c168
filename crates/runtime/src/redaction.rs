//! Secrets in results and in parameters: marks on the way out, and what they stand for on the way in.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use serde_json::Value;
use tenon_contract::{Access, Content, Details, Operation, Outcome, ToolError};
use tenon_process::{OUTPUT_SCHEME, OutputFilter, OutputGuard};
use tenon_secrets::{Redactor, Stream, is_variable_file, may_name_variable_file, values};

use crate::options::{RedactOption, VariablesShown};
use crate::variable_files::{FileContents, VariableFiles, leads_to_variables};

use details::searched;
use hiding::Variables;
use variable_lines::{
    behind_variable_files, end_of_number, end_of_variable_file, has_lines_of_variables,
    is_in_notice, names_a_diff, of_variable_files, shows_variables,
};

pub(crate) use hiding::Hiding;

mod details;
mod hiding;
mod pages;
mod parameters;
mod variable_lines;

/// What a value of a file of variables is called.
const VARIABLE: &str = "value of a variable";
/// Longest path, in bytes (Linux: `PATH_MAX`).
const MAX_PATH: usize = 4096;

/// Takes secrets out of what calls return. Cheap to clone; the clones know the same secrets.
#[derive(Debug, Clone)]
pub(crate) struct Redaction {
    redactor: Arc<Redactor>,
    /// Whether files of variables show only their names.
    hides_variables: bool,
    /// The workspace: its names are left as they are.
    root: Arc<Path>,
    /// Background commands that read a file of variables, and kept outputs of commands that did: later calls show them.
    readers: Arc<Mutex<HashMap<String, Hiding>>>,
}

impl Redaction {
    /// As the options say; nothing where nothing is taken out.
    ///
    /// # Errors
    /// Patterns that are not regular expressions.
    pub(crate) fn new(
        option: Option<&RedactOption>,
        root: &Path,
        session: Option<&str>,
    ) -> Result<Option<Self>, ToolError> {
        let Some(options) = RedactOption::settings(option) else {
            return Ok(None);
        };
        let root: Arc<Path> = root.into();
        let names = Arc::clone(&root);
        let mut redactor = Redactor::new(options.compiled()?)
            .leaving_names(move |name| names.join(name).symlink_metadata().is_ok());
        if let Some(session) = session {
            redactor = redactor.tagged(session);
        }
        Ok(Some(Self {
            redactor: Arc::new(redactor),
            root,
            hides_variables: options.variables != Some(VariablesShown::Values),
            readers: Arc::default(),
        }))
    }

    pub(crate) fn redactor(&self) -> &Arc<Redactor> {
        &self.redactor
    }

    /// Whether files of variables show only their names.
    pub(crate) fn hides_variables(&self) -> bool {
        self.hides_variables
    }

    /// What the results of a call hide that reads these files of variables.
    pub(crate) fn hiding(
        &self,
        operation: Operation,
        access: &Access,
        files: VariableFiles,
    ) -> Hiding {
        let variables = if operation == Operation::Grep {
            Variables::HiddenByLine
        } else if files.are_read() {
            Variables::Hidden
        } else {
            match operation {
                Operation::Execute | Operation::Process => Variables::HiddenInDiffs,
                // What it opens is the output of a command.
                _ if !access.sessions.is_empty() => Variables::HiddenInDiffs,
                _ => Variables::Shown,
            }
        };
        let mut hiding = Hiding {
            variables,
            ..Hiding::default()
        };
        hiding.learn(&files.contents());
        hiding.files = files;
        self.add_readers(access, &mut hiding);
        hiding
    }

    /// Looks at the files once more after the call, and at those that its result shows: they may have changed meanwhile.
    pub(crate) fn look_again(&self, hiding: &mut Hiding, shown: &[String]) {
        hiding.learn(&hiding.files.contents());
        if hiding.variables == Variables::HiddenByLine {
            let shown = shown.iter().map(|name| self.root.join(name));
            let shown: Vec<_> = shown.filter(|file| leads_to_variables(file)).collect();
            hiding.shows_files = !shown.is_empty();
            hiding.learn(&FileContents::of_read(shown));
        }
    }

    /// Keeps in mind that this background command reads a file of variables.
    pub(crate) fn remember_reader(&self, session: &str, hiding: &Hiding) {
        let is_reader = hiding.variables == Variables::Hidden || !hiding.values.is_empty();
        if is_reader {
            let mut readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
            readers.insert(session.to_owned(), hiding.clone());
        }
    }

    /// What a background command wrote, as calls show it. One that may read a file of variables, by its text, hides as one that does:
    /// it may write before anybody knows what it reads.
    pub(crate) fn output(&self, session: &str, command: &str, text: String) -> String {
        let reader = {
            let readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
            readers.get(session).cloned()
        };
        let hiding = reader.unwrap_or_else(|| {
            let may_read = self.hides_variables && may_name_variable_file(command);
            Hiding::default().with(if may_read {
                Variables::Hidden
            } else {
                Variables::Shown
            })
        });
        self.text(&text, &hiding).into_owned()
    }

    /// Keeps in mind the addresses of outputs (`output://3`) in a text: they are those of a command that did.
    fn remember_outputs(&self, text: &str, hiding: &Hiding) {
        for (at, _) in text.match_indices(OUTPUT_SCHEME) {
            let behind = text.get(at + OUTPUT_SCHEME.len()..).unwrap_or_default();
            let digits = behind.bytes().take_while(u8::is_ascii_digit).count();
            if let Some(address) = text.get(at..at + OUTPUT_SCHEME.len() + digits) {
                self.remember_reader(address, hiding);
            }
        }
    }

    /// Hides what such commands read as well, where the call may show what they wrote. Input names no session: any of them may
    /// be the one.
    fn add_readers(&self, access: &Access, hiding: &mut Hiding) {
        if access.sessions.is_empty() && access.inputs.is_empty() {
            return;
        }
        let readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        for (session, reader) in readers.iter() {
            if access.sessions.contains(session) || !access.inputs.is_empty() {
                hiding.and(reader);
            }
        }
    }

    pub(crate) fn outcome(&self, outcome: &mut Outcome, hiding: &Hiding) {
        let shown;
        let hiding = match hiding.variables {
            Variables::HiddenByLine if hiding.shows_none() && !shows_variables(outcome) => {
                shown = Hiding::default();
                &shown
            }
            _ => hiding,
        };
        self.keep_back(outcome, hiding);
        let mut plain = Vec::new();
        for (index, part) in outcome.content.iter_mut().enumerate() {
            if let Content::Text(text) = part {
                match self.text(text, hiding) {
                    Cow::Owned(clean) => *text = clean,
                    Cow::Borrowed(_) => plain.push(index),
                }
            }
        }
        // Details are read as a value only where there is something in them.
        let is_read = match hiding.variables {
            Variables::Hidden | Variables::HiddenByLine => true,
            _ if !hiding.values.is_empty() => true,
            Variables::HiddenInDiffs | Variables::Shown => {
                let json = outcome.details.json();
                let plain = plain.iter().filter_map(|index| outcome.content.get(*index));
                let plain: Vec<&str> = plain.filter_map(text_of).collect();
                self.redactor.finds(&searched(&json, &plain))
                    || hiding.variables != Variables::Shown
                        && (names_a_diff(&json) || may_name_variable_file(&json))
            }
        };
        if is_read {
            let value = std::mem::take(&mut outcome.details).into_value();
            outcome.details = Details::of(&self.value(value, hiding)).unwrap_or_default();
        }
    }

    /// Keeps in mind where the rest of an output is kept that has values in it.
    fn keep_back(&self, outcome: &Outcome, hiding: &Hiding) {
        let mut texts = outcome.content.iter().filter_map(text_of);
        let of_all = match hiding.variables {
            Variables::Hidden => true,
            Variables::HiddenInDiffs => texts.any(|text| !of_variable_files(text).is_empty()),
            Variables::HiddenByLine | Variables::Shown => return,
        };
        let json = outcome.details.json();
        if of_all {
            self.remember_outputs(&json, &hiding.with(Variables::Hidden));
        } else if !hiding.values.is_empty() {
            self.remember_outputs(&json, hiding);
        }
    }

    /// A value as JSON, without the secrets that are known and what the patterns of the host match.
    ///
    /// # Errors
    /// What cannot be written as JSON.
    pub(crate) fn json_of(&self, value: &impl Serialize) -> serde_json::Result<String> {
        if !self.redactor.knows_any() {
            return serde_json::to_string(value);
        }
        let value = serde_json::to_value(value)?;
        serde_json::to_string(&self.value(value, &Hiding::default()))
    }

    pub(crate) fn error(&self, mut error: ToolError, hiding: &Hiding) -> ToolError {
        if hiding.variables == Variables::Hidden {
            let outputs = error.details.values().filter_map(Value::as_str);
            outputs.for_each(|text| self.remember_outputs(text, hiding));
        }
        if let Cow::Owned(clean) = self.text(&error.message, hiding) {
            error.message = clean;
        }
        for (_, detail) in error.details.iter_mut() {
            *detail = self.value(std::mem::take(detail), hiding);
        }
        error
    }

    fn value(&self, value: Value, hiding: &Hiding) -> Value {
        self.value_with(value, hiding, &LookedAt::default())
    }

    fn value_with(&self, value: Value, hiding: &Hiding, looked_at: &LookedAt) -> Value {
        match value {
            Value::String(text) => {
                let clean = if !hiding.is_nothing() && self.is_name(&text, looked_at) {
                    self.text(&text, &Hiding::default())
                } else {
                    self.text(&text, hiding)
                };
                match clean {
                    Cow::Owned(clean) => Value::String(clean),
                    Cow::Borrowed(_) => Value::String(text),
                }
            }
            Value::Array(items) => items
                .into_iter()
                .map(|item| self.value_with(item, hiding, looked_at))
                .collect(),
            Value::Object(members) => {
                // What a search says of a file stands beside the name of the file.
                let is_of_file = hiding.variables == Variables::HiddenByLine
                    && members.values().any(|member| {
                        member
                            .as_str()
                            .is_some_and(|name| self.is_of_file(name, looked_at))
                    });
                let of_file;
                let below = if is_of_file {
                    of_file = hiding.with(Variables::Hidden);
                    &of_file
                } else {
                    hiding
                };
                let member = |(name, member)| match member {
                    // What matched may be any part of a value.
                    Value::String(text) if is_of_file && hiding.values.has_part(&text) => {
                        let whole = std::iter::once(0..text.len()).collect();
                        let hidden = self.redactor.redact_also(&text, whole, VARIABLE);
                        (name, Value::String(hidden.into_owned()))
                    }
                    member => (name, self.value_with(member, below, looked_at)),
                };
                members.into_iter().map(member).collect()
            }
            value => value,
        }
    }

    /// Whether a text is the name of a file that is there, and of no more.
    fn is_name(&self, text: &str, looked_at: &LookedAt) -> bool {
        !text.is_empty()
            && text.len() <= MAX_PATH
            && !text.contains(char::is_whitespace)
            && looked_at
                .names
                .once(text, || self.root.join(text).symlink_metadata().is_ok())
    }

    /// Whether a text is the name of a file of variables, or of a link to one.
    fn is_of_file(&self, text: &str, looked_at: &LookedAt) -> bool {
        is_variable_file(text)
            || self.is_name(text, looked_at)
                && looked_at
                    .files
                    .once(text, || leads_to_variables(&self.root.join(text)))
    }

    fn text<'t>(&self, text: &'t str, hiding: &Hiding) -> Cow<'t, str> {
        let places = match hiding.variables {
            Variables::Shown => hiding.values.places(text),
            Variables::Hidden => {
                let mut places = values(text);
                places.retain(|place| !is_in_notice(text, place));
                places.extend(hiding.values.places(text));
                places
            }
            Variables::HiddenByLine => self.places_by_line(text, hiding),
            Variables::HiddenInDiffs => {
                let mut places = of_variable_files(text);
                places.extend(hiding.values.places(text));
                places
            }
        };
        if places.is_empty() {
            return self.redactor.redact(text);
        }
        self.redactor.redact_also(text, places, VARIABLE)
    }

    /// The values in lines that begin with the name of a file of variables, or with that of a link to one.
    fn places_by_line(&self, text: &str, hiding: &Hiding) -> Vec<Range<usize>> {
        if hiding.values.is_empty() && !has_lines_of_variables(text) {
            return Vec::new();
        }
        let mut places = values(text);
        places.extend(hiding.values.places(text));
        places.sort_by_key(|place| (place.start, place.end));
        behind_variable_files(text, &mut places);
        if hiding.values.is_empty() {
            return places;
        }
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let body = line.trim_end_matches(['\n', '\r']);
            // Where only what matched is shown, it may be any part of a value.
            let shown = end_of_variable_file(body).map(|end| end + end_of_number(body, end));
            let shown = shown.filter(|from| {
                let text = body.get(*from..).unwrap_or_default();
                hiding.values.has_part(text.trim_matches(['"', '\'', '`']))
            });
            places.extend(shown.map(|from| start + from..start + body.len()));
            start += line.len();
        }
        places
    }
}

/// What was looked at for one result: thousands of matches name the same files.
#[derive(Default)]
struct LookedAt {
    /// Whether a text is the name of a file.
    names: Answers,
    /// Whether a file is one of variables.
    files: Answers,
}

/// Answers by the text that was asked about.
#[derive(Default)]
struct Answers(RefCell<HashMap<String, bool>>);

impl Answers {
    fn once(&self, text: &str, look: impl FnOnce() -> bool) -> bool {
        if let Some(known) = self.0.borrow().get(text).copied() {
            return known;
        }
        let found = look();
        self.0.borrow_mut().insert(text.to_owned(), found);
        found
    }
}

const fn text_of(part: &Content) -> Option<&str> {
    match part {
        Content::Text(text) => Some(text.as_str()),
        Content::Image { .. } => None,
    }
}

impl OutputGuard for Redaction {
    fn filter(&self) -> Box<dyn OutputFilter> {
        Box::new(Filtered(Stream::new(self.redactor.clone())))
    }

    fn unfinished(&self, text: &str) -> usize {
        self.redactor.unfinished(text)
    }

    fn screen(&self, text: &str, columns: u16) -> String {
        let screen = self.redactor.redact_screen(text, usize::from(columns));
        screen.into_owned()
    }
}

#[derive(Debug)]
struct Filtered(Stream);

impl OutputFilter for Filtered {
    fn push<'b>(&mut self, bytes: &'b [u8]) -> Cow<'b, [u8]> {
        self.0.push(bytes)
    }

    fn finish(&mut self) -> Vec<u8> {
        self.0.finish()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const KEY: &str = "ghp_Zq3vT9xLw2RkYb7NcHs5JdFg8MaQe1UoXi4P";

    fn redacted(text: &str, details: &Value) -> (String, Value) {
        let redaction = Redaction::new(None, Path::new("/"), None).unwrap().unwrap();
        let mut outcome = Outcome {
            content: vec![Content::Text(text.to_owned())],
            details: Details::of(details).unwrap(),
            changes: Vec::new(),
        };
        redaction.outcome(&mut outcome, &Hiding::default());
        let text = text_of(&outcome.content[0]).unwrap().to_owned();
        (text, outcome.details.into_value())
    }

    #[test]
    fn a_key_at_the_start_of_a_line_of_details_is_not_shown() {
        for text in [
            format!("one\n{KEY}\ntwo"),
            format!("a\t{KEY}"),
            KEY.to_owned(),
        ] {
            for content in ["nothing", &text] {
                let (_, details) =
                    redacted(content, &json!({ "stdout": text, "n": [1, { "x": text }] }));
                assert!(!details.to_string().contains(KEY), "{details}");
            }
        }
    }

    #[test]
    fn a_long_text_of_details_is_searched_with_the_answer_that_has_it() {
        let page = "A line of \"words\" and é.\n".repeat(60);
        let page = page.trim_end();
        let answer = format!("<<<begin\nTitle: T\n{page}\n<<<end");
        let json = json!({ "snapshot": page, "url": "u" }).to_string();
        assert_eq!(searched(&json, &[&answer]), r#"{"snapshot":"","url":"u"}"#);
        // Another text, and one that only a part of a line would be.
        let other = format!("x{answer}").replace("T\nA", "TA");
        for plain in [&[][..], &["words"], &[other.as_str()]] {
            let found = searched(&json, plain);
            assert_eq!(found, format!("{{\"snapshot\":\"{page}\",\"url\":\"u\"}}"));
        }
        // A key beside it, and one in it.
        let (_, details) = redacted(&answer, &json!({ "snapshot": page, "url": KEY }));
        assert!(!details.to_string().contains(KEY), "{details}");
        let with_key = page.replacen("words", KEY, 1);
        let (text, details) = redacted(
            &format!("<\n{with_key}\n>"),
            &json!({ "snapshot": with_key }),
        );
        assert!(
            !text.contains(KEY) && !details.to_string().contains(KEY),
            "{details}"
        );
    }

    #[test]
    fn code_that_says_process_env_is_no_line_of_a_file_of_variables() {
        let code = "src/a.ts:3: const a = process.env.PORT\nsrc/b.ts:4: read(c.env)";
        for (text, details, expected) in [
            (
                code,
                json!({ "file": "src/a.ts", "text": "const a = process.env.PORT" }),
                false,
            ),
            ("a\n.env:3: A=b", json!({}), true),
            ("a\nsub/prod.env-4- A=b\nb", json!({}), true),
            (
                "a.env\n\u{1b}[35m.e\u{1b}[0mnv\u{1b}[0m:3: A=b",
                json!({}),
                true,
            ),
            ("a.env\n\u{9b}35m.e\u{9b}0mnv:3: A=b", json!({}), true),
            (
                code,
                json!({ "matches": [{ "file": "a" }, { "file": "x/.env.local" }] }),
                true,
            ),
            (code, json!({ "text": "one\n.env:3: A=b" }), true),
            (code, json!({ "text": "say \"A\"\n.env:3: A=b" }), true),
        ] {
            let outcome = Outcome {
                content: vec![Content::Text(text.to_owned())],
                details: Details::of(&details).unwrap(),
                changes: Vec::new(),
            };
            assert_eq!(shows_variables(&outcome), expected, "{text} {details}");
        }
    }
}
