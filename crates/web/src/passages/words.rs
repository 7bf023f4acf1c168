//! Words as they are compared: lower case, lightly stemmed, names also by their parts.

/// Words that say nothing about what a question is about.
const EMPTY: &[&str] = &[
    "a",
    "about",
    "all",
    "also",
    "an",
    "and",
    "any",
    "are",
    "as",
    "at",
    "be",
    "been",
    "but",
    "by",
    "can",
    "could",
    "describe",
    "did",
    "do",
    "does",
    "explain",
    "extract",
    "find",
    "for",
    "from",
    "get",
    "give",
    "had",
    "has",
    "have",
    "how",
    "i",
    "if",
    "in",
    "into",
    "is",
    "it",
    "its",
    "list",
    "me",
    "my",
    "of",
    "on",
    "or",
    "page",
    "please",
    "say",
    "says",
    "should",
    "show",
    "so",
    "some",
    "such",
    "summarise",
    "summarize",
    "tell",
    "than",
    "that",
    "the",
    "their",
    "them",
    "then",
    "there",
    "these",
    "they",
    "this",
    "to",
    "us",
    "use",
    "used",
    "using",
    "was",
    "we",
    "were",
    "what",
    "when",
    "where",
    "which",
    "who",
    "why",
    "will",
    "with",
    "would",
    "you",
    "your",
];

/// The words of a question, each once; those that say nothing only where there are no others.
pub(super) fn query_words(question: &str) -> Vec<String> {
    let all = words(question);
    let mut kept: Vec<String> = Vec::new();
    for word in all.iter().filter(|word| !EMPTY.contains(&word.as_str())) {
        if !kept.contains(word) {
            kept.push(word.clone());
        }
    }
    if kept.is_empty() { all } else { kept }
}

/// All words of a text. Scripts without spaces are taken two letters at a time.
pub(super) fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for run in text.split(|letter: char| !letter.is_alphanumeric() && letter != '_') {
        if run.is_empty() {
            continue;
        }
        if run.chars().any(is_dense) {
            pairs(run, &mut words);
            continue;
        }
        let parts = parts(run);
        if parts.len() > 1 {
            words.extend(parts.iter().map(|part| stem(part)));
        }
        words.push(stem(&run.to_lowercase()));
    }
    words
}

/// Han, kana, hangul, Thai, Lao, Khmer, Burmese.
fn is_dense(letter: char) -> bool {
    matches!(letter, '\u{0e00}'..='\u{0eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{20000}'..='\u{2ffff}')
}

fn pairs(run: &str, words: &mut Vec<String>) {
    let letters: Vec<char> = run.chars().flat_map(char::to_lowercase).collect();
    match letters.as_slice() {
        [only] => words.push(only.to_string()),
        letters => words.extend(
            letters
                .windows(2)
                .map(|pair| pair.iter().collect::<String>()),
        ),
    }
}

/// `maxRetries` and `max_retries` have the parts `max` and `retries`.
fn parts(run: &str) -> Vec<String> {
    let mut parts: Vec<String> = vec![String::new()];
    let mut was_lower = false;
    for letter in run.chars() {
        if letter == '_' || (was_lower && letter.is_uppercase()) {
            parts.push(String::new());
        }
        was_lower = letter.is_lowercase() || letter.is_numeric();
        if let Some(part) = parts.last_mut().filter(|_| letter != '_') {
            part.extend(letter.to_lowercase());
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// Takes off the endings of English plurals and verbs, so that `configured`, `configures` and `configure` meet.
fn stem(word: &str) -> String {
    if !word.is_ascii() || word.len() < 4 || word.bytes().any(|byte| byte.is_ascii_digit()) {
        return word.to_owned();
    }
    let mut stem = word;
    for (ending, left) in [
        ("ies", "y"),
        ("sses", "ss"),
        ("ing", ""),
        ("edly", ""),
        ("ed", ""),
        ("ly", ""),
        ("es", ""),
        ("s", ""),
    ] {
        let Some(rest) = word.strip_suffix(ending) else {
            continue;
        };
        let is_kept = rest.len() < 3 || (ending == "s" && rest.ends_with(['s', 'u', 'i']));
        if is_kept {
            continue;
        }
        if left == "y" {
            return format!("{rest}y");
        }
        stem = word.get(..rest.len() + left.len()).unwrap_or(word);
        break;
    }
    // `stopp` of `stopped`, `configure` beside `configur`.
    let bytes = stem.as_bytes();
    let is_doubled = match bytes {
        [.., before, last] => before == last && !matches!(last, b's' | b'l' | b'e'),
        _ => false,
    };
    if stem.len() < word.len() && is_doubled {
        stem = stem.get(..stem.len() - 1).unwrap_or(stem);
    }
    stem.strip_suffix('e')
        .filter(|rest| rest.len() >= 3)
        .unwrap_or(stem)
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms_of_a_word_are_one_word() {
        let forms = [
            ["configure", "configured", "configuring", "configures"],
            ["stop", "stops", "stopped", "stopping"],
            ["retry", "retries", "retry", "retry"],
            ["process", "processes", "processed", "processing"],
        ];
        for forms in forms {
            let stems: Vec<String> = forms.iter().map(|form| stem(form)).collect();
            assert!(stems.iter().all(|stem| *stem == stems[0]), "{stems:?}");
        }
        assert_eq!(
            [stem("this"), stem("bus"), stem("api"), stem("x86s")],
            ["this", "bus", "api", "x86s"]
        );
    }

    #[test]
    fn names_are_found_by_their_parts_and_as_a_whole() {
        assert_eq!(
            words("maxRetries"),
            ["max", "retry", "maxretry"]
                .map(str::to_owned)
                .map(|word| if word == "maxretry" {
                    stem("maxretries")
                } else {
                    word
                })
        );
        assert!(words("set max_retries").contains(&"retry".to_owned()));
        assert_eq!(words("東京都"), ["東京", "京都"]);
    }

    #[test]
    fn what_says_nothing_is_left_out_of_a_question() {
        assert_eq!(
            query_words("How do I configure the timeout?"),
            [stem("configure"), stem("timeout")]
        );
        assert_eq!(query_words("what is it"), ["what", "is", "it"]);
    }
}
