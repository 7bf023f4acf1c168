//! Prints the types of schemas in TypeScript.

use std::mem;

use serde_json::Value;

use super::schema::{Bounds, Kind, Property, Schema};

/// Widest line of a comment, indentation included.
const COMMENT_WIDTH: usize = 110;

/// `export type Name = …`, with its comment.
pub(crate) fn declaration(name: &str, comment: &str, schema: &Schema) -> String {
    let comment = comment_text(comment, 0);
    match &schema.kind {
        Kind::Union(members) if !schema.nullable && members.iter().any(is_object) => {
            let members: String = members.iter().map(member_text).collect();
            format!("{comment}export type {name} =\n{members}")
        }
        _ => format!("{comment}export type {name} = {}\n", type_text(schema, 0)),
    }
}

fn is_object(schema: &Schema) -> bool {
    matches!(schema.kind, Kind::Object(_))
}

/// One form of a choice, on lines of its own with its words.
fn member_text(member: &Schema) -> String {
    let words = member.description.as_deref();
    let comment = words
        .map(|words| comment_text(words, 1))
        .unwrap_or_default();
    format!("{comment}  | {}\n", type_text(member, 1))
}

/// The type, as it stands behind a colon at this depth of indentation.
pub(crate) fn type_text(schema: &Schema, depth: usize) -> String {
    let text = match &schema.kind {
        Kind::Any => return "unknown".to_owned(),
        Kind::Text => "string".to_owned(),
        Kind::Integer => few_integers(&schema.bounds).unwrap_or_else(|| "number".to_owned()),
        Kind::Number => "number".to_owned(),
        Kind::Boolean => "boolean".to_owned(),
        Kind::Null => "null".to_owned(),
        Kind::Named(name) => (*name).to_owned(),
        Kind::Literals(values) => alternatives(values.iter().map(literal)),
        Kind::List(items) => format!("{}[]", operand(items, depth)),
        Kind::Record(values) => format!("Record<string, {}>", type_text(values, depth)),
        Kind::Union(members) => alternatives(members.iter().map(|member| type_text(member, depth))),
        Kind::Object(properties) => object_text(properties, depth),
    };
    if schema.nullable {
        format!("{text} | null")
    } else {
        text
    }
}

/// `1 | 2 | 3` for integers of which only a few are allowed.
fn few_integers(bounds: &Bounds) -> Option<String> {
    const FEW: i64 = 4;
    let bound = |value: &Option<Value>| value.as_ref().and_then(Value::as_i64);
    let (least, most) = (bound(&bounds.minimum)?, bound(&bounds.maximum)?);
    let count = most.checked_sub(least)?.checked_add(1)?;
    let texts = (least..=most).map(|value| value.to_string());
    (1..=FEW).contains(&count).then(|| alternatives(texts))
}

/// The type of list items, in parentheses where it needs them.
fn operand(schema: &Schema, depth: usize) -> String {
    let text = type_text(schema, depth);
    let is_choice = match &schema.kind {
        Kind::Union(_) => true,
        Kind::Literals(values) => values.len() > 1,
        Kind::Integer => text.contains('|'),
        _ => false,
    };
    if is_choice || schema.nullable {
        format!("({text})")
    } else {
        text
    }
}

/// Each alternative once, in the order of the schema.
fn alternatives(texts: impl Iterator<Item = String>) -> String {
    let mut kept: Vec<String> = Vec::new();
    for text in texts {
        if !kept.contains(&text) {
            kept.push(text);
        }
    }
    kept.join(" | ")
}

fn object_text(properties: &[Property], depth: usize) -> String {
    if properties.is_empty() {
        return "Record<string, never>".to_owned();
    }
    let mut text = String::from("{\n");
    for property in properties {
        if let Some(comment) = property_comment(&property.schema) {
            text.push_str(&comment_text(&comment, depth + 1));
        }
        text.push_str(&indent(depth + 1));
        text.push_str(&property_name(&property.name));
        text.push_str(if property.required { ": " } else { "?: " });
        text.push_str(&type_text(&property.schema, depth + 1));
        text.push('\n');
    }
    text.push_str(&indent(depth));
    text.push('}');
    text
}

/// The description, with the default that it does not mention itself.
fn property_comment(schema: &Schema) -> Option<String> {
    let described = schema.description.as_deref().unwrap_or_default();
    let says_default = described.contains("Default:");
    let is_empty = |value: &Value| {
        value.as_array().is_some_and(Vec::is_empty)
            || value.as_object().is_some_and(serde_json::Map::is_empty)
    };
    let default = schema
        .default
        .as_ref()
        .filter(|value| !says_default && !value.is_object() && !is_empty(value));
    match (described, default) {
        ("", None) => None,
        (described, None) => Some(described.to_owned()),
        (described, Some(default)) => Some(
            format!("{described} Default: `{default}`.")
                .trim_start()
                .to_owned(),
        ),
    }
}

/// As it is where it is an identifier, else in quotes.
pub(crate) fn property_name(name: &str) -> String {
    if is_identifier(name) {
        name.to_owned()
    } else {
        quoted(name)
    }
}

fn is_identifier(name: &str) -> bool {
    let is_letter = |letter: char| letter.is_ascii_alphabetic() || letter == '_' || letter == '$';
    name.starts_with(is_letter)
        && name
            .chars()
            .all(|letter| is_letter(letter) || letter.is_ascii_digit())
}

fn literal(value: &Value) -> String {
    match value {
        Value::String(text) => quoted(text),
        other => other.to_string(),
    }
}

fn quoted(text: &str) -> String {
    let escaped = text
        .replace('\\', "\\\\")
        .replace('\'', "\\'")
        .replace('\n', "\\n");
    format!("'{escaped}'")
}

fn indent(depth: usize) -> String {
    "  ".repeat(depth)
}

/// A documentation comment at this depth, on one line where it fits.
pub(crate) fn comment_text(text: &str, depth: usize) -> String {
    let indent = indent(depth);
    let text = text.replace("*/", "*\\/");
    let one_line = format!("{indent}/** {text} */");
    if !text.contains('\n') && one_line.chars().count() <= COMMENT_WIDTH {
        return format!("{one_line}\n");
    }
    let width = COMMENT_WIDTH.saturating_sub(indent.len() + 3);
    let mut comment = format!("{indent}/**\n");
    for line in filled(text.trim_end(), width) {
        comment.push_str(format!("{indent} * {line}").trim_end());
        comment.push('\n');
    }
    comment.push_str(&format!("{indent} */\n"));
    comment
}

/// The lines of a Markdown text, each paragraph filled to this width. Items of lists, rows of tables and tags begin a line; code stays as it is.
fn filled(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut paragraph = String::new();
    let mut is_code = false;
    for line in text.lines() {
        let is_fence = line.trim_start().starts_with("```");
        if is_fence || is_code || line.is_empty() || begins_block(line) {
            lines.extend(wrapped(&mem::take(&mut paragraph), width));
        }
        if is_fence || is_code || line.is_empty() {
            lines.push(line.to_owned());
        } else if paragraph.is_empty() {
            paragraph.push_str(line);
        } else {
            paragraph.push(' ');
            paragraph.push_str(line.trim_start());
        }
        is_code ^= is_fence;
    }
    lines.extend(wrapped(&paragraph, width));
    lines
}

/// Whether a line of Markdown, or a tag of TSDoc, begins something of its own.
fn begins_block(line: &str) -> bool {
    let line = line.trim_start();
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    ["- ", "* ", "#", "|", "@", ">"]
        .iter()
        .any(|mark| line.starts_with(mark))
        || (number.len() < line.len() && number.starts_with(". "))
}

/// A text broken between words; no line where there is no text.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        match lines.last_mut() {
            Some(last) if last.chars().count() + 1 + word.chars().count() <= width => {
                last.push(' ');
                last.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn lines_of_a_paragraph_are_filled_and_others_stay() {
        let text = "One paragraph\nin two lines.\n\n- an item\n  goes on\n- another\n```js\na()\n  b()\n```\n@example";
        assert_eq!(
            comment_text(text, 0),
            "/**\n * One paragraph in two lines.\n *\n * - an item goes on\n * - another\n * ```js\n * a()\n *   b()\n * ```\n * @example\n */\n"
        );
    }

    fn printed(schema: &Value) -> String {
        type_text(&Schema::parse(schema).unwrap(), 0)
    }

    #[test]
    fn every_kind_of_the_subset_is_printed() {
        let cases = [
            (json!({}), "unknown"),
            (json!({"type": "string"}), "string"),
            (json!({"type": "integer"}), "number"),
            (
                json!({"type": "integer", "minimum": 1, "maximum": 3}),
                "1 | 2 | 3",
            ),
            (
                json!({"type": "integer", "minimum": 1, "maximum": 5}),
                "number",
            ),
            (json!({"type": ["number", "null"]}), "number | null"),
            (json!({"type": ["integer", "string"]}), "number | string"),
            (json!({"type": "null"}), "null"),
            (
                json!({"type": "string", "enum": ["a", "b's"]}),
                r"'a' | 'b\'s'",
            ),
            (json!({"enum": [1, true]}), "1 | true"),
            (
                json!({"type": "array", "items": {"type": "string"}}),
                "string[]",
            ),
            (
                json!({"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}),
                "number[][]",
            ),
            (json!({"type": "array", "items": {"enum": ["a"]}}), "'a'[]"),
            (
                json!({"type": "array", "items": {"enum": ["a", "b"]}}),
                "('a' | 'b')[]",
            ),
            (
                json!({"type": "array", "items": {"type": ["string", "null"]}}),
                "(string | null)[]",
            ),
            (
                json!({"type": "object", "additionalProperties": {"type": "string"}}),
                "Record<string, string>",
            ),
            (
                json!({"type": "object", "properties": {}, "additionalProperties": false}),
                "Record<string, never>",
            ),
            (
                json!({"anyOf": [{"type": "integer"}, {"type": "number"}, {"type": "string"}]}),
                "number | string",
            ),
        ];
        for (schema, expected) in cases {
            assert_eq!(printed(&schema), expected, "{schema}");
        }
    }

    #[test]
    fn a_declaration_keeps_order_words_and_names() {
        let schema = json!({
            "type": "object",
            "properties": {
                "pattern": {"type": "string", "description": "What to look for."},
                "-i": {"type": "boolean", "description": "Without regard to case. Default: false.", "default": false},
                "limit": {"type": "integer", "description": "Most results.", "default": 250},
                "edits": {
                    "type": "array",
                    "description": "The pairs. They must not overlap */ and this text is long enough to be broken into two lines of the comment.",
                    "items": {
                        "type": "object",
                        "properties": {"oldText": {"type": "string", "description": "Old."}, "newText": {"type": "string"}},
                        "required": ["oldText"],
                        "additionalProperties": false,
                    },
                },
                "labels": {"type": "array", "items": {"type": "string"}, "default": []},
            },
            "required": ["pattern", "edits"],
            "additionalProperties": false,
        });
        let expected = "\
/** Parameters of `grep`. */
export type AgentGrepParams = {
  /** What to look for. */
  pattern: string
  /** Without regard to case. Default: false. */
  '-i'?: boolean
  /** Most results. Default: `250`. */
  limit?: number
  /**
   * The pairs. They must not overlap *\\/ and this text is long enough to be broken into two lines of the
   * comment.
   */
  edits: {
    /** Old. */
    oldText: string
    newText?: string
  }[]
  labels?: string[]
}
";
        let schema = Schema::parse(&schema).unwrap();
        assert_eq!(
            declaration("AgentGrepParams", "Parameters of `grep`.", &schema),
            expected
        );
    }

    #[test]
    fn what_a_caller_may_leave_out_may_be_undefined() {
        let schema = json!({
            "type": "object",
            "properties": {
                "path": {"type": "string", "description": "Where."},
                "limit": {"type": ["integer", "null"], "default": 10},
                "edits": {"type": "array", "items": {
                    "type": "object",
                    "properties": {"newText": {"type": "string"}},
                    "additionalProperties": false,
                }},
            },
            "required": ["edits"],
            "additionalProperties": false,
        });
        let given = Schema::parse(&schema).unwrap().as_given();
        assert_eq!(
            type_text(&given, 0),
            "{
  /** Where. */
  path?: string | undefined
  /** Default: `10`. */
  limit?: number | null | undefined
  edits: {
    newText?: string | undefined
  }[]
}"
        );
    }

    #[test]
    fn a_choice_of_objects_keeps_the_form_and_the_words_of_each() {
        let object = |name: &str, words: &str| json!({"type": "object", "description": words, "properties": {name: {"type": "integer"}}, "required": [name], "additionalProperties": false});
        let choice =
            json!({"anyOf": [object("lines", "A page of text."), object("width", "An image.")]});
        let expected = "\
/** Details of `read`. */
export type AgentReadDetails =
  /** A page of text. */
  | {
    lines: number
  }
  /** An image. */
  | {
    width: number
  }
";
        let schema = Schema::parse(&choice).unwrap();
        assert_eq!(
            declaration("AgentReadDetails", "Details of `read`.", &schema),
            expected
        );
        assert_eq!(
            printed(&choice),
            "{\n  lines: number\n} | {\n  width: number\n}"
        );
    }
}
