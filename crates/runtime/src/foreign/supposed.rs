//! Which parameters say what a tool of the host does, where its name means an operation and the host says nothing: a
//! `bash` of the host runs what its `command` says, and rules about commands are meant for it as well.

use serde_json::Value;

/// What holds a command.
pub(super) const COMMANDS: &[&str] = &["command", "cmd", "script"];
/// What names a file or a directory.
pub(super) const PATHS: &[&str] = &[
    "path",
    "file_path",
    "filePath",
    "file",
    "filename",
    "notebook_path",
    "directory",
];
/// What holds an address.
pub(super) const ADDRESSES: &[&str] = &["url"];

/// Those of the names that are parameters of the schema and hold a text.
pub(super) fn parameters(names: &[&str], schema: &Value) -> Vec<String> {
    let properties = schema.get("properties");
    let holds_text = |name: &&str| {
        let kind = properties.and_then(|known| known.get(name)?.get("type"));
        kind.and_then(Value::as_str) == Some("string")
    };
    let found = names.iter().copied().filter(holds_text);
    found.map(str::to_owned).collect()
}
