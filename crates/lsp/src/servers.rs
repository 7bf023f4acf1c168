//! Which servers there are, as data: what starts them, for which files, with which settings, and what is odd about them.

mod c;
mod custom;
mod go;
mod python;
mod rust;
mod shell;
mod spec;
mod typescript;
mod web;

pub use custom::CustomServer;
pub(crate) use spec::is_named;
pub use spec::{Canary, Companion, Quirks, Readiness, Recheck, Reload, Role, RootRule, ServerSpec};

/// Every server of the table, of one language in the order in which they are tried.
///
/// `trusted`: whether programs and settings of the workspace may be run. Without trust nothing is started from it, and
/// servers are asked not to run its build scripts, macros and plug-ins, as far as they have a setting for it.
#[must_use]
pub fn presets(trusted: bool) -> Vec<ServerSpec> {
    [
        shell::presets(),
        python::presets(),
        typescript::presets(trusted),
        rust::presets(trusted),
        go::presets(),
        c::presets(),
        web::presets(),
    ]
    .concat()
}

/// The name of a language by the names that people use for it: `py` is `python`, `sh` is `bash`.
#[must_use]
pub fn language_named(name: &str) -> String {
    let name = name.to_ascii_lowercase();
    let known = match name.as_str() {
        "py" => "python",
        "sh" | "shell" | "shellscript" => "bash",
        "ts" | "js" | "tsx" | "jsx" | "javascript" | "typescriptreact" | "javascriptreact" => {
            "typescript"
        }
        "rs" => "rust",
        "golang" => "go",
        "cpp" | "c++" | "cc" | "objective-c" => "c",
        "yml" => "yaml",
        "jsonc" => "json",
        "scss" | "less" => "css",
        _ => return name,
    };
    known.to_owned()
}

/// What a language is called in a sentence: `typescript` is `TypeScript`.
#[must_use]
pub fn language_title(language: &str) -> &str {
    match language {
        "bash" => "Bash",
        "python" => "Python",
        "typescript" => "TypeScript",
        "rust" => "Rust",
        "go" => "Go",
        "c" => "C/C++",
        "json" => "JSON",
        "yaml" => "YAML",
        "html" => "HTML",
        "css" => "CSS",
        other => other,
    }
}

/// The language id of LSP 3.17 for a file name.
#[must_use]
pub fn language_id(file_name: &str) -> Option<&'static str> {
    let extension = file_name
        .rsplit_once('.')
        .map_or("", |(_, extension)| extension)
        .to_ascii_lowercase();
    Some(match extension.as_str() {
        "sh" | "bash" | "zsh" | "ksh" => "shellscript",
        "py" | "pyi" | "pyw" => "python",
        "ts" | "mts" | "cts" => "typescript",
        "tsx" => "typescriptreact",
        "js" | "mjs" | "cjs" => "javascript",
        "jsx" => "javascriptreact",
        "rs" => "rust",
        "go" => "go",
        "c" | "h" => "c",
        "cc" | "cpp" | "cxx" | "hh" | "hpp" | "hxx" | "ipp" | "c++" => "cpp",
        "m" => "objective-c",
        "mm" => "objective-cpp",
        "json" if takes_comments(file_name) => "jsonc",
        "json" => "json",
        "jsonc" => "jsonc",
        "yaml" | "yml" => "yaml",
        "html" | "htm" => "html",
        "css" => "css",
        "scss" => "scss",
        "less" => "less",
        "java" => "java",
        "rb" => "ruby",
        "php" => "php",
        "cs" => "csharp",
        "lua" => "lua",
        "swift" => "swift",
        "kt" => "kotlin",
        "vue" => "vue",
        "svelte" => "svelte",
        "md" => "markdown",
        "toml" => "toml",
        _ => return (file_name == "go.mod").then_some("go.mod"),
    })
}

/// Whether a file of JSON is known to have comments, as VS Code knows it.
fn takes_comments(file_name: &str) -> bool {
    const NAMES: &[&str] = &[
        ".babelrc.json",
        ".devcontainer.json",
        ".eslintrc.json",
        "argv.json",
        "babel.config.json",
        "devcontainer.json",
        "extensions.json",
        "keybindings.json",
        "launch.json",
        "profiles.json",
        "settings.json",
        "tasks.json",
        "typedoc.json",
    ];
    let is_project = ["tsconfig", "jsconfig"].iter().any(|start| {
        let rest = file_name.strip_prefix(start);
        rest.is_some_and(|rest| rest.starts_with(['.', '-']))
    });
    is_project || NAMES.contains(&file_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_reported_by_their_ending_or_whole_name() {
        let all = presets(false);
        let of = |name: &str| -> Vec<&str> {
            all.iter()
                .filter(|spec| spec.handles(name))
                .map(|spec| spec.name.as_str())
                .collect()
        };
        assert_eq!(of("a.py"), ["pylsp", "basedpyright", "pyright", "ruff"]);
        assert_eq!(
            of("A.TSX"),
            ["typescript-language-server", "vtsls", "tsgo", "biome"]
        );
        assert_eq!(of("x.h"), ["clangd"]);
        assert_eq!(of("py"), Vec::<&str>::new());
        assert_eq!(of("notes.txt"), Vec::<&str>::new());
    }

    #[test]
    fn every_server_has_an_installing_command_and_files_with_a_language_id() {
        for spec in presets(true) {
            assert!(spec.install.is_some(), "{}", spec.name);
            for file in &spec.files {
                let name = if file.starts_with('.') {
                    format!("a{file}")
                } else {
                    file.clone()
                };
                assert!(language_id(&name).is_some(), "{} {file}", spec.name);
            }
        }
    }

    #[test]
    fn settings_in_json_may_have_comments_and_data_may_not() {
        for (name, id) in [
            ("tsconfig.json", "jsonc"),
            ("tsconfig.build.json", "jsonc"),
            ("jsconfig-base.json", "jsonc"),
            ("launch.json", "jsonc"),
            ("a.jsonc", "jsonc"),
            ("tsconfigs.json", "json"),
            ("package.json", "json"),
            ("a.json", "json"),
        ] {
            assert_eq!(language_id(name), Some(id), "{name}");
        }
    }

    #[test]
    fn a_server_of_the_workspace_comes_first_only_under_trust() {
        let first = |trusted| {
            presets(trusted)
                .into_iter()
                .find(|spec| spec.handles("a.ts"))
                .unwrap()
        };
        assert_eq!(first(false).name, "typescript-language-server");
        assert_eq!(first(true).name, "tsgo");
    }

    #[test]
    fn names_of_languages_are_understood() {
        assert_eq!(
            ["py", "SH", "ts", "zig"].map(language_named),
            ["python", "bash", "typescript", "zig"]
        );
    }
}
