//! Statements of SQL, whatever blanks, comments and quotes stand between their words: `EXPORT/**/DATABASE'x'`.

/// What becomes of comments.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Comments {
    /// Nothing of them is read.
    Dropped,
    /// What stands in them is read: MySQL runs `/*! … */`.
    Opened,
}

/// The ways in which a database may read a text. Databases differ in what ends a text between quotes, and so in where comments begin.
/// In each there is one blank between words, and none before a bracket.
pub(crate) fn readings(text: &str) -> [String; 3] {
    [
        plain(text, true, Comments::Dropped),
        plain(text, false, Comments::Opened),
        plain(text, false, Comments::Dropped),
    ]
}

/// Those of the readings that take nothing away which stands between quotes: `'data/*.csv'`.
pub(crate) fn whole_readings(text: &str) -> impl Iterator<Item = String> {
    readings(text).into_iter().take(2)
}

fn plain(text: &str, has_quotes: bool, comments: Comments) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(sign) = rest.chars().next() {
        if let Some(behind) = behind_comment(rest, comments) {
            push_blank(&mut plain);
            rest = behind;
            continue;
        }
        let mut end = sign.len_utf8();
        match sign {
            '\'' | '"' if has_quotes => {
                let behind = rest.get(1..).unwrap_or_default();
                end = behind.find(sign).map_or(rest.len(), |place| place + 2);
                plain.push_str(rest.get(..end).unwrap_or_default());
            }
            sign if sign.is_whitespace() => push_blank(&mut plain),
            '(' => {
                // A name of a function may stand between quotes.
                let is_apart =
                    |letter| letter == ' ' || !has_quotes && matches!(letter, '"' | '`' | ']');
                plain.truncate(plain.trim_end_matches(is_apart).len());
                plain.push('(');
            }
            sign => plain.push(sign),
        }
        rest = rest.get(end..).unwrap_or_default();
    }
    plain
}

/// What stands behind a comment, or behind a mark of one, with which this begins.
fn behind_comment(text: &str, comments: Comments) -> Option<&str> {
    let of_line = text.strip_prefix("--").or_else(|| text.strip_prefix('#'));
    let of_block = text.strip_prefix("/*");
    if comments == Comments::Opened {
        let behind = of_block.map(|inside| {
            let inside = inside.strip_prefix(['!', '+']).unwrap_or(inside);
            inside.trim_start_matches(|letter: char| letter.is_ascii_digit())
        });
        return behind.or(of_line).or_else(|| text.strip_prefix("*/"));
    }
    let behind = |text: &'_ str, end: &str| text.find(end).map(|place| place + end.len());
    let inside = of_block.map(|inside| (inside, "*/"));
    let (inside, end) = inside.or(of_line.map(|inside| (inside, "\n")))?;
    let place = behind(inside, end).unwrap_or(inside.len());
    inside.get(place..)
}

fn push_blank(plain: &mut String) {
    if !plain.ends_with(' ') {
        plain.push(' ');
    }
}

/// Whether a letter can be one of a word.
pub(crate) fn is_of_word(letter: char) -> bool {
    letter.is_alphanumeric() || letter == '_'
}

/// Whether these words stand in one statement of a text in small letters, in this order and perhaps with others between them.
pub(crate) fn has_words(lower: &str, words: &[&str]) -> bool {
    lower.split(';').any(|statement| {
        let mut found = statement.split(|letter| !is_of_word(letter));
        words.iter().all(|word| found.any(|own| own == *word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_the_same_whatever_stands_between_them() {
        for text in [
            "export database 'x'",
            "export \t\n database 'x'",
            "export/**/database/* a 'b */'x'",
            "export -- a 'b\ndatabase 'x'",
            "/*!50000 export*/ database 'x'",
        ] {
            let is_found = |reading: &String| reading.contains("export database 'x'");
            assert!(readings(text).iter().any(is_found), "{text}");
        }
    }

    #[test]
    fn a_quote_that_one_database_ends_elsewhere_hides_nothing() {
        // MySQL ends the first text at the third quote.
        let text = r"select '\'' into/**/outfile '/x'";
        assert!(
            readings(text)
                .iter()
                .any(|reading| reading.contains("into outfile"))
        );
        let text = "select 'a/*.csv', edit ('x'), \"edit\" ('y')";
        let whole: Vec<String> = whole_readings(text).collect();
        assert_eq!(whole[0], "select 'a/*.csv', edit('x'), \"edit\"('y')");
        assert_eq!(whole[1], "select 'a .csv', edit('x'), \"edit('y')");
    }

    #[test]
    fn words_belong_together_within_a_statement() {
        assert!(has_words("vacuum main into 'x'", &["vacuum", "into"]));
        assert!(!has_words("vacuum; insert into t", &["vacuum", "into"]));
        assert!(!has_words("select attachment from t", &["attach"]));
    }
}
