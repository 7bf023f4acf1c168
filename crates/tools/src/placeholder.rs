//! Lines such as `// ... existing code ...` that stand for text instead of being it.
//!
//! Strict on purpose: the whole line has to be a comment, or begin or end with an ellipsis, and all
//! of its words have to be those of a placeholder. A spread (`...rest`) and Python's `...` are none.

/// What placeholders stand for.
const SUBJECTS: [&str; 28] = [
    "code",
    "file",
    "files",
    "class",
    "function",
    "functions",
    "method",
    "methods",
    "component",
    "components",
    "implementation",
    "module",
    "content",
    "contents",
    "document",
    "script",
    "lines",
    "imports",
    "logic",
    "body",
    "tests",
    "text",
    "section",
    "sections",
    "program",
    "styles",
    "configuration",
    "config",
];
/// What is said of the text that is left out.
const LEFT_OUT: [&[&str]; 9] = [
    &["omitted", "for", "brevity"],
    &["omitted"],
    &["unchanged"],
    &["the", "same"],
    &["same", "as", "before"],
    &["as", "before"],
    &["as", "is"],
    &["as", "it", "was"],
    &["identical"],
];
const VERBS: [&str; 7] = ["remains", "remain", "stays", "stay", "is", "are", "left"];
const ADJECTIVES: [&str; 6] = [
    "existing",
    "remaining",
    "other",
    "previous",
    "original",
    "unchanged",
];
const PLACES: [&[&str]; 4] = [&["here"], &["goes", "here"], &["above"], &["below"]];

/// Whether the line is a placeholder for text that is left out.
pub(crate) fn is_placeholder(line: &str) -> bool {
    let line = line.trim();
    let comment = comment_body(line);
    let body = comment.unwrap_or(line).trim_matches(|character: char| {
        character.is_whitespace() || "()[]<>-=*".contains(character)
    });
    let has_ellipsis = ["...", "…"]
        .iter()
        .any(|dots| body.starts_with(dots) || body.ends_with(dots));
    if comment.is_none() && !has_ellipsis {
        return false;
    }
    let inner = body.trim_matches(|character: char| {
        character.is_whitespace() || ".…:,()[]".contains(character)
    });
    let is_prose = |character: char| character.is_alphabetic() || " ,-'…".contains(character);
    if !inner.chars().all(is_prose) {
        return false;
    }
    let lower = inner.to_lowercase();
    let words: Vec<&str> = lower
        .split(|character: char| !character.is_alphabetic())
        .filter(|word| !word.is_empty())
        .collect();
    // Without the dots, only words that say that something is left out.
    is_phrase(&words, has_ellipsis)
}

/// What stands in a line that is nothing but a comment.
fn comment_body(line: &str) -> Option<&str> {
    const PAIRS: [(&str, &str); 3] = [("{/*", "*/}"), ("/*", "*/"), ("<!--", "-->")];
    const STARTS: [&str; 5] = ["//", "#", "--", ";", "%"];
    PAIRS
        .iter()
        .find_map(|(start, end)| line.strip_prefix(start)?.strip_suffix(end))
        .or_else(|| {
            let start = STARTS.iter().find(|start| line.starts_with(**start))?;
            let marks = start.chars().next()?;
            Some(line.trim_start_matches(marks))
        })
}

fn is_phrase(words: &[&str], has_ellipsis: bool) -> bool {
    let (words, is_kept) = match words {
        ["keep", rest @ ..] => (rest, true),
        words => (words, false),
    };
    let words = words.strip_prefix(&["the"]).unwrap_or(words);
    let rest = match words {
        ["rest", "of", "the" | "this" | "your" | "its", rest @ ..] | ["rest", "of", rest @ ..] => {
            match after_subjects(rest) {
                Some(rest) => rest,
                None => return false,
            }
        }
        ["rest", rest @ ..] => return is_left_out(rest),
        [adjective, rest @ ..]
            if ADJECTIVES.contains(adjective) && after_subjects(rest).is_some() =>
        {
            after_subjects(rest).unwrap_or_default()
        }
        words => {
            let rest = after_subjects(words).unwrap_or(words);
            let is_said = rest.len() < words.len() || has_ellipsis;
            return !is_kept && is_said && is_left_out(rest);
        }
    };
    let is_bare = rest.is_empty() || PLACES.contains(&rest);
    (is_bare && has_ellipsis) || is_left_out(rest)
}

/// What follows the words for the text; `None` without such words.
fn after_subjects<'a, 'w>(words: &'a [&'w str]) -> Option<&'a [&'w str]> {
    let count = words
        .iter()
        .take_while(|word| SUBJECTS.contains(word))
        .count();
    words.get(count..).filter(|_| count > 0)
}

fn is_left_out(words: &[&str]) -> bool {
    let words = match words {
        [verb, rest @ ..] if VERBS.contains(verb) => rest,
        words => words,
    };
    LEFT_OUT.iter().any(|said| {
        words
            .strip_prefix(*said)
            .is_some_and(|rest| rest.is_empty() || PLACES.contains(&rest))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_stand_for_text_are_placeholders() {
        for line in [
            "// ... existing code ...",
            "    // ...existing code...",
            "# rest unchanged",
            "# ... rest of the file unchanged ...",
            "// rest of the file remains unchanged",
            "/* ... rest of the code ... */",
            "/* rest of the function stays the same */",
            "{/* ... existing code ... */}",
            "<!-- rest of the content unchanged -->",
            "-- ... remaining methods ...",
            "; … other functions unchanged …",
            "... existing code ...",
            "[... rest of the file unchanged ...]",
            "(rest of file unchanged...)",
            "// ... (rest of the implementation remains the same) ...",
            "// Rest of the class is unchanged.",
            "# ... unchanged ...",
            "# code omitted for brevity",
            "// ... same as before ...",
            "// ... keep existing code ...",
            "// ... existing code here ...",
        ] {
            assert!(is_placeholder(line), "{line}");
        }
    }

    #[test]
    fn real_code_and_real_comments_are_none() {
        for line in [
            "",
            "...",
            "    ...",
            "# ...",
            "// ...",
            "…",
            "...rest",
            "    ...existing,",
            "const { a, ...rest } = props;",
            "return { ...existing, code };",
            "def f(): ...",
            "[..., None]",
            "function f(...code) {",
            "// existing code",
            "// The rest of the code handles errors.",
            "# Rest of the file",
            "// unchanged",
            "# Keep the existing file if it is newer.",
            "// the existing code path is slow",
            "// Loading...",
            "// etc...",
            "# other functions",
            "// TODO: rest of the implementation",
            "#include <rest.h>",
            "#[test]",
            "### Existing code",
            "--",
            "-- rest",
            "let unchanged = true; // unchanged",
            "\"rest of the file unchanged\"",
            "rest of the file unchanged",
            "Everything else stays the same.",
            "// is the same",
        ] {
            assert!(!is_placeholder(line), "{line}");
        }
    }
}
