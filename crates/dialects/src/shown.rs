//! The tools of one toolkit as its model sees them: every text names only what is exposed.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::sync::{Arc, LazyLock, OnceLock, PoisonError, RwLock};

use serde_json::{Value, json};
use tenon_contract::{DEFAULT_AGENT, Operation, Outcome, Output, ToolError};

use crate::ParamsCodec;
use crate::binding::{Decoded, ToolBinding};
use crate::budget::{take, with_budget};
use crate::issue::Issue;
use crate::plain_params::PlainParams;
use crate::template::{is_template, references, render};
use crate::words::{AgentKind, Exposed, Words};

/// One tool as a toolkit shows it.
#[derive(Debug, Clone)]
pub struct ShownTool {
    binding: &'static ToolBinding,
    exposed: Arc<Exposed>,
    /// Made at the first look: most toolkits use few of their tools, and all schemas together take a millisecond.
    texts: OnceLock<Box<Texts>>,
    /// What calls of it are plain; made at the first call.
    plain: OnceLock<PlainParams>,
}

/// What a tool shows.
#[derive(Debug, Clone)]
struct Texts {
    description: &'static str,
    schema: Cow<'static, Value>,
    checked: Cow<'static, Value>,
}

/// The texts of a row among certain tools.
struct Rendered {
    description: String,
    /// As models see it.
    schema: Value,
    /// What calls are checked against: the same with bounds that are not worth showing.
    checked: Value,
}

/// Bounds of times that JavaScript's timers set, in milliseconds and in seconds, and a week: nobody comes near them.
const UNREACHED: [u64; 3] = [2_147_483_000, 2_147_483, 604_800];

/// A row by its address, and what each name that its texts ask for stands for.
type Key = (usize, Vec<Option<&'static str>>);

/// Rendered once per process and set of names, since hosts make many toolkits that are alike.
static RENDERED: LazyLock<RwLock<HashMap<Key, &'static Rendered>>> = LazyLock::new(RwLock::default);

/// The names that the texts of a row ask for, by its address.
static REFERENCES: LazyLock<RwLock<HashMap<usize, &'static [&'static str]>>> =
    LazyLock::new(RwLock::default);

impl ShownTool {
    /// The tool among those that are exposed with it.
    #[must_use]
    pub const fn new(binding: &'static ToolBinding, exposed: Arc<Exposed>) -> Self {
        Self {
            binding,
            exposed,
            texts: OnceLock::new(),
            plain: OnceLock::new(),
        }
    }

    fn texts(&self) -> &Texts {
        self.texts.get_or_init(|| {
            let rendered = rendered(self.binding, &self.exposed);
            let agents = &self.exposed.agents;
            Box::new(Texts {
                description: &rendered.description,
                schema: match self.exposed.budget_of(self.binding) {
                    Some(name) => {
                        with_budget(name, with_agents(self.binding, agents, &rendered.schema))
                    }
                    None => with_agents(self.binding, agents, &rendered.schema),
                },
                checked: with_agents(self.binding, agents, &rendered.checked),
            })
        })
    }

    /// The row of the vocabulary.
    #[must_use]
    pub fn binding(&self) -> &'static ToolBinding {
        self.binding
    }

    /// What the model reads about it.
    #[must_use]
    pub fn description(&self) -> &'static str {
        self.texts().description
    }

    /// The schema of its parameters that the model sees.
    #[must_use]
    pub fn params_schema(&self) -> &Cow<'static, Value> {
        &self.texts().schema
    }

    /// What its texts can name.
    #[must_use]
    pub fn words(&self) -> Words<'_> {
        Words {
            exposed: &self.exposed,
            row: self.binding,
        }
    }

    /// Turns what the model sent into what the operation takes.
    ///
    /// # Errors
    /// Every fault at once, each with its place.
    pub fn decode(&self, mut wire: Value) -> Result<Decoded, Vec<Issue>> {
        let schema = &*self.texts().checked;
        let checked = (schema, self.plain.get_or_init(|| PlainParams::of(schema)));
        let Some(name) = self.exposed.budget_of(self.binding) else {
            return self.binding.decode_by(checked, wire);
        };
        let budget = take(name, &mut wire);
        let decoded = self.binding.decode_by(checked, wire);
        match (decoded, budget) {
            (Ok(mut decoded), Ok(budget)) => {
                decoded.max_tokens = budget;
                // The one who sees the call sees what the model has sent.
                if let (Some(most), Some(members)) = (budget, decoded.wire.as_object_mut()) {
                    members.insert(name.to_owned(), most.into());
                }
                Ok(decoded)
            }
            (Ok(_), Err(issue)) => Err(vec![issue]),
            (Err(mut issues), budget) => {
                issues.extend(budget.err());
                Err(issues)
            }
        }
    }

    /// Turns the operation's output into an answer.
    ///
    /// # Errors
    /// Only when the table is wrong, which the conformance tests exclude.
    pub fn render(&self, output: Box<dyn Output>) -> Result<Outcome, ToolError> {
        self.binding.renderer.render(output, &self.words())
    }
}

/// All tools of a vocabulary, as they are shown together.
#[must_use]
pub fn shown_together(exposed: Exposed) -> Vec<ShownTool> {
    let exposed = Arc::new(exposed);
    let rows = exposed.rows.clone();
    rows.into_iter()
        .map(|row| ShownTool::new(row, exposed.clone()))
        .collect()
}

/// What is asked for by the texts of a row.
fn asked(row: &'static ToolBinding) -> &'static [&'static str] {
    let address = std::ptr::from_ref(row).addr();
    let known = REFERENCES.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(asked) = known.get(&address) {
        return asked;
    }
    drop(known);
    let mut found: BTreeSet<&'static str> = BTreeSet::new();
    references(row.description, &mut found);
    in_texts(row.params_schema(), &mut |text| {
        references(text, &mut found)
    });
    if let ParamsCodec::Fields(fields) = row.params {
        found.extend(
            fields
                .iter()
                .filter_map(|field| field.needs)
                .map(Operation::name),
        );
    }
    let asked: &'static [&'static str] = Box::leak(found.into_iter().collect());
    let mut known = REFERENCES.write().unwrap_or_else(PoisonError::into_inner);
    known.entry(address).or_insert(asked)
}

fn rendered(row: &'static ToolBinding, exposed: &Exposed) -> &'static Rendered {
    let names = asked(row).iter().map(|name| exposed.named(name)).collect();
    let key = (std::ptr::from_ref(row).addr(), names);
    let known = RENDERED.read().unwrap_or_else(PoisonError::into_inner);
    if let Some(rendered) = known.get(&key) {
        return rendered;
    }
    drop(known);
    let name = |name: &str| exposed.named(name);
    let mut schema = row.params_schema().clone();
    leave_out(row, exposed, &mut schema);
    render_texts(&mut schema, &name);
    let checked = schema.clone();
    leave_out_unreached(&mut schema);
    let built: &'static Rendered = Box::leak(Box::new(Rendered {
        description: render(row.description.trim_ascii_end(), &name),
        schema,
        checked,
    }));
    let mut known = RENDERED.write().unwrap_or_else(PoisonError::into_inner);
    known.entry(key).or_insert(built)
}

/// Takes out the parameters that lead to a tool that is not exposed.
fn leave_out(row: &ToolBinding, exposed: &Exposed, schema: &mut Value) {
    let ParamsCodec::Fields(fields) = row.params else {
        return;
    };
    let gone = fields.iter().filter(|field| {
        field
            .needs
            .is_some_and(|needed| exposed.tool(needed).is_none())
    });
    let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) else {
        return;
    };
    for field in gone {
        properties.shift_remove(field.wire);
    }
}

/// Takes out bounds that nobody reaches.
fn leave_out_unreached(schema: &mut Value) {
    match schema {
        Value::Object(node) => {
            let bound = node.get("maximum").and_then(Value::as_u64);
            if bound.is_some_and(|bound| UNREACHED.contains(&bound)) {
                node.shift_remove("maximum");
            }
            node.values_mut().for_each(leave_out_unreached);
        }
        Value::Array(nodes) => nodes.iter_mut().for_each(leave_out_unreached),
        _ => {}
    }
}

/// Every description in a schema.
fn in_texts(schema: &'static Value, see: &mut dyn FnMut(&'static str)) {
    match schema {
        Value::Object(node) => {
            for (word, value) in node {
                match value {
                    Value::String(text) if word == "description" => see(text),
                    _ => in_texts(value, see),
                }
            }
        }
        Value::Array(nodes) => nodes.iter().for_each(|node| in_texts(node, see)),
        _ => {}
    }
}

fn render_texts(schema: &mut Value, name: &dyn Fn(&str) -> Option<&'static str>) {
    match schema {
        Value::Object(node) => {
            for (word, value) in node {
                match value {
                    Value::String(text) if word == "description" => {
                        if is_template(text) {
                            *text = render(text, name);
                        }
                    }
                    _ => render_texts(value, name),
                }
            }
        }
        Value::Array(nodes) => nodes.iter_mut().for_each(|node| render_texts(node, name)),
        _ => {}
    }
}

/// Has the schema require a member.
fn require(schema: &mut Value, name: &str) {
    let Value::Object(node) = schema else { return };
    let required = node.entry("required").or_insert_with(|| json!([]));
    if let Value::Array(required) = required
        && !required.iter().any(|known| known == name)
    {
        required.push(name.into());
    }
}

/// The schema with the agents that the host has, where the tool hands work to one.
fn with_agents(
    row: &ToolBinding,
    agents: &[AgentKind],
    schema: &'static Value,
) -> Cow<'static, Value> {
    let (member, kinds_of) = match row.operation {
        Operation::Message => ("channel", Operation::Message),
        Operation::SessionsSpawn => ("agent", Operation::Task),
        other => ("agent", other),
    };
    let words = match row.operation {
        Operation::Message => "The channel.",
        _ => "The agent to use.",
    };
    let agents: Vec<&AgentKind> = agents
        .iter()
        .filter(|agent| agent.operation == kinds_of)
        .collect();
    let (Some(name), false) = (row.name_of(member), agents.is_empty()) else {
        return Cow::Borrowed(schema);
    };
    let mut schema = schema.clone();
    let names: Vec<&str> = agents.iter().map(|agent| agent.name.as_str()).collect();
    let described: Vec<String> = agents
        .iter()
        .filter(|agent| !agent.description.is_empty())
        .map(|agent| format!("`{}`: {}", agent.name, agent.description.trim()))
        .collect();
    let kinds = match described.join("; ") {
        kinds if kinds.is_empty() => kinds,
        kinds => format!(" {kinds}"),
    };
    if let Some(node) = schema
        .pointer_mut(&format!("/properties/{name}"))
        .and_then(Value::as_object_mut)
    {
        node.insert("description".into(), format!("{words}{kinds}").into());
        node.insert("enum".into(), json!(names));
    }
    // Without a name it is `default`, which is an agent only where the host says so.
    if row.operation == Operation::SessionsSpawn && !names.contains(&DEFAULT_AGENT) {
        require(&mut schema, name);
    }
    Cow::Owned(schema)
}
