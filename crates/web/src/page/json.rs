//! JSON with a line for each member. Numbers and strings stay letter for letter: nothing is parsed and written again.

/// Texts that already have lines, and texts that are no JSON, stay as they are.
pub(super) fn indented(text: &str) -> String {
    let has_lines = text.lines().take(3).count() > 2;
    let is_json = serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
    if has_lines || !is_json {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len() * 2);
    let mut depth = 0_usize;
    let mut letters = text.trim().chars().peekable();
    let mut in_string = false;
    let mut escaped = false;
    while let Some(letter) = letters.next() {
        if in_string {
            out.push(letter);
            in_string = escaped || letter != '"';
            escaped = letter == '\\' && !escaped;
            continue;
        }
        match letter {
            '"' => {
                in_string = true;
                out.push(letter);
            }
            '{' | '[' => {
                out.push(letter);
                while letters.next_if(|next| next.is_whitespace()).is_some() {}
                if let Some(close) = letters.next_if(|next| matches!(next, '}' | ']')) {
                    out.push(close);
                } else {
                    depth += 1;
                    line(depth, &mut out);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                line(depth, &mut out);
                out.push(letter);
            }
            ',' => {
                out.push(letter);
                line(depth, &mut out);
            }
            ':' => out.push_str(": "),
            letter if letter.is_whitespace() => {}
            letter => out.push(letter),
        }
    }
    out
}

/// Deep structures are indented to a bounded width: depth times length must not multiply.
fn line(depth: usize, out: &mut String) {
    const DEEPEST: usize = 32;
    out.push('\n');
    out.push_str(&"  ".repeat(depth.min(DEEPEST)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_becomes_many_and_no_letter_of_a_value_changes() {
        let text = r#"{"a":[1,2.50,{"b":"x, \"y\": {z}\\"}],"big":123456789012345678901234567890,"e":{},"f":[ ]}"#;
        let expected = "{\n  \"a\": [\n    1,\n    2.50,\n    {\n      \"b\": \"x, \\\"y\\\": {z}\\\\\"\n    }\n  ],\n  \
                        \"big\": 123456789012345678901234567890,\n  \"e\": {},\n  \"f\": []\n}";
        assert_eq!(indented(text), expected);
        assert_eq!(indented("[1,2"), "[1,2");
        assert_eq!(indented("{\n\"a\":1\n}"), "{\n\"a\":1\n}");
    }
}
