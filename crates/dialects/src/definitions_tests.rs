//! What models read before they call anything: every definition, and what it costs.

use serde_json::{Value, json};
use tenon_contract::{Group, Operation};

use crate::{Dialect, DialectId, Exposed, ShownTool, shown_together};

/// A definition as hosts send it.
fn definition(tool: &ShownTool) -> Value {
    json!({
        "name": tool.binding().name,
        "description": tool.description(),
        "parameters": tool.params_schema().as_ref(),
    })
}

/// Characters of all definitions, divided by four.
fn tokens(tools: &[ShownTool]) -> usize {
    let text = |tool: &ShownTool| definition(tool).to_string().chars().count();
    tools.iter().map(text).sum::<usize>() / 4
}

/// A definition as a user reads it.
fn reported(tool: &ShownTool) -> String {
    let mut text = format!("## {}\n\n{}\n", tool.binding().name, tool.description());
    report_members(tool.params_schema(), "", &mut text);
    text
}

fn report_members(schema: &Value, place: &str, text: &mut String) {
    let required = |name: &str| {
        let mut names = schema["required"].as_array().into_iter().flatten();
        names.any(|known| known == name)
    };
    for (name, member) in schema["properties"].as_object().into_iter().flatten() {
        let at = format!("{place}{name}");
        let mark = if required(name) { "" } else { "?" };
        let kind = member["type"].as_str().unwrap_or("any");
        let mut facts = vec![kind.to_owned()];
        for word in [
            "enum",
            "default",
            "minimum",
            "maximum",
            "minLength",
            "maxLength",
            "minItems",
            "maxItems",
            "pattern",
        ] {
            if let Some(value) = member.get(word) {
                facts.push(format!("{word} {value}"));
            }
        }
        let words = member["description"].as_str().unwrap_or_default();
        text.push_str(&format!("\n- `{at}`{mark} ({}): {words}", facts.join(", ")));
        report_members(member, &format!("{at}."), text);
        if member["items"]["properties"].is_object() {
            report_members(&member["items"], &format!("{at}[]."), text);
        }
    }
    if place.is_empty() {
        text.push('\n');
    }
}

#[test]
fn definitions_change_only_on_purpose() {
    for id in DialectId::ALL {
        let tools = shown_together(Exposed::all(id.dialect()));
        let all: Vec<String> = tools.iter().map(reported).collect();
        let lead = format!("{} tools, {} tokens\n\n", tools.len(), tokens(&tools));
        insta::assert_snapshot!(format!("definitions@{}", id.name()), lead + &all.join("\n"));
    }
}

#[test]
fn definitions_with_anchors_change_only_on_purpose() {
    for id in DialectId::ALL {
        let dialect = id.dialect();
        let rows = [Operation::Read, Operation::Edit].map(|operation| dialect.rows_for(operation));
        let rows = rows.into_iter().flatten().map(|row| row.with_anchors());
        let tools = shown_together(Exposed::new(rows.collect()));
        let all: Vec<String> = tools.iter().map(reported).collect();
        insta::assert_snapshot!(format!("anchors@{}", id.name()), all.join("\n"));
    }
}

#[test]
fn definitions_of_added_tools_change_only_on_purpose() {
    for id in DialectId::ALL {
        let dialect = id.dialect();
        let all = dialect.tools.iter().chain(dialect.extras()).collect();
        let tools = shown_together(Exposed::new(all));
        let added = tools.iter().skip(dialect.tools.len());
        let lines: Vec<String> = added
            .map(|tool| format!("{}: {}", tool.binding().name, tool.description()))
            .collect();
        insta::assert_snapshot!(format!("added@{}", id.name()), lines.join("\n"));
    }
}

/// Whether text still asks for names.
fn has_marks(text: &str) -> bool {
    ["{{", "}}", "[[", "]]"]
        .iter()
        .any(|mark| text.contains(mark))
}

#[test]
fn a_tool_that_is_exposed_alone_names_only_itself() {
    for id in DialectId::ALL {
        for row in id.dialect().tools.iter().chain(id.dialect().extras()) {
            let alone = shown_together(Exposed::new(vec![row]));
            let text: String = alone.iter().map(reported).collect();
            assert!(!has_marks(&text), "{}.{}: {text}", id.name(), row.name);
            assert!(!text.contains("  "), "{}.{}: {text}", id.name(), row.name);
        }
    }
}

/// What is shown without an option, a part of the host or a mode that brings a tool.
fn usual(dialect: &'static Dialect) -> Exposed {
    const OPTIONAL: &[Operation] = &[
        Operation::Browser,
        Operation::Canvas,
        Operation::Cron,
        Operation::ExitPlan,
        Operation::Memory,
        Operation::Message,
    ];
    let is_optional = |operation: Operation| {
        OPTIONAL.contains(&operation)
            || matches!(operation.group(), Group::Sessions | Group::Status)
    };
    let rows = dialect.tools.iter();
    Exposed::new(rows.filter(|row| !is_optional(row.operation)).collect())
}

#[test]
fn the_definitions_of_the_agent_vocabulary_stay_small() {
    const MOST: usize = 4_700;
    let table: Vec<(&str, usize, usize)> = DialectId::ALL
        .iter()
        .map(|id| {
            let tools = shown_together(usual(id.dialect()));
            (id.name(), tools.len(), tokens(&tools))
        })
        .collect();
    for (name, tools, tokens) in &table {
        println!("{name:10} {tools:3} tools {tokens:6} tokens");
    }
    let agent = table.iter().find(|(name, ..)| *name == "agent").unwrap();
    assert!(agent.2 <= MOST, "{} tokens of {MOST}", agent.2);
    for tool in shown_together(Exposed::all(DialectId::Agent.dialect())) {
        println!(
            "{:12} {:5}",
            tool.binding().name,
            tokens(std::slice::from_ref(&tool))
        );
    }
}
