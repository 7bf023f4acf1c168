//! Tables of parameters and of details, in Markdown.

use serde_json::Value;

use super::schema::{Bounds, Kind, Property, Schema, join};

/// One row: a member at its place, such as `edits[].oldText`.
#[derive(Debug, Clone, PartialEq)]
struct Row<'a> {
    place: String,
    /// Whether it is there whenever its owner is.
    always: bool,
    schema: &'a Schema,
}

/// The parameters of a tool, with the spellings that are taken for each.
pub(crate) fn params_table(params: &Schema, aliases: &[(String, String)]) -> String {
    let rows = rows(params);
    if rows.is_empty() {
        return "None.\n".to_owned();
    }
    let lines = rows.iter().map(|row| {
        let (meaning, default) = meaning_and_default(row.schema);
        let required = if row.always { "yes" } else { "no" };
        let spellings: Vec<String> = aliases
            .iter()
            .filter(|(_, param)| *param == row.place)
            .map(|(alias, _)| code(alias))
            .collect();
        [
            code(&row.place),
            type_words(row.schema),
            required.to_owned(),
            default,
            meaning,
            spellings.join(", "),
        ]
    });
    let head = [
        "Parameter",
        "Type",
        "Required",
        "Default",
        "Meaning",
        "Also accepted",
    ];
    table(head, lines)
}

/// The details of a tool; one table for each form that they can have.
pub(crate) fn details_tables(details: &Schema) -> String {
    let Kind::Union(forms) = &details.kind else {
        return details_table(details);
    };
    let forms = forms.iter().enumerate().map(|(index, form)| {
        let about = form.description.as_deref().unwrap_or("Another form.");
        let lead = if index == 0 { "Either" } else { "Or" };
        format!("{lead}: {about}\n\n{}", details_table(form))
    });
    forms.collect::<Vec<_>>().join("\n")
}

fn details_table(details: &Schema) -> String {
    let rows = rows(details);
    if rows.is_empty() {
        return "None.\n".to_owned();
    }
    let lines = rows.iter().map(|row| {
        let always = if row.always { "always" } else { "sometimes" };
        [
            code(&row.place),
            kind_words(row.schema),
            always.to_owned(),
            cell(row.schema.description.as_deref().unwrap_or_default()),
        ]
    });
    table(["Field", "Type", "Present", "Meaning"], lines)
}

fn table<const N: usize>(head: [&str; N], lines: impl Iterator<Item = [String; N]>) -> String {
    let mut text = format!("| {} |\n|{}\n", head.join(" | "), " --- |".repeat(N));
    for line in lines {
        // An empty cell is one space, not two.
        text.push_str(&format!("| {} |\n", line.join(" | ")).replace("|  |", "| |"));
    }
    text
}

/// The members of a type and, below each, those of the objects in it.
fn rows(schema: &Schema) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    add_members(schema, "", &mut rows);
    rows
}

fn add_members<'a>(schema: &'a Schema, place: &str, rows: &mut Vec<Row<'a>>) {
    match &schema.kind {
        Kind::Object(properties) => {
            for property in properties {
                add_row(property, true, place, rows);
            }
        }
        Kind::List(items) => add_members(items, &format!("{place}[]"), rows),
        Kind::Record(values) => add_members(values, &join(place, "*"), rows),
        Kind::Union(forms) => add_forms(forms, place, rows),
        _ => {}
    }
}

fn add_row<'a>(property: &'a Property, in_all: bool, place: &str, rows: &mut Vec<Row<'a>>) {
    let place = join(place, &property.name);
    rows.push(Row {
        place: place.clone(),
        always: property.required && in_all,
        schema: &property.schema,
    });
    add_members(&property.schema, &place, rows);
}

/// The members of all forms, each name once: it is always there when every form requires it.
fn add_forms<'a>(forms: &'a [Schema], place: &str, rows: &mut Vec<Row<'a>>) {
    let members = |form: &'a Schema| match &form.kind {
        Kind::Object(properties) => properties.as_slice(),
        _ => &[],
    };
    let mut reported: Vec<&str> = Vec::new();
    for property in forms.iter().flat_map(members) {
        if reported.contains(&property.name.as_str()) {
            continue;
        }
        reported.push(&property.name);
        let requires = |form: &'a Schema| {
            let mut members = members(form).iter();
            members.any(|member| member.name == property.name && member.required)
        };
        add_row(property, forms.iter().all(requires), place, rows);
    }
}

/// The description without its sentence on the default, and the default.
fn meaning_and_default(schema: &Schema) -> (String, String) {
    let described = schema.description.as_deref().unwrap_or_default();
    let said = described.find("Default: ").and_then(|start| {
        let (before, rest) = described.split_at_checked(start)?;
        let rest = rest.strip_prefix("Default: ")?;
        let end = rest.find(". ").unwrap_or(rest.len());
        let (default, after) = rest.split_at_checked(end)?;
        let after = after.trim_start_matches(['.', ' ']);
        let meaning = format!("{before}{after}").trim_end().to_owned();
        Some((meaning, default.trim_end_matches('.').to_owned()))
    });
    match (said, &schema.default) {
        (Some((meaning, default)), _) => (cell(&meaning), cell(&default)),
        (None, Some(default)) => (cell(described), code(&default.to_string())),
        (None, None) => (cell(described), String::new()),
    }
}

/// The type in words with its bounds: `list of integer, at least 1 item`.
fn type_words(schema: &Schema) -> String {
    format!(
        "{}{}",
        kind_words(schema),
        bounds_words(&schema.bounds, &schema.kind)
    )
}

/// The type in words: `list of integer or null`.
fn kind_words(schema: &Schema) -> String {
    let words = match &schema.kind {
        Kind::Any => "any".to_owned(),
        Kind::Text => "string".to_owned(),
        Kind::Number => "number".to_owned(),
        Kind::Integer => "integer".to_owned(),
        Kind::Boolean => "boolean".to_owned(),
        Kind::Null => "null".to_owned(),
        Kind::Named(name) => code(name),
        Kind::Literals(values) => {
            let values: Vec<String> = values.iter().map(|value| code(&plain(value))).collect();
            values.join(", ")
        }
        Kind::List(items) => format!("list of {}", kind_words(items)),
        Kind::Object(_) => "object".to_owned(),
        Kind::Record(values) => format!("map of name to {}", kind_words(values)),
        Kind::Union(forms) => {
            let mut words: Vec<String> = Vec::new();
            for form in forms.iter().map(kind_words) {
                if !words.contains(&form) {
                    words.push(form);
                }
            }
            words.join(" or ")
        }
    };
    let null = if schema.nullable { " or null" } else { "" };
    format!("{words}{null}")
}

fn bounds_words(bounds: &Bounds, kind: &Kind) -> String {
    let unit = match kind {
        Kind::Text => "character",
        Kind::List(_) => "item",
        _ => "",
    };
    let range = range_words(bounds.minimum.as_ref(), bounds.maximum.as_ref(), "");
    let length = range_words(bounds.shortest.as_ref(), bounds.longest.as_ref(), unit);
    let pattern = bounds.pattern.as_ref();
    let pattern = pattern.map(|pattern| format!(", matching {}", code(pattern)));
    format!("{range}{length}{}", pattern.unwrap_or_default())
}

fn range_words(least: Option<&Value>, most: Option<&Value>, unit: &str) -> String {
    let counted = |number: &Value| match (unit, number.as_u64()) {
        ("", _) => number.to_string(),
        (unit, Some(1)) => format!("1 {unit}"),
        (unit, _) => format!("{number} {unit}s"),
    };
    match (least, most) {
        (None, None) => String::new(),
        (Some(least), None) => format!(", at least {}", counted(least)),
        (None, Some(most)) => format!(", at most {}", counted(most)),
        (Some(least), Some(most)) => format!(", {least} to {}", counted(most)),
    }
}

fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

fn code(text: &str) -> String {
    cell(&format!("`{text}`"))
}

/// Text that stays within its cell.
pub(crate) fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn parsed(schema: &Value) -> Schema {
        Schema::parse(schema).unwrap()
    }

    #[test]
    fn parameters_are_reported_with_type_default_meaning_and_spellings() {
        let params = parsed(&json!({
            "type": "object",
            "properties": {
                "file_path": {"type": "string", "description": "Path of the file.", "minLength": 1},
                "limit": {"type": "integer", "description": "Most lines. Default: as many as fit. 0 for all.", "minimum": 1, "maximum": 9},
                "mode": {"enum": ["a", "b|c"], "description": "How.", "default": "a"},
                "edits": {
                    "type": "array",
                    "minItems": 1,
                    "description": "The pairs.",
                    "items": {"type": "object", "properties": {"oldText": {"type": "string", "description": "Old."}}, "required": ["oldText"], "additionalProperties": false},
                },
                "env": {"type": "object", "additionalProperties": {"type": "string"}, "description": "Variables."},
            },
            "required": ["file_path"],
            "additionalProperties": false,
        }));
        let aliases = [
            ("path".to_owned(), "file_path".to_owned()),
            ("file".to_owned(), "file_path".to_owned()),
        ];
        let expected = "\
| Parameter | Type | Required | Default | Meaning | Also accepted |
| --- | --- | --- | --- | --- | --- |
| `file_path` | string, at least 1 character | yes | | Path of the file. | `path`, `file` |
| `limit` | integer, 1 to 9 | no | as many as fit | Most lines. 0 for all. | |
| `mode` | `a`, `b\\|c` | no | `\"a\"` | How. | |
| `edits` | list of object, at least 1 item | no | | The pairs. | |
| `edits[].oldText` | string | yes | | Old. | |
| `env` | map of name to string | no | | Variables. | |
";
        assert_eq!(params_table(&params, &aliases), expected);
    }

    #[test]
    fn a_tool_without_parameters_says_so() {
        let none =
            parsed(&json!({"type": "object", "properties": {}, "additionalProperties": false}));
        assert_eq!(params_table(&none, &[]), "None.\n");
    }

    #[test]
    fn forms_of_details_have_a_table_each_and_forms_of_items_share_one() {
        let line = json!({"type": "object", "properties": {"file": {"type": "string", "description": "The file."}, "line": {"type": "integer", "description": "From 1."}}, "required": ["file", "line"], "additionalProperties": false});
        let file = json!({"type": "object", "properties": {"file": {"type": "string"}}, "required": ["file"], "additionalProperties": false});
        let text = json!({"type": "object", "description": "Matches.", "properties": {"matches": {"type": "array", "description": "All.", "items": {"anyOf": [line, file]}}}, "required": ["matches"], "additionalProperties": false});
        let image = json!({"type": "object", "description": "An image.", "properties": {"width": {"type": ["integer", "null"], "minimum": 0, "description": "In pixels."}}, "additionalProperties": false});
        let expected = "\
Either: Matches.

| Field | Type | Present | Meaning |
| --- | --- | --- | --- |
| `matches` | list of object | always | All. |
| `matches[].file` | string | always | The file. |
| `matches[].line` | integer | sometimes | From 1. |

Or: An image.

| Field | Type | Present | Meaning |
| --- | --- | --- | --- |
| `width` | integer or null | sometimes | In pixels. |
";
        assert_eq!(
            details_tables(&parsed(&json!({"anyOf": [text, image]}))),
            expected
        );
    }
}
