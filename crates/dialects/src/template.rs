//! Texts with names of tools in them, which say only what a toolkit exposes.
//!
//! - `{{grep}}` is the name of the tool for that operation, or of the tool of exactly that name, in backticks.
//! - `{{read|grep|find}}` are those of them that are exposed: `` `read`, `grep` or `find` ``.
//! - `{{?process}}` and `{{!process}}` write nothing: they ask whether it is exposed, or is not.
//! - `[[…]]` is left out as a whole where one of the names in it is not exposed, or a question in it has another answer.
//!
//! A name outside of every `[[…]]` must be that of the tool itself; the conformance tests see to that.

use std::collections::BTreeSet;

/// Whether the text has anything to fill in.
pub(crate) fn is_template(text: &str) -> bool {
    text.contains("{{") || text.contains("[[")
}

/// The names that the text asks for.
pub(crate) fn references<'t>(text: &'t str, found: &mut BTreeSet<&'t str>) {
    for (_, rest) in text
        .match_indices("{{")
        .map(|(at, mark)| text.split_at(at + mark.len()))
    {
        let inner = rest.split("}}").next().unwrap_or_default();
        found.extend(inner.trim_start_matches(['?', '!']).split('|'));
    }
}

/// The text with its names filled in. `name` knows what is exposed.
pub(crate) fn render<'n>(text: &str, name: &dyn Fn(&str) -> Option<&'n str>) -> String {
    let mut rest = text;
    let (rendered, _) = part(&mut rest, name, false);
    rendered
}

/// Renders up to the end of the text, or of the piece in brackets that `rest` is inside of. Whether it holds together.
fn part<'n>(
    rest: &mut &str,
    name: &dyn Fn(&str) -> Option<&'n str>,
    inside: bool,
) -> (String, bool) {
    let mut rendered = String::new();
    let mut holds = true;
    while let Some(at) = rest.find(['{', '[', ']']) {
        let (before, after) = rest.split_at(at);
        rendered.push_str(before);
        if let Some(inner) = after.strip_prefix("[[") {
            *rest = inner;
            let (piece, is_whole) = part(rest, name, true);
            if is_whole {
                rendered.push_str(&piece);
            }
        } else if let Some((inner, behind)) = after
            .strip_prefix("{{")
            .and_then(|inner| inner.split_once("}}"))
        {
            *rest = behind;
            match filled(inner, name) {
                Some(text) => rendered.push_str(&text),
                None => holds = false,
            }
        } else if let (true, Some(behind)) = (inside, after.strip_prefix("]]")) {
            *rest = behind;
            return (rendered, holds);
        } else {
            // All three are one byte long.
            let (sign, behind) = after.split_at(1);
            rendered.push_str(sign);
            *rest = behind;
        }
    }
    rendered.push_str(rest);
    *rest = "";
    (rendered, holds)
}

/// What stands for the inside of `{{…}}`; nothing where it is not exposed.
fn filled<'n>(inner: &str, name: &dyn Fn(&str) -> Option<&'n str>) -> Option<String> {
    if let Some(asked) = inner.strip_prefix('?') {
        return name(asked).map(|_| String::new());
    }
    if let Some(asked) = inner.strip_prefix('!') {
        return name(asked).is_none().then(String::new);
    }
    let named = inner.split('|').filter_map(name);
    let quoted: Vec<String> = named.map(|name| format!("`{name}`")).collect();
    match quoted.split_last()? {
        (only, []) => Some(only.clone()),
        (last, others) => Some(format!("{} or {last}", others.join(", "))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(text: &str) -> String {
        render(text, &|name| match name {
            "read" => Some("Read"),
            "find" => Some("Glob"),
            "grep" => Some("Grep"),
            _ => None,
        })
    }

    #[test]
    fn only_what_is_exposed_is_named() {
        assert_eq!(
            rendered("A.[[ Use {{read}}.]][[ Or {{execute}}.]][[ Not {{!execute}}by a command.]]"),
            "A. Use `Read`. Not by a command."
        );
        assert_eq!(
            rendered("[[Use {{read|list|grep|find}} instead.]]"),
            "Use `Read`, `Grep` or `Glob` instead."
        );
        assert_eq!(
            rendered("[[a{{?read}}]][[b{{?execute}}]][[c [[{{execute}}]]d]]"),
            "ac d"
        );
    }

    #[test]
    fn what_is_no_template_stays_as_it_is() {
        for text in ["a[0] {b} ]] [x] }}", "", "ä {", "{\"output\": \"x\"}"] {
            assert_eq!(rendered(text), text);
        }
    }

    #[test]
    fn every_name_is_found() {
        let mut found = BTreeSet::new();
        references("{{a}} [[{{b|c}} {{?d}}{{!e}}]]", &mut found);
        assert_eq!(
            found.into_iter().collect::<Vec<_>>(),
            ["a", "b", "c", "d", "e"]
        );
    }
}
