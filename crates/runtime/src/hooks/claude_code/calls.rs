//! Calls in the words of Claude Code: its names of tools and parameters, and back.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};
use tenon_contract::{Access, ErrorCode, Operation, PathClaim, ToolError};
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

/// A call of ours, as far as its name in Claude Code depends on it.
pub(crate) struct OwnCall<'c> {
    pub(crate) operation: Operation,
    /// The names by which models and rules know its tool.
    pub(crate) tool: &'c str,
    pub(crate) rule_name: &'c str,
    pub(crate) wire: &'c Value,
    pub(crate) access: &'c Access,
    /// What its time limit is called, and whether that is in seconds. Claude Code has milliseconds.
    pub(crate) time_limit: Option<TimeLimitName>,
    pub(crate) directory: &'c Path,
}

/// A parameter for the time limit of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TimeLimitName {
    pub(crate) name: &'static str,
    pub(crate) is_in_seconds: bool,
}

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
    /// What the call itself says under names of those.
    replaced: HashMap<String, (String, Value)>,
    /// Where the time limit of a command belongs; commands of some vocabularies have none.
    time_limit: Option<TimeLimitName>,
    is_command: bool,
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

/// Renders a call in the words of Claude Code: as one call, and one more for each file, command and address that guards of
/// another tool look after. A patch and what is typed into a command are only what they do.
pub(crate) fn given<'c>(call: &OwnCall<'c>) -> Vec<ClaudeCall<'c>> {
    let whole = ClaudeCall::of(call);
    let works = works(call, &whole);
    match call.operation {
        Operation::Patch | Operation::Process if !works.is_empty() => {
            works.into_iter().map(|work| whole.about(work)).collect()
        }
        _ => {
            let more: Vec<_> = works.into_iter().map(|work| whole.besides(work)).collect();
            std::iter::once(whole).chain(more).collect()
        }
    }
}

/// The same of what only became known after the call had been given to the hooks.
pub(crate) fn given_later<'c>(call: &OwnCall<'c>) -> Vec<ClaudeCall<'c>> {
    let whole = ClaudeCall::of(call);
    let works = works(call, &whole).into_iter();
    works.map(|work| whole.besides(work)).collect()
}

impl<'c> ClaudeCall<'c> {
    fn of(call: &OwnCall<'c>) -> Self {
        let mut known: Vec<&str> = match call.operation {
            Operation::Process => process_names(call),
            operation => names(operation).to_vec(),
        };
        for own in [call.tool, call.rule_name] {
            if !known.contains(&own) {
                known.push(own);
            }
        }
        let wire = call.wire;
        let mut given = Self {
            names: known,
            input: Map::new(),
            renamed: Vec::new(),
            added: Map::new(),
            replaced: HashMap::new(),
            time_limit: call.time_limit,
            is_command: call.operation == Operation::Execute,
        };
        for (name, value) in wire.as_object().into_iter().flatten() {
            let (theirs, reported) = in_their_words(call, name, value);
            if let Some(theirs) = theirs {
                given.renamed.push(Renamed {
                    ours: name,
                    theirs,
                    reported: reported.clone(),
                    own: value.clone(),
                });
            }
            given
                .input
                .insert(theirs.unwrap_or(name).to_owned(), reported);
        }
        if call.operation == Operation::Delete {
            // A file that is gone is nearest to one that was emptied.
            given.add("content", "".into());
        }
        if let Some(Value::Array(edits)) = wire.get("edits") {
            given.add("old_string", joined(edits, &["oldText", "old_string"]));
            given.add(
                "new_string",
                joined(edits, &["newText", "new_string", "text"]),
            );
        }
        given
    }

    /// The same call, as far as it does this.
    fn about(&self, work: Work) -> Self {
        let mut names = self.names.clone();
        for name in work.names.iter().rev() {
            names.retain(|known| known != name);
            names.insert(0, name);
        }
        let mut call = Self {
            names,
            input: self.input.clone(),
            renamed: self.renamed.clone(),
            added: self.added.clone(),
            replaced: self.replaced.clone(),
            ..*self
        };
        for (name, value) in work.members {
            call.say(name, value);
        }
        call
    }

    /// Says something in place of what the call itself says under this name.
    fn say(&mut self, name: &str, value: Value) {
        if let Some(said) = self.input.remove(name) {
            let known = self.renamed.iter().find(|known| known.theirs == name);
            let own = known.map_or((name.to_owned(), said), |known| {
                (known.ours.to_owned(), known.own.clone())
            });
            self.replaced.insert(name.to_owned(), own);
        }
        self.add(name, value);
    }

    /// What a call does besides, for the guards of that alone.
    fn besides(&self, work: Work) -> Self {
        let names = work.names.to_vec();
        Self {
            names,
            ..self.about(work)
        }
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
                    ours.extend(self.replaced.get(&name).cloned());
                    continue;
                }
                let message = format!(
                    "`updatedInput` in its output changes `{name}`, which this call says by other parameters"
                );
                return Err(ToolError::new(ErrorCode::HandlerFailed, message));
            }
            if self.is_command && name == "timeout" && self.takes_limit(&value, &mut ours) {
                continue;
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

    /// Takes a time limit in milliseconds, as Claude Code has it, where it is not the one of the call itself. Where commands have no
    /// limit, one is without effect.
    fn takes_limit(&self, value: &Value, ours: &mut Map<String, Value>) -> bool {
        let is_own = { self.renamed.iter() }
            .any(|known| known.theirs == "timeout" && known.reported == *value);
        let Some(limit) = self.time_limit else {
            return true;
        };
        match value.as_f64() {
            Some(millis) if limit.is_in_seconds && !is_own => {
                ours.insert(limit.name.to_owned(), number(millis / 1000.0));
                true
            }
            _ => false,
        }
    }
}

/// A number, without a fraction where it is whole.
fn number(value: f64) -> Value {
    let is_whole = value.fract() == 0.0 && (0.0..1e15).contains(&value);
    if is_whole {
        // Saturating by the language's rules.
        Value::from(value as u64)
    } else {
        Value::from(value)
    }
}

/// What Claude Code calls the tool for what is done with a command that runs.
fn process_names(call: &OwnCall<'_>) -> Vec<&'static str> {
    let all = names(Operation::Process);
    let action = call.wire.get("action").and_then(Value::as_str);
    match action {
        _ if !call.access.inputs.is_empty() => vec!["Bash"],
        Some("write" | "send_keys" | "submit" | "paste") => vec!["Bash"],
        Some("kill" | "clear" | "remove") => vec!["KillBash", "KillShell"],
        Some(_) => vec!["BashOutput"],
        None => all.to_vec(),
    }
}

/// What Claude Code calls a parameter, if not as we do, and its value as Claude Code gives it.
fn in_their_words(call: &OwnCall<'_>, name: &str, value: &Value) -> (Option<&'static str>, Value) {
    let operation = call.operation;
    let is_path = |names: &[&str], theirs: &str| names.contains(&name) || name == theirs;
    let path = { PATHS.iter() }
        .find(|(of, names, theirs)| of.contains(&operation) && is_path(names, theirs));
    if let (Some((_, _, theirs)), Some(path)) = (path, value.as_str()) {
        let named = one_file(call).unwrap_or(path);
        let whole = place(call.directory, named).display().to_string();
        return (Some(theirs), whole.into());
    }
    if let Some(limit) = call.time_limit.filter(|limit| limit.name == name)
        && operation == Operation::Execute
    {
        let millis = value
            .as_f64()
            .filter(|_| limit.is_in_seconds)
            .map(|seconds| number((seconds * 1000.0).ceil()));
        return (Some("timeout"), millis.unwrap_or_else(|| value.clone()));
    }
    if operation == Operation::Edit && name == "edits" {
        let theirs = edits(value, |pair| pair);
        return ((theirs != *value).then_some("edits"), theirs);
    }
    let theirs = { RENAMED.iter() }.find(|(of, ours, _)| of.contains(&operation) && *ours == name);
    (theirs.map(|(_, _, theirs)| *theirs), value.clone())
}

/// The one file that a call is about, as it was located: without lines behind its name or ways around.
fn one_file<'c>(call: &OwnCall<'c>) -> Option<&'c str> {
    let claims: Vec<_> = match call.operation {
        Operation::Read => call.access.reads.iter().collect(),
        Operation::Write | Operation::Edit | Operation::Delete | Operation::NotebookEdit => {
            call.access.changed().collect()
        }
        _ => return None,
    };
    match claims.as_slice() {
        [claim] => Some(&claim.name),
        _ => None,
    }
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

/// Something that a call does, as a tool of Claude Code would.
#[derive(PartialEq)]
struct Work {
    /// The names of the tool, the one that is sent first.
    names: &'static [&'static str],
    members: Vec<(&'static str, Value)>,
}

const EDITS: &[&str] = &["Edit", "MultiEdit", "Write"];
const WRITES: &[&str] = &["Write", "Edit", "MultiEdit"];

impl Work {
    fn with(names: &'static [&'static str], member: &'static str, value: String) -> Self {
        Self {
            names,
            members: vec![(member, value.into())],
        }
    }

    fn on_file(
        names: &'static [&'static str],
        file: &Path,
        more: Vec<(&'static str, Value)>,
    ) -> Self {
        let mut work = Self::with(names, "file_path", file.display().to_string());
        work.members.extend(more);
        work
    }

    /// A file that is gone is nearest to one that was emptied.
    fn emptied(file: &Path) -> Self {
        Self::on_file(WRITES, file, vec![("content", "".into())])
    }

    /// The file, the command or the address.
    fn first(&self) -> Option<&str> {
        self.members.first().and_then(|(_, value)| value.as_str())
    }
}

/// What a call does that guards of other tools than its own look after: the files that it changes and reads, the commands
/// that it runs, what it types and the addresses that it opens. What the call itself says is left out.
fn works(call: &OwnCall<'_>, whole: &ClaudeCall<'_>) -> Vec<Work> {
    let mut works = match call.operation {
        Operation::Patch => patched(call.wire, call.directory),
        operation => delegated(operation, call.wire).into_iter().collect(),
    };
    let others = works_on_files(call)
        .into_iter()
        .chain(works_elsewhere(call));
    for (is_own, member, work) in others {
        let value = work.first();
        let is_said = is_own && whole.input.get(member).and_then(Value::as_str) == value;
        if !is_said && !works.iter().any(|known| known.first() == value) {
            works.push(work);
        }
    }
    works
}

/// The work that a call gives to an agent: now, in a session that has begun, or at the times of a job.
fn delegated(operation: Operation, wire: &Value) -> Option<Work> {
    let prompt = match operation {
        Operation::SessionsSpawn => "task",
        Operation::SessionsSend => "message",
        Operation::Cron => "prompt",
        _ => return None,
    };
    let said = |name: &str| wire.get(name)?.as_str().map(str::to_owned);
    let mut work = Work::with(names(Operation::Task), "prompt", said(prompt)?);
    let agent = said("agent").map(|agent| ("subagent_type", agent.into()));
    work.members.extend(agent);
    Some(work)
}

/// What is done, and whether the call itself says so where its parameter of this name has the same value.
type Done = (bool, &'static str, Work);

/// The files that a call changes, and those that it reads out.
fn works_on_files(call: &OwnCall<'_>) -> Vec<Done> {
    let operation = call.operation;
    let member = match operation {
        Operation::NotebookEdit => "notebook_path",
        _ => "file_path",
    };
    let changes_one = matches!(
        operation,
        Operation::Write | Operation::Edit | Operation::Delete | Operation::NotebookEdit
    );
    let texts = texts(call);
    let file = |claim: &PathClaim| place(call.directory, &claim.name);
    let deleted = { call.access.deletes.iter() }
        .map(|claim| (changes_one, member, Work::emptied(&file(claim))));
    let written = call.access.writes.iter().map(|claim| {
        let work = Work::on_file(names_of_change(operation), &file(claim), texts.clone());
        (changes_one, member, work)
    });
    let read = { call.access.reads.iter() }
        .filter(|_| reads_aloud(operation))
        .map(|claim| {
            let work = Work::on_file(&["Read"], &file(claim), Vec::new());
            (operation == Operation::Read, "file_path", work)
        });
    deleted.chain(written).chain(read).collect()
}

/// The commands that a call runs, what it types into others, and the addresses that it opens.
fn works_elsewhere(call: &OwnCall<'_>) -> Vec<Done> {
    let commands = { call.access.commands.iter() }.map(|command| command.text.clone());
    let typed = { call.access.inputs.iter() }.map(|input| typed_text(&input.text));
    let is_command = call.operation == Operation::Execute;
    let run = commands.chain(typed).map(|text| {
        let work = Work::with(&["Bash"], "command", text);
        (is_command, "command", work)
    });
    let is_fetch = call.operation == Operation::WebFetch;
    let opened = call.access.hosts.iter().map(|host| {
        let work = Work::with(&["WebFetch"], "url", host.url.clone());
        (is_fetch, "url", work)
    });
    run.chain(opened).collect()
}

/// A path, whole.
fn place(directory: &Path, path: &str) -> PathBuf {
    directory.join(path).components().collect()
}

/// Whether what a call reads comes out of it: to the model, or to others.
const fn reads_aloud(operation: Operation) -> bool {
    matches!(
        operation,
        Operation::Read | Operation::Message | Operation::Browser | Operation::Canvas
    )
}

const fn names_of_change(operation: Operation) -> &'static [&'static str] {
    match operation {
        Operation::Browser => WRITES,
        _ => EDITS,
    }
}

/// The texts of a change that another tool makes, under the names that guards of edits look for.
fn texts(call: &OwnCall<'_>) -> Vec<(&'static str, Value)> {
    let names: &[(&str, &str)] = match call.operation {
        Operation::Memory => &[
            ("file_text", "content"),
            ("old_str", "old_string"),
            ("new_str", "new_string"),
            ("insert_text", "new_string"),
        ],
        Operation::Lsp => &[("content", "new_string"), ("newName", "new_string")],
        _ => &[],
    };
    let texts = names.iter().filter_map(|(ours, theirs)| {
        let text = call.wire.get(ours)?.as_str()?;
        Some((*theirs, text.into()))
    });
    texts.collect()
}

/// What is typed, as it would stand in a command: without the key that ends a line, and the marks around a pasted text.
fn typed_text(text: &str) -> String {
    let text = text.replace("\u{1b}[200~", "").replace("\u{1b}[201~", "");
    text.trim_end_matches(['\r', '\n']).to_owned()
}

/// The files of a patch, as far as it can be read.
fn patched(wire: &Value, directory: &Path) -> Vec<Work> {
    let texts = wire.as_object().into_iter().flatten();
    let patch = texts
        .filter_map(|(_, value)| value.as_str())
        .find_map(|text| parse_patch(text).ok());
    { patch.into_iter() }
        .flat_map(|patch| patch.files)
        .flat_map(|file| changes_of(&file, directory))
        .collect()
}

fn changes_of(file: &FilePatch, directory: &Path) -> Vec<Work> {
    let emptied = |path: &str| Work::emptied(&place(directory, path));
    let edited = |path: &str| {
        let members = vec![
            ("old_string", text_of(file, Side::Added)),
            ("new_string", text_of(file, Side::Removed)),
        ];
        Work::on_file(EDITS, &place(directory, path), members)
    };
    match &file.operation {
        FileOperation::Create { path } | FileOperation::Replace { path } => {
            let members = vec![("content", text_of(file, Side::Removed))];
            vec![Work::on_file(WRITES, &place(directory, path), members)]
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
