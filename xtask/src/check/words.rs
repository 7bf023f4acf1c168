//! The words of texts that models and users read, by the table in `docs/style.md`.

use tree_sitter::{Node, Parser};

use super::Violation;
use super::project::{Project, TextFile, is_test_file};
use super::source::Source;

/// Where the words to avoid are.
const STYLE: &str = "docs/style.md";

/// The binding, which is covered too.
const BINDING: &str = "src/";

/// The facade and the program.
const SCRIPTS: &[&str] = &["js/", "bin/"];

/// The crates whose texts are checked.
const COVERED: &[&str] = &[
    "crates/border",
    "crates/browser",
    "crates/canvas",
    "crates/contract",
    "crates/cron",
    "crates/dialects",
    "crates/document",
    "crates/edit",
    "crates/helper",
    "crates/lsp",
    "crates/mcp",
    "crates/policy",
    "crates/process",
    "crates/programs",
    "crates/runtime",
    "crates/search",
    "crates/serve",
    "crates/sessions",
    "crates/shell",
    "crates/state",
    "crates/store",
    "crates/syntax",
    "crates/tools",
    "crates/web",
    "crates/workspace",
];

/// One phrase to avoid, in small letters, and what is said instead.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Phrase {
    avoid: String,
    instead: String,
}

pub(crate) fn check(project: &Project) -> Vec<Violation> {
    let Some(style) = project.files.iter().find(|file| file.path == STYLE) else {
        return Vec::new();
    };
    let phrases = phrases(&style.text);
    if phrases.is_empty() {
        let rule = "the table of words to avoid is missing".to_owned();
        return vec![Violation::new(STYLE, 1, rule)];
    }
    let literals = project
        .sources
        .iter()
        .filter(|source| is_covered(&source.path) && !is_test_file(&source.path))
        .flat_map(|source| check_literals(source, &phrases));
    let texts = project
        .files
        .iter()
        .filter(|file| is_covered(&file.path) && is_text(&file.path))
        .flat_map(|file| check_text(file, &phrases));
    let scripts = project
        .files
        .iter()
        .filter(|file| is_script(&file.path))
        .flat_map(|file| check_script(file, &phrases));
    literals.chain(texts).chain(scripts).collect()
}

/// The rows of the table under "## Words".
fn phrases(style: &str) -> Vec<Phrase> {
    let table = style
        .lines()
        .skip_while(|line| *line != "## Words")
        .skip(1)
        .take_while(|line| !line.starts_with("## "));
    table
        .filter_map(|line| line.strip_prefix("| `")?.split_once(" | "))
        .flat_map(|(avoid, instead)| {
            let words = avoid.split('`').map(|word| word.trim_matches([' ', ',']));
            let instead = instead.trim_end_matches([' ', '|']).to_owned();
            words
                .filter(|word| !word.is_empty())
                .map(move |word| Phrase {
                    avoid: word.to_lowercase(),
                    instead: instead.clone(),
                })
        })
        .collect()
}

fn is_covered(path: &str) -> bool {
    let mut crates = COVERED.iter();
    path.starts_with(BINDING)
        || crates.any(|directory| {
            path.strip_prefix(directory)
                .is_some_and(|rest| rest.starts_with("/src/"))
        })
}

/// Descriptions, and definitions as models see them.
fn is_text(path: &str) -> bool {
    path.contains("/descriptions/")
        || (path.contains("/snapshots/") && path.contains("definitions@"))
}

/// Texts have spaces in them; other literals are names.
fn check_literals(source: &Source, phrases: &[Phrase]) -> Vec<Violation> {
    source
        .literals
        .iter()
        .filter(|literal| literal.content.contains(' '))
        .map(|literal| (source.line(literal.start), literal))
        .flat_map(|(line, literal)| {
            let text = without_arguments(&literal.content);
            violations(&source.path, line, &text, phrases)
        })
        .collect()
}

/// The text without what is put in for its arguments: `{folder}` is a name of the code.
fn without_arguments(text: &str) -> String {
    let mut words = String::new();
    for (index, part) in text.split('{').enumerate() {
        match part.split_once('}') {
            Some((_, rest)) if index > 0 => words.push_str(&format!("{{}}{rest}")),
            _ => words.push_str(part),
        }
    }
    words
}

fn is_script(path: &str) -> bool {
    let mut directories = SCRIPTS.iter();
    path.ends_with(".js") && directories.any(|directory| path.starts_with(directory))
}

/// The same for the literals of a JavaScript file, those of templates included.
fn check_script(file: &TextFile, phrases: &[Phrase]) -> Vec<Violation> {
    let mut parser = Parser::new();
    let language = tree_sitter_javascript::LANGUAGE.into();
    let tree = match parser.set_language(&language) {
        Ok(()) => parser.parse(&file.text, None),
        Err(_) => None,
    };
    let Some(tree) = tree else {
        let rule = "it cannot be parsed".to_owned();
        return vec![Violation::new(&file.path, 1, rule)];
    };
    let mut found = Vec::new();
    in_literals(tree.root_node(), &mut |node| {
        let text = file.text.get(node.byte_range()).unwrap_or_default();
        if text.contains(' ') {
            let line = node.start_position().row + 1;
            found.extend(violations(&file.path, line, text, phrases));
        }
    });
    found
}

fn in_literals(node: Node<'_>, see: &mut dyn FnMut(Node<'_>)) {
    if node.kind() == "string_fragment" {
        see(node);
    }
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        in_literals(child, see);
    }
}

fn check_text(file: &TextFile, phrases: &[Phrase]) -> Vec<Violation> {
    let lines = (1..).zip(file.text.lines());
    lines
        .flat_map(|(line, text)| violations(&file.path, line, text, phrases))
        .collect()
}

fn violations(path: &str, line: usize, text: &str, phrases: &[Phrase]) -> Vec<Violation> {
    let text = text.to_lowercase();
    phrases
        .iter()
        .filter(|phrase| has(&text, &phrase.avoid))
        .map(|phrase| {
            let rule = format!(
                "texts do not say `{}` (see {STYLE}): {}",
                phrase.avoid, phrase.instead
            );
            Violation::new(path, line, rule)
        })
        .collect()
}

/// Whether the phrase is in the text as words of its own.
fn has(text: &str, phrase: &str) -> bool {
    let is_letter = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.match_indices(phrase).any(|(at, found)| {
        let before = text.get(..at).and_then(|text| text.chars().next_back());
        let after = text
            .get(at + found.len()..)
            .and_then(|text| text.chars().next());
        !before.is_some_and(is_letter) && !after.is_some_and(is_letter)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "# Style\n\n## Words\n\n| avoid | use |\n| --- | --- |\n| `folder`, `is asked` | directory |\n\n## End\n";

    fn reported(path: &str, text: &str) -> Vec<String> {
        let project = Project::of(&[(STYLE, TABLE), (path, text)]);
        let violations = check(&project);
        violations.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn the_names_of_arguments_are_no_words_of_a_text() {
        let text = "const A: &str = \"The {folder} of {a} is gone, {folder:?}.\";\n";
        assert_eq!(
            reported("crates/dialects/src/a.rs", text),
            Vec::<String>::new()
        );
        let text = "const A: &str = \"A folder {a} is gone.\";\n";
        for path in ["src/a.rs", "crates/tools/src/a.rs"] {
            assert_eq!(reported(path, text).len(), 1);
        }
    }

    #[test]
    fn a_word_of_the_table_is_found_in_literals_and_descriptions() {
        assert_eq!(
            reported(
                "crates/dialects/src/a.rs",
                "const A: &str = \"The folder is gone.\";\n"
            ),
            [
                "crates/dialects/src/a.rs:1: texts do not say `folder` (see docs/style.md): directory"
            ]
        );
        assert_eq!(
            reported(
                "crates/dialects/src/acp/descriptions/a.md",
                "Lists it.\nIt Is Asked.\n"
            ),
            [
                "crates/dialects/src/acp/descriptions/a.md:2: texts do not say `is asked` (see docs/style.md): directory"
            ]
        );
    }

    #[test]
    fn literals_of_scripts_are_texts_too() {
        let script = "// The folder.\nconst folder = 'folder'\nthrow new Error(`The folder ${folder} is asked.`)\nx(/a folder/, \"no folder\")\n";
        assert_eq!(
            reported("js/a.js", script),
            [
                "js/a.js:3: texts do not say `folder` (see docs/style.md): directory",
                "js/a.js:3: texts do not say `is asked` (see docs/style.md): directory",
                "js/a.js:4: texts do not say `folder` (see docs/style.md): directory",
            ]
        );
        assert_eq!(reported("scripts/a.js", script), Vec::<String>::new());
    }

    #[test]
    fn names_comments_tests_and_other_crates_are_left_alone() {
        for (path, text) in [
            ("crates/dialects/src/a.rs", "const A: &str = \"folder\";\n"),
            ("crates/dialects/src/a.rs", "// The folder is gone.\n"),
            (
                "crates/dialects/src/a.rs",
                "const A: &str = \"the subfolder is\";\n",
            ),
            (
                "crates/dialects/src/a.rs",
                "#[cfg(test)]\nmod tests {\n    const A: &str = \"the folder is\";\n}\n",
            ),
            (
                "crates/other/src/a.rs",
                "const A: &str = \"the folder is\";\n",
            ),
        ] {
            assert_eq!(reported(path, text), Vec::<String>::new(), "{text}");
        }
    }
}
