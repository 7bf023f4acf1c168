//! The languages, and the files they are in.

use std::fmt;

/// A language that is understood.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Language {
    /// bash and POSIX sh.
    Bash,
    /// C.
    C,
    /// C++, and headers that may be of C.
    Cpp,
    /// CSS, without preprocessors.
    Css,
    /// Go.
    Go,
    /// HTML. Scripts and styles in it are not read.
    Html,
    /// Java.
    Java,
    /// JavaScript, with JSX.
    JavaScript,
    /// JSON, with comments.
    Json,
    /// Python.
    Python,
    /// Rust.
    Rust,
    /// TypeScript with JSX.
    Tsx,
    /// TypeScript.
    TypeScript,
}

/// Ends of file names, in lower case.
const ENDINGS: &[(&str, Language)] = &[
    ("bash", Language::Bash),
    ("c", Language::C),
    ("cc", Language::Cpp),
    ("cjs", Language::JavaScript),
    ("cpp", Language::Cpp),
    ("css", Language::Css),
    ("cts", Language::TypeScript),
    ("cxx", Language::Cpp),
    ("go", Language::Go),
    ("h", Language::Cpp),
    ("hh", Language::Cpp),
    ("hpp", Language::Cpp),
    ("htm", Language::Html),
    ("html", Language::Html),
    ("hxx", Language::Cpp),
    ("java", Language::Java),
    ("js", Language::JavaScript),
    ("json", Language::Json),
    ("jsx", Language::JavaScript),
    ("mjs", Language::JavaScript),
    ("mts", Language::TypeScript),
    ("py", Language::Python),
    ("pyi", Language::Python),
    ("pyw", Language::Python),
    ("rs", Language::Rust),
    ("sh", Language::Bash),
    ("ts", Language::TypeScript),
    ("tsx", Language::Tsx),
];

/// Names that end in `.json` and may hold what JSON has not, such as a comma behind the last member.
const LAX_JSON: &[&str] = &["tsconfig", "jsconfig", "devcontainer", "api-extractor"];
/// Directories whose JSON files may hold the same.
const LAX_JSON_DIRECTORIES: &[&str] = &[".vscode", ".devcontainer"];

impl Language {
    /// The language of a file with this path, by its name alone; `None` for one that is not known.
    ///
    /// ```
    /// use tenon_syntax::Language;
    ///
    /// assert_eq!(Language::of("src/main.rs"), Some(Language::Rust));
    /// assert_eq!(Language::of("tsconfig.json"), None, "commas behind the last member are allowed in it");
    /// ```
    #[must_use]
    pub fn of(path: &str) -> Option<Self> {
        let mut parts = path.rsplit(['/', '\\']);
        let name = parts.next().unwrap_or_default();
        let (stem, end) = name.rsplit_once('.')?;
        let end = end.to_ascii_lowercase();
        let (_, language) = ENDINGS.iter().find(|(known, _)| *known == end)?;
        let is_lax = *language == Self::Json
            && (LAX_JSON.iter().any(|lax| stem.starts_with(lax))
                || parts
                    .next()
                    .is_some_and(|directory| LAX_JSON_DIRECTORIES.contains(&directory)));
        (!is_lax).then_some(*language)
    }

    /// Its name, as people write it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bash => "Bash",
            Self::C => "C",
            Self::Cpp => "C++",
            Self::Css => "CSS",
            Self::Go => "Go",
            Self::Html => "HTML",
            Self::Java => "Java",
            Self::JavaScript => "JavaScript",
            Self::Json => "JSON",
            Self::Python => "Python",
            Self::Rust => "Rust",
            Self::Tsx | Self::TypeScript => "TypeScript",
        }
    }

    pub(crate) fn grammar(self) -> tree_sitter::Language {
        match self {
            Self::Bash => tree_sitter_bash::LANGUAGE,
            Self::C => tree_sitter_c::LANGUAGE,
            Self::Cpp => tree_sitter_cpp::LANGUAGE,
            Self::Css => tree_sitter_css::LANGUAGE,
            Self::Go => tree_sitter_go::LANGUAGE,
            Self::Html => tree_sitter_html::LANGUAGE,
            Self::Java => tree_sitter_java::LANGUAGE,
            Self::JavaScript => tree_sitter_javascript::LANGUAGE,
            Self::Json => tree_sitter_json::LANGUAGE,
            Self::Python => tree_sitter_python::LANGUAGE,
            Self::Rust => tree_sitter_rust::LANGUAGE,
            Self::Tsx => tree_sitter_typescript::LANGUAGE_TSX,
            Self::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
        }
        .into()
    }

    #[cfg(test)]
    pub(crate) const ALL: [Self; 13] = [
        Self::Bash,
        Self::C,
        Self::Cpp,
        Self::Css,
        Self::Go,
        Self::Html,
        Self::Java,
        Self::JavaScript,
        Self::Json,
        Self::Python,
        Self::Rust,
        Self::Tsx,
        Self::TypeScript,
    ];
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_language_is_known_by_the_end_of_the_name() {
        for (path, language) in [
            ("a.ts", Some(Language::TypeScript)),
            ("types/a.d.ts", Some(Language::TypeScript)),
            ("A.TSX", Some(Language::Tsx)),
            ("dir.py/a.JSON", Some(Language::Json)),
            ("C:\\work\\a.h", Some(Language::Cpp)),
            ("package.json", Some(Language::Json)),
            ("tsconfig.build.json", None),
            (".vscode/settings.json", None),
            ("settings.jsonc", None),
            ("notes.md", None),
            ("py", None),
            ("dir.py/a", None),
            ("", None),
            (".", None),
        ] {
            assert_eq!(Language::of(path), language, "{path}");
        }
    }

    #[test]
    fn every_grammar_can_be_loaded() {
        for language in Language::ALL {
            let mut parser = tree_sitter::Parser::new();
            assert!(
                parser.set_language(&language.grammar()).is_ok(),
                "{language}"
            );
        }
    }
}
