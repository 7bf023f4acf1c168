//! What other platforms call the tools of the cross-platform vocabulary, in their files.

use tenon_contract::{has_normal_form, normalise};

/// A platform whose files name tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Platform {
    /// As callers name it.
    pub name: &'static str,
    /// Pairs of the platform's name and the name in the cross-platform vocabulary.
    pub tools: &'static [(&'static str, &'static str)],
    /// Pairs of the name in the cross-platform vocabulary and the platform's API for it, where it has one of its own.
    pub api: &'static [(&'static str, &'static str)],
}

impl Platform {
    /// Pairs of the name in the cross-platform vocabulary and what does the same on the platform: its API, or the first
    /// of its tools.
    #[must_use]
    pub fn by_canonical(&self) -> Vec<(&'static str, &'static str)> {
        if !self.api.is_empty() {
            return self.api.to_vec();
        }
        let mut names: Vec<(&'static str, &'static str)> = Vec::new();
        for (name, canonical) in self.tools {
            if !names.iter().any(|(known, _)| known == canonical) {
                names.push((canonical, name));
            }
        }
        names
    }
}

/// What the `canonical` vocabulary calls the tool that some platform calls so.
#[must_use]
pub fn canonical_name(name: &str) -> Option<&'static str> {
    let wanted = normalise(name);
    let mut tools = PLATFORMS.iter().flat_map(|platform| platform.tools);
    let known = tools.find(|(known, _)| has_normal_form(known, &wanted));
    known.map(|(_, canonical)| *canonical)
}

/// Every platform whose names are known.
pub const PLATFORMS: &[Platform] = &[CLAUDE_CODE, OPENCODE, VSCODE];

const CLAUDE_CODE: Platform = Platform {
    name: "claude-code",
    tools: &[
        ("Read", "Read"),
        ("Write", "Write"),
        ("Edit", "Edit"),
        ("MultiEdit", "Edit"),
        ("NotebookEdit", "NotebookEdit"),
        ("Glob", "Glob"),
        ("Grep", "Grep"),
        ("Bash", "Bash"),
        ("BashOutput", "BashOutput"),
        ("KillBash", "KillBash"),
        ("KillShell", "KillBash"),
        ("TaskOutput", "BashOutput"),
        ("TaskStop", "KillBash"),
        ("AskUserQuestion", "AskUserQuestion"),
        ("TodoWrite", "TodoWrite"),
        ("TodoRead", "TodoRead"),
        ("LSP", "LSP"),
        ("WebFetch", "WebFetch"),
        ("WebSearch", "WebSearch"),
    ],
    api: &[],
};

const OPENCODE: Platform = Platform {
    name: "opencode",
    tools: &[
        ("read", "Read"),
        ("write", "Write"),
        ("edit", "Edit"),
        ("glob", "Glob"),
        ("grep", "Grep"),
        ("bash", "Bash"),
        ("question", "AskUserQuestion"),
        ("todowrite", "TodoWrite"),
        ("todoread", "TodoRead"),
        ("lsp", "LSP"),
        ("webfetch", "WebFetch"),
        ("websearch", "WebSearch"),
    ],
    api: &[
        ("Read", "opencode.file.read()"),
        ("Write", "opencode.file.write()"),
        ("Edit", "opencode.file.edit()"),
        ("Glob", "opencode.search.glob()"),
        ("Grep", "opencode.search.grep()"),
        ("Bash", "opencode.system.exec()"),
        ("AskUserQuestion", "opencode.ui.prompt()"),
        ("TodoWrite", "opencode.task.update()"),
        ("LSP", "opencode.lsp.*"),
        ("WebFetch", "opencode.http.fetch()"),
        ("WebSearch", "opencode.search.web()"),
    ],
};

/// Names of the tools of VS Code as its prompt and agent files have them.
const VSCODE: Platform = Platform {
    name: "vscode",
    tools: &[
        ("read/readFile", "Read"),
        ("readFile", "Read"),
        ("edit/createFile", "Write"),
        ("createFile", "Write"),
        ("edit/editFiles", "Edit"),
        ("editFiles", "Edit"),
        ("edit/editNotebook", "NotebookEdit"),
        ("editNotebook", "NotebookEdit"),
        ("search/fileSearch", "Glob"),
        ("fileSearch", "Glob"),
        ("search/textSearch", "Grep"),
        ("textSearch", "Grep"),
        ("execute/runInTerminal", "Bash"),
        ("runInTerminal", "Bash"),
        ("runCommands", "Bash"),
        ("execute/getTerminalOutput", "BashOutput"),
        ("getTerminalOutput", "BashOutput"),
        ("vscode/askQuestions", "AskUserQuestion"),
        ("askQuestions", "AskUserQuestion"),
        ("todo", "TodoWrite"),
        ("todos", "TodoWrite"),
        ("usages", "LSP"),
        ("search/usages", "LSP"),
        ("web/fetch", "WebFetch"),
        ("fetch", "WebFetch"),
    ],
    api: &[
        ("Read", "vscode.workspace.fs.readFile()"),
        ("Write", "vscode.workspace.fs.writeFile()"),
        ("Edit", "vscode.TextEdit + applyEdit()"),
        ("Glob", "vscode.workspace.findFiles()"),
        ("Grep", "vscode.workspace.findTextInFiles()"),
        ("Bash", "vscode.ProcessExecution"),
        ("AskUserQuestion", "vscode.window.showQuickPick()"),
        ("LSP", "vscode.languages.*"),
    ],
};

/// The platform of this name.
#[must_use]
pub fn platform_named(name: &str) -> Option<&'static Platform> {
    PLATFORMS.iter().find(|platform| platform.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_platform_gives_a_name_two_meanings() {
        for platform in PLATFORMS {
            let mut names: Vec<&str> = platform.tools.iter().map(|(name, _)| *name).collect();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), platform.tools.len(), "{}", platform.name);
        }
    }

    #[test]
    fn a_platform_is_found_by_its_name_alone() {
        assert_eq!(platform_named("opencode").unwrap().name, "opencode");
        assert_eq!(platform_named("Opencode"), None);
    }
}
