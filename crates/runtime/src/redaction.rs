//! Secrets in results and in parameters: marks on the way out, and what they stand for on the way in.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use memchr::memchr2;
use serde::Serialize;
use serde_json::Value;
use tenon_contract::{
    Access, Content, Details, ErrorCode, Operation, Outcome, ToolError, strip_escapes,
};
use tenon_process::{OUTPUT_SCHEME, OutputFilter, OutputGuard};
use tenon_secrets::{
    Redactor, Stream, VariableValues, is_variable_file, may_name_variable_file, values,
    variable_file_diffs,
};

use crate::options::{RedactOption, VariablesShown};
use crate::variable_files::{FileContents, VariableFiles, leads_to_variables};

use details::{Texts, searched};

mod details;
mod pages;

/// What a value of a file of variables is called.
const VARIABLE: &str = "value of a variable";

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

/// What a call shows of a file of variables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Variables {
    /// It shows none, or all that they say.
    #[default]
    Shown,
    /// All lines are such a file's.
    Hidden,
    /// Lines that begin with the name of one are.
    HiddenByLine,
    /// Lines of a diff of one are, and those that begin with its name: what a command prints that names none.
    HiddenInDiffs,
}

/// What the results of a call must not show of files of variables: by the form of lines, and by what the files say.
#[derive(Debug, Clone, Default)]
pub(crate) struct Hiding {
    variables: Variables,
    /// The files that the call reads or may read, and what they say.
    files: VariableFiles,
    contents: FileContents,
    values: Arc<VariableValues>,
    /// Whether the result shows lines of such a file, by the name of the file or by what that leads to.
    shows_files: bool,
}

impl Hiding {
    /// The same for a part of a result.
    fn with(&self, variables: Variables) -> Self {
        Self {
            variables,
            ..self.clone()
        }
    }

    /// Whether nothing is hidden but what is a secret in any text.
    fn is_nothing(&self) -> bool {
        self.variables == Variables::Shown && self.values.is_empty()
    }

    /// Whether a search shows nothing of such files but what its result itself says.
    fn shows_none(&self) -> bool {
        self.values.is_empty() && !self.shows_files
    }

    /// What both hide.
    fn and(&mut self, other: &Self) {
        // What was kept is no file of variables by its name.
        if other.variables == Variables::Hidden || self.variables == Variables::HiddenByLine {
            self.variables = Variables::Hidden;
        }
        self.learn(&other.contents);
    }

    /// Looks for the values of these files as well.
    fn learn(&mut self, contents: &FileContents) {
        let all = self.contents.clone().and(contents);
        if all != self.contents {
            self.values = all.values();
            self.contents = all;
        }
    }
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

    /// The parameters with the secrets that their marks stand for, where the call writes files. A mark is never written,
    /// and nothing else gets a secret that is not shown.
    ///
    /// # Errors
    /// A mark that stands for nothing, and one in a call that cannot use it.
    pub(crate) fn restored(&self, operation: Operation, params: Value) -> Result<Value, ToolError> {
        match operation {
            Operation::Write
            | Operation::Edit
            | Operation::Patch
            | Operation::NotebookEdit
            | Operation::Lsp => {
                self.note_copies(&params);
                self.filled(params)
            }
            Operation::Execute
            | Operation::Process
            | Operation::WebFetch
            | Operation::WebRequest
            | Operation::Browser => {
                self.refuse_known(&params, unusable)?;
                Ok(params)
            }
            // Notes outlive the session and are read later by others.
            Operation::Memory => {
                self.refuse_known(&params, unkept)?;
                Ok(params)
            }
            Operation::Read
            | Operation::Grep
            | Operation::Find
            | Operation::List
            | Operation::Delete => Ok(self.filled_paths(params)),
            _ => Ok(params),
        }
    }

    /// Notes where secrets go: into a file that is not one of variables, or into its name.
    fn note_copies(&self, params: &Value) {
        let mut texts = Vec::new();
        texts_of("", params, &mut texts);
        let is_of_variables = texts.iter().any(|(name, text)| {
            names_files(name) && is_variable_file(text) || names_variable_file(text)
        });
        for (name, text) in texts {
            if names_files(name) {
                self.redactor.named(text);
            }
            text.lines()
                .filter(|line| heads_patch(line))
                .for_each(|line| self.redactor.named(line));
            if !is_of_variables {
                self.redactor.copied(text);
            }
        }
    }

    /// The parameters with what marks in paths stand for: the tools may have shown them in the name of a file. What stands for
    /// nothing may be a name.
    fn filled_paths(&self, params: Value) -> Value {
        let Value::Object(members) = params else {
            return params;
        };
        let restored = |text: String| match self.redactor.restore(&text) {
            Ok(Cow::Owned(restored)) => restored,
            Ok(Cow::Borrowed(_)) | Err(_) => text,
        };
        let fill = |value: Value| match value {
            Value::String(text) => Value::String(restored(text)),
            value => value,
        };
        let member = |(name, value): (String, Value)| match value {
            value if !names_files(&name) => (name, value),
            Value::Array(items) => (name, items.into_iter().map(fill).collect()),
            value => (name, fill(value)),
        };
        Value::Object(members.into_iter().map(member).collect())
    }

    fn filled(&self, value: Value) -> Result<Value, ToolError> {
        Ok(match value {
            Value::String(text) => {
                let filled = self.redactor.restore(&text);
                Value::String(filled.map_err(|mark| unknown(&mark.mark))?.into_owned())
            }
            Value::Array(items) => items
                .into_iter()
                .map(|item| self.filled(item))
                .collect::<Result<_, _>>()?,
            Value::Object(members) => members
                .into_iter()
                .map(|(name, member)| Ok((name, self.filled(member)?)))
                .collect::<Result<_, ToolError>>()?,
            value => value,
        })
    }

    fn refuse_known(&self, value: &Value, refusal: fn() -> ToolError) -> Result<(), ToolError> {
        let below = |member: &Value| self.refuse_known(member, refusal);
        match value {
            Value::String(text) => match self.redactor.restore(text) {
                Ok(Cow::Owned(_)) => Err(refusal()),
                Ok(Cow::Borrowed(_)) | Err(_) => Ok(()),
            },
            Value::Array(items) => items.iter().try_for_each(below),
            Value::Object(members) => members.values().try_for_each(below),
            _ => Ok(()),
        }
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

/// Whether a parameter is the name of a file or a directory, or a list of them.
fn names_files(parameter: &str) -> bool {
    let parameter = parameter.to_ascii_lowercase();
    ["path", "file", "dir", "more", "cwd"]
        .iter()
        .any(|part| parameter.contains(part))
}

/// All texts of parameters, with the names of the members that they are in.
fn texts_of<'v>(name: &'v str, value: &'v Value, texts: &mut Vec<(&'v str, &'v str)>) {
    match value {
        Value::String(text) => texts.push((name, text)),
        Value::Array(items) => items.iter().for_each(|item| texts_of(name, item, texts)),
        Value::Object(members) => {
            for (name, member) in members {
                texts_of(name, member, texts);
            }
        }
        _ => {}
    }
}

/// Whether a line of a patch names a file.
fn heads_patch(line: &str) -> bool {
    let starts = ["*** ", "--- ", "+++ ", "diff ", "rename ", "copy "];
    starts.iter().any(|start| line.starts_with(start))
}

/// Whether a patch changes a file of variables.
fn names_variable_file(text: &str) -> bool {
    let mut heads = text.lines().filter(|line| heads_patch(line));
    heads.any(|line| line.split([' ', '\t']).any(is_variable_file))
}

/// Whether a place is in a line between brackets, as notices of tools are.
fn is_in_notice(text: &str, place: &Range<usize>) -> bool {
    let before = text.get(..place.start).unwrap_or_default();
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = text.get(start..).unwrap_or_default();
    let line = line.split('\n').next().unwrap_or_default().trim();
    line.starts_with('[') && line.ends_with(']')
}

/// The bytes of the number of a line and the signs around it, behind the name of its file.
fn end_of_number(line: &str, end: usize) -> usize {
    let rest = line.get(end..).unwrap_or_default();
    let number = rest.trim_start_matches([':', '-', '\0']);
    let behind = number.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let has_number = behind.len() < number.len() && behind.starts_with([':', '-']);
    let shown = if has_number {
        behind.trim_start_matches([':', '-'])
    } else {
        number
    };
    rest.len() - shown.trim_start_matches(' ').len()
}

/// Whether an answer of lines has a line of a file of variables, or names such a file. Thousands of lines of code may say `process.env`.
fn shows_variables(outcome: &Outcome) -> bool {
    let mut texts = outcome.content.iter().filter_map(text_of);
    texts.any(has_lines_of_variables) || {
        let json = outcome.details.json();
        may_name_variable_file(&json)
            && Texts::of(&json)
                .any(|(_, text)| is_variable_file(&text) || has_lines_of_variables(&text))
    }
}

/// Whether a line of a text begins with the name of a file of variables.
fn has_lines_of_variables(text: &str) -> bool {
    // Colors may stand in the name.
    let may_be_one = |line: &&str| {
        may_name_variable_file(line) || memchr2(ESCAPE, INTRODUCER, line.as_bytes()).is_some()
    };
    let mut lines = text.split('\n').filter(may_be_one);
    may_name_variable_file(text) && lines.any(|line| end_of_variable_file(line).is_some())
}

const fn text_of(part: &Content) -> Option<&str> {
    match part {
        Content::Text(text) => Some(text.as_str()),
        Content::Image { .. } => None,
    }
}

/// Whether a text may have a diff in it.
fn names_a_diff(text: &str) -> bool {
    text.contains("diff --") || text.contains("+++ ")
}

/// First bytes of escape sequences of terminals, of seven and of eight bits.
const ESCAPE: u8 = 0x1b;
const INTRODUCER: u8 = 0xc2;
/// Longest path and longest name of a file, in bytes (Linux: `PATH_MAX`, `NAME_MAX`).
const MAX_PATH: usize = 4096;
const MAX_NAME: usize = 255;

/// The values of files of variables in what a command prints that names none: those in diffs, and those that a search of many files
/// shows behind the name of one.
fn of_variable_files(text: &str) -> Vec<Range<usize>> {
    if !may_name_variable_file(text) {
        return Vec::new();
    }
    let diffs = variable_file_diffs(text);
    let mut behind = values(text);
    let mut inside = Vec::new();
    if !diffs.is_empty() {
        inside.clone_from(&behind);
        inside.retain(|place| diffs.iter().any(|diff| diff.contains(&place.start)));
    }
    behind_variable_files(text, &mut behind);
    // Beside prose and code (`a ? process.env : b`), names have no blanks in them.
    behind.retain(|place| {
        let before = text.get(..place.start).unwrap_or_default();
        let line = before.rsplit('\n').next().unwrap_or_default();
        let name = line.split([':', '\0']).next().unwrap_or_default();
        !name.contains(char::is_whitespace)
    });
    inside.extend(behind);
    inside
}

/// The places that stand behind the name of a file of variables in their line, as lists of matches have it. The places are in
/// order, so that each line is read once.
fn behind_variable_files(text: &str, places: &mut Vec<Range<usize>>) {
    let mut line_end = 0;
    let mut values_from = None;
    places.retain(|place| {
        if place.start >= line_end {
            let before = text.get(..place.start).unwrap_or("");
            let start = before.rfind('\n').map_or(0, |at| at + 1);
            let rest = text.get(start..).unwrap_or("");
            let line = rest.split('\n').next().unwrap_or("");
            line_end = start + line.len();
            values_from = end_of_variable_file(line).map(|end| start + end);
        }
        values_from.is_some_and(|from| place.start >= from)
    });
}

/// Where the name of a file of variables at the start of a line ends: `a-b/.env:3: X=y`, `a-b/.env-4- X=y` for lines around
/// a match, and NUL instead of the sign (`grep -Z`). There may be colors around the name (`grep --color=always`).
fn end_of_variable_file(line: &str) -> Option<usize> {
    let is_named = |from: usize, to: usize| {
        let name = line.get(from..to).unwrap_or_default();
        is_variable_file(strip_escapes(name).trim())
    };
    let mut name = 0;
    for (at, letter) in line.char_indices().take_while(|(at, _)| *at <= MAX_PATH) {
        match letter {
            '/' | '\\' => name = at + 1,
            ':' | '-' | '\0' if at - name <= MAX_NAME && is_named(name, at) => return Some(at),
            _ => {}
        }
    }
    None
}

fn unknown(mark: &str) -> ToolError {
    let message = format!(
        "Nothing was changed: `{mark}` is the mark of a value that is not shown, but of none that is known here. Read the file again and copy the mark as it is, or write the value itself."
    );
    ToolError::new(ErrorCode::InvalidParams, message).with("mark", mark)
}

fn unusable() -> ToolError {
    let message = "Nothing was run: the parameters contain the mark of a value that is not shown, and only edits and writes of files put the value in its place. Let the command read it from where it is stored, such as a file or an environment variable.";
    ToolError::new(ErrorCode::InvalidParams, message)
}

fn unkept() -> ToolError {
    let message = "Nothing was changed: the parameters contain the mark of a value that is not shown, and notes keep no such values. Write down where the value is stored.";
    ToolError::new(ErrorCode::InvalidParams, message)
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
