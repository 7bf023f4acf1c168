//! Marks in parameters: what they stand for is put in where files are written, and nowhere else.

use std::borrow::Cow;

use serde_json::Value;
use tenon_contract::{ErrorCode, Operation, ToolError};
use tenon_secrets::is_variable_file;

use super::Redaction;

impl Redaction {
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
