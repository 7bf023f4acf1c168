//! What other platforms call the tools of the cross-platform vocabulary, in their files.

/// A platform whose files name tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Platform {
    /// As callers name it.
    pub name: &'static str,
    /// Pairs of the platform's name and the name in the cross-platform vocabulary.
    pub tools: &'static [(&'static str, &'static str)],
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
        ("AskUserQuestion", "AskUserQuestion"),
        ("TodoWrite", "TodoWrite"),
        ("TodoRead", "TodoRead"),
        ("LSP", "LSP"),
        ("WebFetch", "WebFetch"),
        ("WebSearch", "WebSearch"),
    ],
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
