//! A workspace of its own for every test, and calls as a host makes them.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;
use tenon_contract::{Content, Outcome, ToolError};
use tenon_runtime::{CallRequest, HostCallbacks, Options, Toolkit};

pub(crate) struct Bench {
    pub(crate) directory: TempDir,
    pub(crate) toolkit: Toolkit,
}

impl Bench {
    pub(crate) fn agent() -> Self {
        Self::new(json!({}))
    }

    pub(crate) fn canonical() -> Self {
        Self::new(json!({ "dialect": "canonical" }))
    }

    pub(crate) fn new(options: Value) -> Self {
        Self::with_ports(options, HostCallbacks::default())
    }

    pub(crate) fn with_ports(mut options: Value, callbacks: HostCallbacks) -> Self {
        let directory = tempfile::tempdir().unwrap();
        options["workspace"] = json!(directory.path());
        let toolkit =
            Toolkit::new(Options::from_json(&options.to_string()).unwrap(), callbacks).unwrap();
        Self { directory, toolkit }
    }

    /// A toolkit of its own over a directory of another's workspace.
    pub(crate) fn inside(other: &Self, directory: &str, mut options: Value) -> Toolkit {
        options["workspace"] = json!(other.path(directory));
        Toolkit::new(
            Options::from_json(&options.to_string()).unwrap(),
            HostCallbacks::default(),
        )
        .unwrap()
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().canonicalize().unwrap().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) -> &Self {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        self
    }

    pub(crate) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) async fn call(&self, tool: &str, params: Value) -> Result<Outcome, ToolError> {
        self.toolkit.call(CallRequest::new(tool, params)).await
    }

    pub(crate) async fn ok(&self, tool: &str, params: Value) -> (String, Value) {
        let outcome = self.call(tool, params).await.unwrap();
        (text(&outcome), outcome.details.into_value())
    }

    /// Code and message of a refusal.
    pub(crate) async fn refusal(&self, tool: &str, params: Value) -> (&'static str, String) {
        let error = self.call(tool, params).await.unwrap_err();
        (error.code.as_str(), error.message)
    }
}

pub(crate) fn text(outcome: &Outcome) -> String {
    outcome
        .content
        .iter()
        .map(|part| match part {
            Content::Text(text) => text.clone(),
            Content::Image { mime_type, .. } => format!("<{mime_type}>"),
        })
        .collect::<Vec<_>>()
        .join("\n")
}

pub(crate) fn entries(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(directory)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// The `PATH` of a language server that `scripts/language-servers.mjs` has installed in this directory of the cache, of
/// node and of the system. `None`, and it is said, where the server is not installed.
pub(crate) fn path_with(directory: &str, program: &str) -> Option<String> {
    let given = std::env::var_os("TENON_LANGUAGE_SERVERS").map(PathBuf::from);
    let cache = given.or_else(|| {
        let caches = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from);
        let caches =
            caches.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cache")))?;
        Some(caches.join("tenon/language-servers"))
    });
    let bin = cache.unwrap_or_default().join(directory);
    if !bin.join(program).exists() {
        println!("skipped: `{program}` is not installed; run node scripts/language-servers.mjs");
        return None;
    }
    let node = std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())
        .find(|path| path.join("node").exists())
        .unwrap_or_default();
    Some(format!(
        "{}:{}:/usr/bin:/bin",
        bin.display(),
        node.display()
    ))
}
