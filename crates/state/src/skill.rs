//! Skills: instructions for a kind of work, in a `SKILL.md` with front matter (the Agent Skills format).

use serde::Deserialize;
use serde_json::{Map, Value};
use tenon_contract::limits;

/// What a `SKILL.md` says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillText<'t> {
    /// The name that it gives itself, if it can be one.
    pub name: Option<String>,
    /// What it is for, in one line; empty when it does not say.
    pub description: String,
    /// What follows the front matter.
    pub body: &'t str,
}

/// The part of the front matter that is looked at.
#[derive(Debug, Default, Deserialize)]
struct Head {
    name: Option<String>,
    description: Option<String>,
}

impl<'t> SkillText<'t> {
    /// All fields of the front matter. Nothing where there is none, or where it is no YAML of fields.
    #[must_use]
    pub fn front_matter(text: &str) -> Option<Map<String, Value>> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let (head, _) = front_matter(text)?;
        serde_saphyr::from_str(head).ok()
    }

    /// Reads the text of a `SKILL.md`. Front matter that is no YAML, as a `: ` inside of a description makes it, is read
    /// line by line.
    #[must_use]
    pub fn read(text: &'t str) -> Self {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let Some((head, body)) = front_matter(text) else {
            return Self {
                name: None,
                description: String::new(),
                body: text,
            };
        };
        let head = serde_saphyr::from_str::<Head>(head).unwrap_or_else(|_| by_lines(head));
        Self {
            name: head
                .name
                .map(|name| name.trim().to_owned())
                .filter(|name| is_skill_name(name)),
            description: one_line(&head.description.unwrap_or_default()),
            body,
        }
    }
}

/// Whether a skill may be called this: a name, not a way to somewhere.
#[must_use]
pub fn is_skill_name(name: &str) -> bool {
    let is_plain = |letter: char| !letter.is_control() && !matches!(letter, '/' | '\\');
    !name.trim().is_empty()
        && !name.starts_with('.')
        && name.chars().count() <= limits::SKILL_NAME_MAX_CHARACTERS
        && name.chars().all(is_plain)
}

/// The lines between a first line `---` and the next one, and what follows.
fn front_matter(text: &str) -> Option<(&str, &str)> {
    let first = text.split_inclusive('\n').next()?;
    if first.trim_end() != "---" {
        return None;
    }
    let rest = text.get(first.len()..)?;
    let mut end = 0;
    for line in rest.split_inclusive('\n') {
        if matches!(line.trim_end(), "---" | "...") {
            let head = rest.get(..end)?;
            let body = rest.get(end + line.len()..)?;
            return (head.len() <= limits::SKILL_HEAD_MAX_BYTES).then_some((head, body));
        }
        end += line.len();
    }
    None
}

/// `name: …` and `description: …` at the beginning of a line; indented lines continue what is above them.
fn by_lines(head: &str) -> Head {
    let mut found = Head::default();
    let mut open: Option<&mut String> = None;
    for line in head.lines() {
        if line.starts_with([' ', '\t']) {
            if let Some(text) = &mut open {
                text.push(' ');
                text.push_str(line.trim());
            }
            continue;
        }
        let (key, value) = line.split_once(':').unwrap_or((line, ""));
        let value = unquoted(value.trim());
        let place = match key.trim_end() {
            "name" => &mut found.name,
            "description" => &mut found.description,
            _ => {
                open = None;
                continue;
            }
        };
        open = Some(place.insert(value.to_owned()));
    }
    found
}

/// A value without its quotes, and without the mark of a block that follows it.
fn unquoted(value: &str) -> &str {
    if matches!(value, "|" | ">" | "|-" | ">-" | "|+" | ">+") {
        return "";
    }
    ['"', '\'']
        .iter()
        .find_map(|quote| value.strip_prefix(*quote)?.strip_suffix(*quote))
        .unwrap_or(value)
}

/// The words of a text with single spaces between them, bounded.
fn one_line(text: &str) -> String {
    let mut line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let most = limits::SKILL_DESCRIPTION_MAX_CHARACTERS;
    if let Some((end, _)) = line.char_indices().nth(most) {
        line.truncate(end);
        line.push('…');
    }
    line
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn reported(text: &str) -> (Option<String>, String, String) {
        let skill = SkillText::read(text);
        (skill.name, skill.description, skill.body.to_owned())
    }

    fn of(name: &str, description: &str, body: &str) -> (Option<String>, String, String) {
        (
            Some(name.to_owned()),
            description.to_owned(),
            body.to_owned(),
        )
    }

    #[test]
    fn front_matter_says_name_and_purpose() {
        assert_eq!(
            reported(
                "---\nname: pdf\ndescription: >-\n  Fills forms\n  in PDF.\nlicense: MIT\nmetadata:\n  a: [1, 2]\n---\n\n# How\n"
            ),
            of("pdf", "Fills forms in PDF.", "\n# How\n")
        );
        assert_eq!(
            reported("\u{feff}---\r\nname: \"two words\"\r\ndescription: 'it''s'\r\n---\r\nbody"),
            of("two words", "it's", "body")
        );
        assert_eq!(
            reported("---\nname: 7\ndescription: x\n...\n"),
            of("7", "x", "")
        );
    }

    #[test]
    fn front_matter_is_read_whole_where_it_is_yaml() {
        let head = "name: pdf\nversion: 2\nmetadata:\n  tags: [a, b]\n";
        let fields = SkillText::front_matter(&format!("---\n{head}---\nbody"));
        let expected =
            serde_json::json!({ "name": "pdf", "version": 2, "metadata": { "tags": ["a", "b"] } });
        assert_eq!(fields.map(Value::Object), Some(expected));
        assert_eq!(SkillText::front_matter("---\na: [\n---\n"), None);
        assert_eq!(SkillText::front_matter("# No front matter"), None);
    }

    #[test]
    fn what_is_no_yaml_is_read_by_lines() {
        assert_eq!(
            reported(
                "---\nname: deploy\ndescription: Use when: the user says `ship it`\n  or so\nother: [\n---\nbody"
            ),
            of("deploy", "Use when: the user says `ship it` or so", "body")
        );
    }

    #[test]
    fn without_front_matter_all_of_it_is_the_body() {
        for text in [
            "",
            "# Title\n---\nname: x\n---\n",
            "---\nname: x\n",
            "--- \n",
            "----\n",
        ] {
            assert_eq!(
                reported(text),
                (None, String::new(), text.to_owned()),
                "{text:?}"
            );
        }
    }

    #[test]
    fn a_name_that_climbs_or_hides_is_none() {
        for name in [
            "../x",
            "a/b",
            "a\\b",
            "..",
            ".hidden",
            "",
            "  ",
            "a\u{0}b",
            &"x".repeat(65),
        ] {
            assert!(!is_skill_name(name), "{name:?}");
        }
        for name in ["pdf", "two words", "plugin:skill", "Größe", "a.b", "a..b"] {
            assert!(is_skill_name(name), "{name:?}");
        }
        assert_eq!(
            reported("---\nname: ../../etc\ndescription: x\n---\n"),
            (None, "x".to_owned(), String::new())
        );
    }

    #[test]
    fn a_bomb_of_aliases_is_no_skill_of_its_own_naming() {
        let mut head = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
        for level in 1..30 {
            let item = format!("*a{}, ", level - 1).repeat(10);
            head.push_str(&format!("a{level}: &a{level} [{item}]\n"));
        }
        let text = format!("---\nname: bomb\n{head}---\n");
        assert_eq!(reported(&text).0, Some("bomb".to_owned()));
    }

    proptest! {
        #[test]
        fn whatever_stands_in_the_file_is_read(text in any::<String>(), head in "[ -~\n]{0,200}") {
            let name_of = |text: &str| SkillText::read(text).name;
            for text in [text.clone(), format!("---\n{head}\n---\n{text}"), format!("---\nname: {text}\n---\n")] {
                if let Some(name) = name_of(&text) {
                    prop_assert!(is_skill_name(&name));
                }
            }
        }
    }
}
