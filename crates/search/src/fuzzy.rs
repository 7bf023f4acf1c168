//! Paths that resemble what was typed: letters in order, gaps allowed, the best first.

use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

/// What a path must resemble: words, each of which must be found in it, in any order.
#[derive(Debug)]
pub(crate) struct FuzzyPath {
    path: Pattern,
    /// The same for the name alone, unless the pattern names directories.
    name: Option<Pattern>,
}

/// What one thread needs to compare.
#[derive(Debug)]
pub(crate) struct FuzzyWorker {
    matcher: Matcher,
    characters: Vec<char>,
}

impl FuzzyWorker {
    pub(crate) fn new() -> Self {
        Self {
            matcher: Matcher::new(Config::DEFAULT.match_paths()),
            characters: Vec::new(),
        }
    }
}

impl FuzzyPath {
    /// `text` as a user would type it. A star or question mark, which stands for a gap where globs
    /// are written, separates words; so does a blank. Case counts only where the text has an
    /// upper-case letter.
    pub(crate) fn new(text: &str) -> Self {
        let text = text.trim_start_matches("./").replace(['*', '?'], " ");
        let compile = |text: &str| {
            Pattern::new(
                text,
                CaseMatching::Smart,
                Normalization::Smart,
                AtomKind::Fuzzy,
            )
        };
        Self {
            name: (!text.contains('/')).then(|| compile(&text)),
            path: compile(&text),
        }
    }

    /// How well `path` matches; nothing when it does not. A name that matches by itself counts
    /// twice: who types a word means a file more often than a directory above it.
    pub(crate) fn score(&self, path: &str, worker: &mut FuzzyWorker) -> Option<u32> {
        let FuzzyWorker {
            matcher,
            characters,
        } = worker;
        let whole = self.path.score(Utf32Str::new(path, characters), matcher)?;
        let name = path.rsplit('/').next().unwrap_or(path);
        let by_name = self
            .name
            .as_ref()
            .and_then(|pattern| pattern.score(Utf32Str::new(name, characters), matcher));
        Some(whole + by_name.unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranked<'a>(text: &str, paths: &[&'a str]) -> Vec<&'a str> {
        let pattern = FuzzyPath::new(text);
        let mut worker = FuzzyWorker::new();
        let mut scored: Vec<(u32, &str)> = paths
            .iter()
            .filter_map(|path| Some((pattern.score(path, &mut worker)?, *path)))
            .collect();
        scored.sort_by(|one, other| other.0.cmp(&one.0).then(one.1.cmp(other.1)));
        scored.into_iter().map(|(_, path)| path).collect()
    }

    #[test]
    fn a_name_wins_over_a_directory_and_a_start_of_a_word_over_its_middle() {
        let paths = ["config/readme.md", "src/config.ts", "src/reconfigure.ts"];
        assert_eq!(
            ranked("config", &paths),
            ["src/config.ts", "src/reconfigure.ts", "config/readme.md"]
        );
    }

    #[test]
    fn letters_may_have_gaps_and_words_any_order() {
        let paths = ["crates/search/src/file_search.rs", "docs/fish.md"];
        assert_eq!(ranked("flsrch", &paths), [paths[0]]);
        assert_eq!(ranked("search crates", &paths), [paths[0]]);
        assert_eq!(ranked("crates/file", &paths), [paths[0]]);
        assert_eq!(ranked("zebra", &paths), [""; 0]);
    }

    #[test]
    fn case_counts_only_where_it_was_typed_and_signs_stand_for_themselves() {
        let paths = ["src/Makefile", "src/makefile", "a/!x^$.ts"];
        assert_eq!(ranked("makefile", &paths), ["src/Makefile", "src/makefile"]);
        assert_eq!(ranked("Makefile", &paths), ["src/Makefile"]);
        assert_eq!(ranked("!x^$", &paths), ["a/!x^$.ts"]);
        assert_eq!(ranked("*.ts", &paths), ["a/!x^$.ts"]);
    }
}
