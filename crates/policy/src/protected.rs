//! Names whose content runs code or loosens policy (docs/policy.md, "Rules"): writing them is at least asked, at any depth
//! and in any case of letters, whether they exist or not.

use std::borrow::Cow;

use crate::glob::{Place, Segment, Token};

/// Directories of which everything is protected.
const DIRECTORIES: &[&str] = &[
    // A `.git` file names another repository; a `.git` directory holds hooks and configuration that git runs.
    ".git",
    // Of Mercurial and Jujutsu as well.
    ".hg",
    ".jj",
    // Editors run tasks and extensions from their settings.
    ".vscode",
    ".idea",
    ".zed",
    ".fleet",
    ".devcontainer",
    ".helix",
    ".run",
    ".theia",
    ".vs",
    ".vim",
    // Hook managers, and where hooks are kept that are not in `.git`.
    ".husky",
    ".lefthook",
    ".githooks",
    // Agents.
    ".claude",
    ".cursor",
    ".codex",
    ".gemini",
    ".opencode",
    ".windsurf",
    ".continue",
    ".roo",
    ".cline",
    ".clinerules",
    ".kiro",
    ".junie",
    ".trae",
    ".amazonq",
    ".augment",
    ".agents",
    ".amp",
    ".antigravity",
    ".codebuddy",
    ".codeium",
    ".copilot",
    ".crush",
    ".factory",
    ".goose",
    ".iflow",
    ".kilocode",
    ".kimi",
    ".openclaw",
    ".openhands",
    ".pi",
    ".qoder",
    ".qwen",
    ".rovodev",
    ".tabnine",
    ".vibe",
    ".warp",
    ".tenon",
];

/// Files that are protected wherever they lie.
const FILES: &[&str] = &[
    ".gitmodules",
    ".gitconfig",
    ".hgrc",
    // Hook managers.
    "lefthook.yml",
    "lefthook.yaml",
    "lefthook.json",
    "lefthook.jsonc",
    "lefthook.toml",
    ".lefthook.yml",
    ".lefthook.yaml",
    ".lefthook.json",
    ".lefthook.jsonc",
    ".lefthook.toml",
    "lefthook-local.yml",
    "lefthook-local.yaml",
    "lefthook-local.json",
    "lefthook-local.jsonc",
    "lefthook-local.toml",
    ".lefthook-local.yml",
    ".lefthook-local.yaml",
    ".lefthook-local.json",
    ".lefthook-local.jsonc",
    ".lefthook-local.toml",
    ".pre-commit-config.yaml",
    ".simple-git-hooks.json",
    ".simple-git-hooks.js",
    ".simple-git-hooks.cjs",
    ".overcommit.yml",
    "captainhook.json",
    // What editors start a container by.
    ".devcontainer.json",
    // Editors and debuggers that look for settings where they are started.
    ".exrc",
    ".vimrc",
    ".lvimrc",
    ".nvimrc",
    ".nvim.lua",
    ".dir-locals.el",
    ".gdbinit",
    ".lldbinit",
    ".pdbrc",
    ".dir-locals-2.el",
    ".screenrc",
    ".tmux.conf",
    // direnv. What mise runs is in `ASKED`.
    ".envrc",
    ".direnvrc",
    // The same for other shells.
    ".autoenv",
    ".autoenv.zsh",
    // Package managers.
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".pnpmfile.cjs",
    ".pnpmfile.mjs",
    "bunfig.toml",
    ".bunfig.toml",
    ".condarc",
    ".gemrc",
    "pip.conf",
    ".pypirc",
    // Shells.
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".profile",
    ".zshrc",
    ".zprofile",
    ".zshenv",
    ".zlogin",
    ".zlogout",
    ".kshrc",
    ".mkshrc",
    ".bash_aliases",
    ".inputrc",
    // Interpreters that run a file of the directory or of the home directory when they start.
    ".irbrc",
    ".pryrc",
    ".rprofile",
    ".renviron",
    ".ghci",
    ".ocamlinit",
    ".sqliterc",
    ".psqlrc",
    // Agents.
    ".mcp.json",
    "mcp.json",
    "opencode.json",
    "opencode.jsonc",
    ".aider.conf.yml",
    "crush.json",
    ".crush.json",
    ".kilocodemodes",
    ".roomodes",
    ".cursorrules",
    ".windsurfrules",
    ".continuerc.json",
    ".goosehints",
];

/// The same, but that sandboxes do not cover these names where nothing has them: they are those of ordinary files of a project. In a
/// directory that the user has trusted once, mise runs what stands there when a shell shows its next prompt.
const ASKED: &[&str] = &[
    "mise.toml",
    "mise.local.toml",
    ".mise.toml",
    ".mise.local.toml",
    ".tool-versions",
    // Sources of packages, and options of the virtual machines of Java that builds start (`-javaagent`).
    "nuget.config",
    ".jvmopts",
    ".sbtopts",
    // Where launchers of builds fetch what they run, or have it already.
    ".bazeliskrc",
    "gradle-wrapper.properties",
    "maven-wrapper.properties",
    "rust-toolchain.toml",
];

/// Files that are protected in this directory only.
const IN_DIRECTORY: &[(&str, &str)] = &[
    // The hooks of Copilot run here; workflows, which are not among these names, run after a push.
    (".github", "hooks"),
    (".cargo", "config"),
    (".cargo", "config.toml"),
    (".bundle", "config"),
    (".mvn", "extensions.xml"),
    (".mvn", "jvm.config"),
    (".mvn", "maven.config"),
    (".gradle", "init.gradle"),
    (".gradle", "init.d"),
    // What a home directory has: programs that are run for credentials, when a session starts, or by an editor.
    (".aws", "config"),
    (".config", "autostart"),
    (".config", "helix"),
    (".config", "nvim"),
    (".config", "systemd"),
    (".docker", "config.json"),
    (".kube", "config"),
    (".m2", "settings.xml"),
    (".ssh", "authorized_keys"),
    (".ssh", "config"),
    (".ssh", "rc"),
    (".config", "git"),
    (".config", "mise.toml"),
    (".config", "mise"),
    (".mise", "config.toml"),
    (".config", "fish"),
    (".yarn", "plugins"),
    (".yarn", "releases"),
];

/// How names end that are protected wherever they lie: an editor runs tasks of a workspace file.
const ENDINGS: &[&str] = &[".code-workspace", ".sublime-project"];

/// The protected names, for those who keep commands from writing them.
#[derive(Debug, Clone, Copy)]
pub struct ProtectedTable {
    /// Directories of which everything is protected. Of `.git` a command needs most all the same.
    pub directories: &'static [&'static str],
    /// Files that are protected wherever they lie.
    pub files: &'static [&'static str],
    /// What is protected in a directory of this name only.
    pub in_directory: &'static [(&'static str, &'static str)],
}

/// All of them.
pub const PROTECTED: ProtectedTable = ProtectedTable {
    directories: DIRECTORIES,
    files: FILES,
    in_directory: IN_DIRECTORY,
};

/// Whether a file of the workspace, by its path there, is protected or lies in a directory that is.
#[must_use]
pub fn is_protected(path: &str) -> bool {
    protected_among(path).is_some()
}

/// The protected name on the way to this place, if there is one.
pub(crate) fn protected_name(place: &Place<'_>) -> Option<&'static str> {
    protected_among(place.nearest())
}

/// The protected name among these names, if there is one.
pub(crate) fn protected_among(names: &str) -> Option<&'static str> {
    // Every protected name has a dot, but for another one that Windows has for `.git`.
    if !names.bytes().any(|byte| matches!(byte, b'.' | b'~')) {
        return None;
    }
    let mut parts = names.split('/').peekable();
    while let Some(part) = parts.next() {
        let part = folded(part);
        if part.starts_with('.')
            && let Some(directory) = DIRECTORIES.iter().find(|directory| **directory == part)
        {
            return Some(directory);
        }
        let Some(next) = parts.peek() else {
            let file = FILES.iter().chain(ASKED).find(|file| **file == part);
            let mut endings = ENDINGS.iter().filter(|ending| part.ends_with(**ending));
            return file.or_else(|| endings.next()).copied();
        };
        if let Some((_, file)) = IN_DIRECTORY
            .iter()
            .find(|(directory, file)| *directory == part && folded(next) == *file)
        {
            return Some(file);
        }
    }
    None
}

/// A protected name that a path of this form can have in it.
pub(crate) fn protected_of_form(form: &[Segment]) -> Option<&'static str> {
    let form: Vec<Segment> = form.iter().map(Segment::folded).collect();
    let is = |segment: &Segment, name: &str| match segment {
        Segment::AnyDepth => false,
        Segment::Literal(own) => folded(own) == name,
        Segment::Name(_) => segment.meets(&Segment::Literal(name.into())),
    };
    for (place, segment) in form.iter().enumerate() {
        let mut named = DIRECTORIES.iter().copied();
        let directory = named.find(|name| is(segment, name));
        let inside = form.get(place + 1).and_then(|next| {
            let mut pairs = IN_DIRECTORY.iter();
            pairs.find(|(above, name)| is(segment, above) && is(next, name))
        });
        if let Some(name) = directory.or(inside.map(|(_, name)| *name)) {
            return Some(name);
        }
    }
    let last = form.last()?;
    let mut files = FILES.iter().chain(ASKED).copied();
    files.find(|name| is(last, name)).or_else(|| {
        let mut endings = ENDINGS.iter().copied();
        endings.find(|ending| {
            let letters = ending.chars().map(Token::Character);
            last.meets(&Segment::Name(
                std::iter::once(Token::AnyRun).chain(letters).collect(),
            ))
        })
    })
}

/// A protected name that this pattern can become, where its star stands for letters and digits or nothing.
pub(crate) fn protected_made(pattern: &str) -> Option<&'static str> {
    let (above, last) = pattern.rsplit_once('/').unwrap_or(("", pattern));
    if let Some(name) = protected_among(&format!("{above}/x")) {
        return Some(name);
    }
    let last = last.to_lowercase();
    let (start, end) = last.split_once('*').unwrap_or((&last, ""));
    let becomes = |name: &&&str| {
        let rest = name.strip_prefix(start);
        let made = rest.and_then(|rest| rest.strip_suffix(end));
        made.is_some_and(|made| made.bytes().all(|byte| byte.is_ascii_alphanumeric()))
    };
    let directory = above.rsplit('/').next().unwrap_or_default();
    let within = IN_DIRECTORY.iter();
    let within = within.filter(|(of, _)| folded(directory) == *of);
    let named = FILES.iter().chain(ASKED).chain(DIRECTORIES);
    let named = named.chain(within.map(|(_, file)| file)).find(becomes);
    // What is made stands in the middle of such an end, or before it.
    let ends = |ending: &&&str| {
        let cuts = (0..=ending.len()).filter_map(|place| ending.split_at_checked(place));
        cuts.into_iter().any(|(before, behind)| {
            let made = behind.strip_suffix(end);
            start.ends_with(before)
                && made.is_some_and(|made| made.bytes().all(|byte| byte.is_ascii_alphanumeric()))
        }) || end.ends_with(**ending)
    };
    named.or_else(|| ENDINGS.iter().find(ends)).copied()
}

/// Case-insensitive file systems also ignore some code points (CVE-2014-9390), and Windows trailing
/// dots and blanks.
fn folded(part: &str) -> Cow<'_, str> {
    let plain = |byte: u8| byte.is_ascii() && !byte.is_ascii_uppercase();
    if part.bytes().all(plain) && !part.ends_with(['.', ' ']) && part != "git~1" {
        return Cow::Borrowed(part);
    }
    let ignored = |letter: &char| matches!(letter, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}');
    let text: String = part
        .chars()
        .filter(|letter| !ignored(letter))
        .flat_map(char::to_lowercase)
        .collect();
    let text = text.trim_end_matches(['.', ' ']);
    if text == "git~1" {
        Cow::Borrowed(".git")
    } else {
        Cow::Owned(text.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(path: &str) -> Option<&'static str> {
        protected_name(&Place::inside("", path))
    }

    #[test]
    fn every_protected_name_has_a_dot() {
        let inner = IN_DIRECTORY.iter().map(|(directory, _)| directory);
        assert!(
            FILES
                .iter()
                .chain(ASKED)
                .chain(inner)
                .all(|name| name.contains('.'))
        );
    }

    #[test]
    fn what_says_which_build_tool_is_fetched_and_run_is_protected() {
        for path in [
            "gradle/wrapper/gradle-wrapper.properties",
            ".mvn/wrapper/maven-wrapper.properties",
            ".bazeliskrc",
            "crates/a/rust-toolchain.toml",
        ] {
            assert!(name(path).is_some(), "{path}");
        }
        assert_eq!(name("gradle.properties"), None);
    }

    #[test]
    fn every_protected_directory_begins_with_a_dot() {
        assert!(
            DIRECTORIES
                .iter()
                .all(|directory| directory.starts_with('.'))
        );
    }

    #[test]
    fn a_form_is_protected_where_one_of_its_names_can_be() {
        let any = |text: &str| {
            let letters = text.chars();
            let tokens = letters.map(|letter| match letter {
                '*' => Token::ShellRun,
                '+' => Token::AnyRun,
                letter => Token::Character(letter),
            });
            Segment::name(tokens.collect())
        };
        let of = |parts: &[&str]| {
            protected_of_form(&parts.iter().map(|part| any(part)).collect::<Vec<_>>())
        };
        assert_eq!(of(&["*.txt.bak"]), None);
        assert_eq!(of(&["x-+"]), Some(".code-workspace"));
        assert_eq!(of(&["x-+.txt"]), None);
        assert_eq!(of(&[".+"]), Some(".git"));
        assert_eq!(of(&[".G+", "config"]), Some(".git"));
        assert_eq!(of(&["*", "hooks"]), None);
        assert_eq!(of(&[".github", "h+"]), Some("hooks"));
        assert_eq!(of(&["src", "*.yml"]), Some("lefthook.yml"));
        assert_eq!(of(&["src", "*"]), Some("lefthook.yml"));
        assert_eq!(of(&["*.ts"]), None);
    }

    #[test]
    fn protected_names_hold_at_any_depth_and_in_any_case() {
        assert_eq!(name(".git/hooks/pre-commit"), Some(".git"));
        assert_eq!(name("sub/.GIT/config"), Some(".git"));
        assert_eq!(name("sub/.git"), Some(".git"));
        assert_eq!(name("a/.Npmrc"), Some(".npmrc"));
        assert_eq!(name(".cargo/config.toml"), Some("config.toml"));
        assert_eq!(name(".g\u{200c}it/config"), Some(".git"));
        assert_eq!(name("a/My.code-workspace"), Some(".code-workspace"));
        assert_eq!(name(".github/hooks/x.json"), Some("hooks"));
        assert_eq!(name("a/mise.toml"), Some("mise.toml"));
        assert_eq!(name(".config/mise.toml"), Some("mise.toml"));
        assert_eq!(name(".github/workflows/ci.yml"), None);
        assert_eq!(name("git/hooks"), None);
        assert_eq!(name(".gitignore"), None);
        assert_eq!(name("src/config.toml"), None);
    }
}
