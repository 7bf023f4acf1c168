//! Calls in the words of Claude Code: its names of tools and parameters, and back.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use tenon_contract::{Access, ErrorCode, Operation, ToolError};
use tenon_edit::{FileOperation, FilePatch, HunkLine, Side, parse_patch};

/// What Claude Code calls the tools; those that it has not keep their name.
const fn names(operation: Operation) -> &'static [&'static str] {
    match operation {
        Operation::Read => &["Read"],
        Operation::Write => &["Write"],
        Operation::Edit => &["Edit", "MultiEdit"],
        Operation::Patch => &["Edit", "MultiEdit", "Write"],
        Operation::Delete => &["Write", "Edit", "MultiEdit"],
        Operation::NotebookEdit => &["NotebookEdit"],
        Operation::List => &["LS"],
        Operation::Find => &["Glob"],
        Operation::Grep => &["Grep"],
        Operation::Execute => &["Bash"],
        Operation::Process => &["BashOutput", "KillShell", "KillBash"],
        Operation::Lsp => &["LSP"],
        Operation::TodoRead => &["TodoRead"],
        Operation::TodoWrite => &["TodoWrite"],
        Operation::Skill => &["Skill"],
        Operation::Task => &["Task", "Agent"],
        Operation::AskUser => &["AskUserQuestion"],
        Operation::ExitPlan => &["ExitPlanMode"],
        Operation::WebFetch => &["WebFetch"],
        Operation::WebSearch => &["WebSearch"],
        _ => &[],
    }
}

/// Names of parameters: of what, ours, and those of Claude Code.
const RENAMED: &[(&[Operation], &str, &str)] = &[
    (&[Operation::Edit], "oldText", "old_string"),
    (&[Operation::Edit], "newText", "new_string"),
    (&[Operation::Edit], "replaceAll", "replace_all"),
    (&[Operation::Execute], "background", "run_in_background"),
    (&[Operation::Process], "sessionId", "bash_id"),
    (&[Operation::Skill], "name", "skill"),
    (&[Operation::Task], "objective", "prompt"),
    (&[Operation::Task], "agent", "subagent_type"),
];

/// Names of parameters that hold a path, and what Claude Code calls them. It always gives paths whole.
const PATHS: &[(&[Operation], &[&str], &str)] = &[
    (
        &[
            Operation::Read,
            Operation::Write,
            Operation::Edit,
            Operation::Delete,
        ],
        &["path", "file_path"],
        "file_path",
    ),
    (
        &[Operation::NotebookEdit],
        &["path", "file_path", "notebook_path"],
        "notebook_path",
    ),
    (
        &[Operation::List, Operation::Find, Operation::Grep],
        &["path"],
        "path",
    ),
];

/// A call as Claude Code would name it.
pub(crate) struct ClaudeCall<'c> {
    /// Its names, the one that is sent first.
    pub(crate) names: Vec<&'c str>,
    /// Its parameters.
    pub(crate) input: Map<String, Value>,
    /// Which of them have another name or value than ours.
    renamed: Vec<Renamed<'c>>,
    /// Those that only guards of Claude Code look for, and that say what others of the call say.
    added: Map<String, Value>,
}

/// A parameter of another name or value.
#[derive(Clone)]
struct Renamed<'c> {
    ours: &'c str,
    theirs: &'static str,
    /// The value that was given to the hook.
    reported: Value,
    own: Value,
}

/// Renders a call in the words of Claude Code: a patch as one call for each file that it changes, any other as one.
pub(crate) fn given<'c>(
    operation: Operation,
    tool: &'c str,
    wire: &'c Value,
    access: &Access,
    directory: &Path,
) -> Vec<ClaudeCall<'c>> {
    let whole = ClaudeCall::of(operation, tool, wire, directory);
    if operation != Operation::Patch {
        return vec![whole];
    }
    let files = patched(wire, access, directory);
    if files.is_empty() {
        return vec![whole];
    }
    files.into_iter().map(|file| whole.about(file)).collect()
}

impl<'c> ClaudeCall<'c> {
    fn of(operation: Operation, tool: &'c str, wire: &'c Value, directory: &Path) -> Self {
        let mut known: Vec<&str> = names(operation).to_vec();
        if !known.contains(&tool) {
            known.push(tool);
        }
        let mut call = Self {
            names: known,
            input: Map::new(),
            renamed: Vec::new(),
            added: Map::new(),
        };
        for (name, value) in wire.as_object().into_iter().flatten() {
            let (theirs, reported) = in_their_words(operation, name, value, directory);
            if let Some(theirs) = theirs {
                call.renamed.push(Renamed {
                    ours: name,
                    theirs,
                    reported: reported.clone(),
                    own: value.clone(),
                });
            }
            call.input
                .insert(theirs.unwrap_or(name).to_owned(), reported);
        }
        if operation == Operation::Delete {
            // A file that is gone is nearest to one that was emptied.
            call.add("content", "".into());
        }
        if let Some(Value::Array(edits)) = wire.get("edits") {
            call.add("old_string", joined(edits, &["oldText", "old_string"]));
            call.add(
                "new_string",
                joined(edits, &["newText", "new_string", "text"]),
            );
        }
        call
    }

    /// The same call, as far as it is about one file of a patch.
    fn about(&self, file: FileChange) -> Self {
        let mut names = self.names.clone();
        if let Some(at) = names.iter().position(|name| *name == file.name) {
            let first = names.remove(at);
            names.insert(0, first);
        }
        let mut call = Self {
            names,
            input: self.input.clone(),
            renamed: self.renamed.clone(),
            added: self.added.clone(),
        };
        for (name, value) in file.members {
            call.add(name, value);
        }
        call
    }

    fn add(&mut self, name: &str, value: Value) {
        if self.input.contains_key(name) {
            return;
        }
        self.input.insert(name.to_owned(), value.clone());
        self.added.insert(name.to_owned(), value);
    }

    /// Parameters in our words, from theirs.
    ///
    /// # Errors
    /// A change of what the call says in another parameter only.
    pub(crate) fn taken(&self, theirs: Map<String, Value>) -> Result<Value, ToolError> {
        let mut ours = Map::new();
        for (name, value) in theirs {
            if let Some(added) = self.added.get(&name) {
                if *added == value {
                    continue;
                }
                let message = format!(
                    "`updatedInput` in its output changes `{name}`, which this call says by other parameters"
                );
                return Err(ToolError::new(ErrorCode::HandlerFailed, message));
            }
            let known = self.renamed.iter().find(|known| known.theirs == name);
            match known {
                Some(known) if known.reported == value => {
                    ours.insert(known.ours.to_owned(), known.own.clone())
                }
                Some(known) if known.ours == "edits" => ours.insert(
                    "edits".to_owned(),
                    edits(&value, |(ours, theirs)| (theirs, ours)),
                ),
                Some(known) => ours.insert(known.ours.to_owned(), value),
                None => ours.insert(name, value),
            };
        }
        Ok(ours.into())
    }
}

/// What Claude Code calls a parameter, if not as we do, and its value as Claude Code gives it.
fn in_their_words(
    operation: Operation,
    name: &str,
    value: &Value,
    directory: &Path,
) -> (Option<&'static str>, Value) {
    let is_path = |names: &[&str], theirs: &str| names.contains(&name) || name == theirs;
    let path = { PATHS.iter() }
        .find(|(of, names, theirs)| of.contains(&operation) && is_path(names, theirs));
    if let (Some((_, _, theirs)), Some(path)) = (path, value.as_str()) {
        let whole = directory.join(path).display().to_string();
        return (Some(theirs), whole.into());
    }
    if operation == Operation::Edit && name == "edits" {
        let theirs = edits(value, |pair| pair);
        return ((theirs != *value).then_some("edits"), theirs);
    }
    let theirs = { RENAMED.iter() }.find(|(of, ours, _)| of.contains(&operation) && *ours == name);
    (theirs.map(|(_, _, theirs)| *theirs), value.clone())
}

/// A list of edits whose members have other names: `direction` gives the name of now and the one to have.
fn edits(
    list: &Value,
    direction: impl Fn((&'static str, &'static str)) -> (&'static str, &'static str),
) -> Value {
    let renamed = |edit: &Value| match edit {
        Value::Object(members) => Value::Object(
            members
                .iter()
                .map(|(name, value)| {
                    let to = { RENAMED.iter() }
                        .filter(|(of, ..)| of.contains(&Operation::Edit))
                        .map(|(_, ours, theirs)| direction((ours, theirs)))
                        .find(|(from, _)| from == name);
                    (
                        to.map_or(name.as_str(), |(_, to)| to).to_owned(),
                        value.clone(),
                    )
                })
                .collect(),
        ),
        other => other.clone(),
    };
    match list {
        Value::Array(list) => list.iter().map(renamed).collect(),
        other => other.clone(),
    }
}

/// The texts of edits under the first of these names, in their order.
fn joined(edits: &[Value], names: &[&str]) -> Value {
    let texts: Vec<&str> = edits
        .iter()
        .filter_map(|edit| names.iter().find_map(|name| edit.get(name)?.as_str()))
        .collect();
    texts.join("\n").into()
}

/// What a patch does to one file, as a tool of Claude Code would.
struct FileChange {
    /// The tool.
    name: &'static str,
    file: PathBuf,
    members: Vec<(&'static str, Value)>,
}

impl FileChange {
    fn new(name: &'static str, file: PathBuf, members: Vec<(&'static str, Value)>) -> Self {
        let shown = file.display().to_string();
        let mut all = vec![("file_path", shown.into())];
        all.extend(members);
        Self {
            name,
            file,
            members: all,
        }
    }
}

/// The files of a patch. What the call was found to change is among them even where the patch cannot be read.
fn patched(wire: &Value, access: &Access, directory: &Path) -> Vec<FileChange> {
    let texts = wire.as_object().into_iter().flatten();
    let patch = texts
        .filter_map(|(_, value)| value.as_str())
        .find_map(|text| parse_patch(text).ok());
    let mut changes: Vec<FileChange> = { patch.into_iter() }
        .flat_map(|patch| patch.files)
        .flat_map(|file| changes_of(&file, directory))
        .collect();
    for claim in access.changed() {
        let file = directory.join(&claim.name);
        if !changes.iter().any(|change| change.file == file) {
            changes.push(FileChange::new("Edit", file, Vec::new()));
        }
    }
    changes
}

fn changes_of(file: &FilePatch, directory: &Path) -> Vec<FileChange> {
    let emptied =
        |path: &str| FileChange::new("Write", directory.join(path), vec![("content", "".into())]);
    let edited = |path: &str| {
        let members = vec![
            ("old_string", text_of(file, Side::Added)),
            ("new_string", text_of(file, Side::Removed)),
        ];
        FileChange::new("Edit", directory.join(path), members)
    };
    match &file.operation {
        FileOperation::Create { path } => {
            let members = vec![("content", text_of(file, Side::Removed))];
            vec![FileChange::new("Write", directory.join(path), members)]
        }
        FileOperation::Delete { path, .. } => vec![emptied(path)],
        FileOperation::Update { path } => vec![edited(path)],
        FileOperation::Move { from, to } => vec![emptied(from), edited(to)],
        FileOperation::Copy { to, .. } => vec![edited(to)],
    }
}

/// The lines of all hunks that do not stand on one side.
fn text_of(file: &FilePatch, without: Side) -> Value {
    let lines = file.hunks.iter().flat_map(|hunk| &hunk.lines);
    let texts: Vec<&str> = lines
        .filter(|line: &&HunkLine| line.side != without)
        .map(|line| line.text.as_str())
        .collect();
    json!(texts.join("\n"))
}
