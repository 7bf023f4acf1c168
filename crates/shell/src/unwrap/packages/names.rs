//! The names of commands of package managers.

/// Commands of npm. Source: `lib/utils/cmd-list.js` of npm 11.
const NPM: &[&str] = &[
    "access",
    "adduser",
    "approve-scripts",
    "audit",
    "bugs",
    "cache",
    "ci",
    "completion",
    "config",
    "dedupe",
    "deny-scripts",
    "deprecate",
    "diff",
    "dist-tag",
    "docs",
    "doctor",
    "edit",
    "exec",
    "explain",
    "explore",
    "find-dupes",
    "fund",
    "get",
    "help",
    "help-search",
    "init",
    "install",
    "install-ci-test",
    "install-scripts",
    "install-test",
    "link",
    "ll",
    "login",
    "logout",
    "ls",
    "org",
    "outdated",
    "owner",
    "pack",
    "ping",
    "pkg",
    "prefix",
    "profile",
    "prune",
    "publish",
    "query",
    "rebuild",
    "repo",
    "restart",
    "root",
    "run",
    "sbom",
    "search",
    "set",
    "shrinkwrap",
    "stage",
    "star",
    "stars",
    "start",
    "stop",
    "team",
    "test",
    "token",
    "trust",
    "undeprecate",
    "uninstall",
    "unpublish",
    "unstar",
    "update",
    "version",
    "view",
    "whoami",
];

/// Other names of these commands.
const NPM_ALIASES: &[(&str, &str)] = &[
    ("author", "owner"),
    ("home", "docs"),
    ("issues", "bugs"),
    ("info", "view"),
    ("show", "view"),
    ("find", "search"),
    ("add", "install"),
    ("unlink", "uninstall"),
    ("remove", "uninstall"),
    ("rm", "uninstall"),
    ("r", "uninstall"),
    ("un", "uninstall"),
    ("rb", "rebuild"),
    ("list", "ls"),
    ("ln", "link"),
    ("create", "init"),
    ("i", "install"),
    ("it", "install-test"),
    ("cit", "install-ci-test"),
    ("u", "update"),
    ("up", "update"),
    ("c", "config"),
    ("s", "search"),
    ("se", "search"),
    ("tst", "test"),
    ("t", "test"),
    ("ddp", "dedupe"),
    ("v", "view"),
    ("run-script", "run"),
    ("clean-install", "ci"),
    ("clean-install-test", "install-ci-test"),
    ("x", "exec"),
    ("why", "explain"),
    ("la", "ll"),
    ("verison", "version"),
    ("ic", "ci"),
    ("innit", "init"),
    ("in", "install"),
    ("ins", "install"),
    ("inst", "install"),
    ("insta", "install"),
    ("instal", "install"),
    ("isnt", "install"),
    ("isnta", "install"),
    ("isntal", "install"),
    ("isntall", "install"),
    ("install-clean", "ci"),
    ("isntall-clean", "ci"),
    ("hlep", "help"),
    ("dist-tags", "dist-tag"),
    ("upgrade", "update"),
    ("udpate", "update"),
    ("rum", "run"),
    ("sit", "install-ci-test"),
    ("urn", "run"),
    ("ogr", "org"),
    ("add-user", "adduser"),
];

/// The command that npm takes this word for, where it is another one: an alias, an abbreviation.
pub(crate) fn manual_name(word: &str) -> Option<&'static str> {
    let mut name = String::with_capacity(word.len());
    for letter in word.chars() {
        if letter.is_ascii_uppercase() {
            name.push('-');
        }
        name.push(letter.to_ascii_lowercase());
    }
    if name.is_empty() || NPM.contains(&word) {
        return None;
    }
    let exact = NPM.iter().find(|command| **command == name).copied();
    let alias = || {
        let alias = NPM_ALIASES.iter().find(|(alias, _)| *alias == name);
        alias.map(|(_, command)| *command)
    };
    exact.or_else(alias).or_else(|| {
        let aliases = NPM_ALIASES
            .iter()
            .filter(|(alias, _)| alias.starts_with(&name));
        let commands = NPM.iter().filter(|command| command.starts_with(&name));
        let mut found = commands
            .copied()
            .chain(aliases.map(|(_, command)| *command));
        found.next()
    })
}

/// The other names of a command of npm, and whether they are the same to it in every version: not so a mere abbreviation.
pub(crate) fn npm_names(word: &str) -> Vec<(&'static str, bool)> {
    let manual = NPM.iter().find(|name| **name == word).copied();
    let Some(manual) = manual.or_else(|| manual_name(word)) else {
        return Vec::new();
    };
    let listed = word == manual || NPM_ALIASES.iter().any(|(alias, _)| *alias == word);
    let aliases = NPM_ALIASES
        .iter()
        .filter(|(_, command)| *command == manual)
        .map(|(alias, _)| *alias);
    std::iter::once(manual)
        .chain(aliases)
        .filter(|name| *name != word)
        .map(|name| (name, listed))
        .collect()
}
