//! One tool of one dialect: an operation under a name, with its spelling and its rendering.
//!
//! What becomes of the parameters of a call, in order, each with the reason for its place ([`ToolBinding::decode`]):
//!
//! | stage | does | why here |
//! | --- | --- | --- |
//! | `reshape` | a call in the shape of another agent's tool becomes one of ours | the other stages look for members where the schema has them |
//! | `from_openclaw` | jobs as OpenClaw spells them | a shape of its own, before names are compared |
//! | `time_units` | time limits in seconds and milliseconds | by the names of both units, before they are other spellings |
//! | `repair` | spellings of names, texts for numbers and booleans | only what has one meaning; what it changes is reported as a [`Repair`] |
//! | `ignored_params` | takes out members that change nothing | after repair, since a member may only be spelled differently |
//! | `validate` | every remaining fault at once | nothing below sees parameters that do not fit |
//! | [`Field`] or [`WireParams`] | the names and values of the operation: JSON, or its own struct | the last: from here on no dialect is known |
//!
//! The stages from `time_units` to `validate` are skipped for parameters that are plain ([`PlainParams`]): they would find nothing.

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tenon_contract::{AnyParams, Operation, OperationParams};

use crate::automation::from_openclaw;
use crate::empty_params::leave_out_empty;
use crate::ignored_params::leave_out;
use crate::issue::{Issue, IssueCode, Repair};
use crate::plain_params::PlainParams;
use crate::reshape::reshape;
use crate::schema_source::SchemaSource;
use crate::time_units::in_own_unit;
use crate::{Convert, Field, Renderer, repair, validate};
use tenon_contract::normalise;

/// One row of a dialect.
#[derive(Debug, Clone, Copy)]
pub struct ToolBinding {
    /// The capability behind it.
    pub operation: Operation,
    /// What the model calls.
    pub name: &'static str,
    /// What a user sees.
    pub label: &'static str,
    /// What the model reads about it.
    pub description: &'static str,
    /// Where a registry files it.
    pub category: Category,
    /// From which level of the dialect on it is exposed; 0 for a companion outside the levels.
    pub level: u8,
    /// How its parameters are spelled.
    pub params: ParamsCodec,
    /// The operation's own parameter schema, from which the wire schema is projected.
    pub operation_params: SchemaSource,
    /// How its output is rendered.
    pub renderer: Renderer,
}

/// How wire parameters become parameters of the operation.
#[derive(Debug, Clone, Copy)]
pub enum ParamsCodec {
    /// Row by row.
    Fields(&'static [Field]),
    /// By a wire struct of its own, where the structure differs.
    Typed(TypedParams),
}

/// A wire struct whose structure differs from the operation's parameters.
pub trait WireParams: DeserializeOwned + JsonSchema {
    /// The operation's parameters.
    type Params: AnyParams;
    /// Spellings that models use, and the parameter each is taken for.
    const ALIASES: &'static [(&'static str, &'static str)] = &[];

    /// Places in the schema, such as `todos[].status`, and their texts where those of the type do not fit.
    const TEXTS: &'static [(&'static str, &'static str)] = &[];
    /// Parameters of the operation, and what each is called here.
    const NAMES: &'static [(&'static str, &'static str)] = &[];

    /// The operation's parameters, or every fault that the schema cannot state.
    ///
    /// # Errors
    /// All faults at once.
    fn into_operation(self) -> Result<Self::Params, Vec<Issue>>;
}

/// [`WireParams`] with its type erased.
#[derive(Debug, Clone, Copy)]
pub struct TypedParams {
    #[cfg(debug_assertions)]
    pub(crate) schema: SchemaSource,
    aliases: &'static [(&'static str, &'static str)],
    names: &'static [(&'static str, &'static str)],
    decode: fn(Value) -> Result<OperationParams, Vec<Issue>>,
}

impl ParamsCodec {
    /// The way of `T`.
    #[must_use]
    pub const fn typed<T: WireParams>() -> Self {
        Self::Typed(TypedParams {
            #[cfg(debug_assertions)]
            schema: SchemaSource::made_by(wire_params::<T>),
            aliases: T::ALIASES,
            names: T::NAMES,
            decode: decode_typed::<T>,
        })
    }
}

/// The parameters of `T` with the texts that the dialect has for them.
#[cfg(debug_assertions)]
fn wire_params<T: WireParams>() -> Value {
    let mut schema = tenon_contract::schema_for_models::<T>();
    for (way, text) in T::TEXTS {
        let pointer: String = way
            .split('.')
            .map(|step| match step.strip_suffix("[]") {
                Some(list) => format!("/properties/{list}/items"),
                None => format!("/properties/{step}"),
            })
            .collect();
        if let Some(node) = schema.pointer_mut(&pointer).and_then(Value::as_object_mut) {
            node.insert("description".into(), (*text).into());
        }
    }
    schema
}

fn decode_typed<T: WireParams>(value: Value) -> Result<OperationParams, Vec<Issue>> {
    let wire: T = serde_json::from_value(value).map_err(|error| {
        let message = format!("The parameters do not match the schema: {error}.");
        vec![Issue::new("", IssueCode::TypeMismatch, message)]
    })?;
    let params = wire.into_operation()?;
    Ok(OperationParams::Typed(Box::new(params)))
}

/// Where a registry files a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// Reading and changing files.
    FileSystem,
    /// Looking into code.
    CodeAnalysis,
    /// Running tests.
    Testing,
    /// Compiler and linter findings.
    Diagnostics,
    /// Finding files and text.
    Search,
    /// Changing code by its structure.
    Refactoring,
    /// Version control.
    Git,
    /// Everything small.
    Utility,
    /// Commands and processes.
    Runtime,
    /// The network.
    Web,
    /// Sessions, tasks, questions.
    Session,
    /// Messages.
    Messaging,
}

/// Parameters that an operation takes, and what was put right on the way.
#[derive(Debug)]
pub struct Decoded {
    /// As the operation takes them.
    pub params: OperationParams,
    /// As the dialect spells them, after repair.
    pub wire: Value,
    /// What was put right.
    pub repairs: Vec<Repair>,
    /// The budget of the result that the model has asked for, where it may.
    pub max_tokens: Option<usize>,
}

impl ToolBinding {
    /// Turns what the model sent into what the operation takes.
    ///
    /// # Errors
    /// Every fault at once, each with its place.
    pub fn decode(&'static self, wire: Value) -> Result<Decoded, Vec<Issue>> {
        self.decode_by((self.params_schema(), &PlainParams::default()), wire)
    }

    /// The same by the schema that a toolkit shows, and by what of it is plain.
    pub(crate) fn decode_by(
        &self,
        (schema, plain): (&Value, &PlainParams),
        wire: Value,
    ) -> Result<Decoded, Vec<Issue>> {
        let mut wire = wire;
        let mut repairs = reshape(self.operation, schema, &mut wire);
        repairs.extend(from_openclaw(self.operation, &mut wire));
        if !plain.hold(&wire) {
            (wire, repairs) = self.repaired(schema, wire, repairs)?;
        }
        let params = match self.params {
            ParamsCodec::Typed(typed) => (typed.decode)(wire.clone())?,
            ParamsCodec::Fields(fields) => map_fields(fields, &wire).into(),
        };
        Ok(Decoded {
            params,
            wire,
            repairs,
            max_tokens: None,
        })
    }

    /// The parameters with what is put right, added to what was before, or every fault that is left.
    fn repaired(
        &self,
        schema: &Value,
        wire: Value,
        mut repairs: Vec<Repair>,
    ) -> Result<(Value, Vec<Repair>), Vec<Issue>> {
        let mut wire = wire;
        // Other operations have limits of another kind under this name.
        let limit = (self.operation == Operation::Execute).then(|| self.time_limit_name());
        repairs.extend(
            limit
                .flatten()
                .and_then(|limit| in_own_unit(limit, &mut wire)),
        );
        let (mut wire, repaired) = repair::repair(wire, schema, || self.aliases(), &self.numbers());
        repairs.extend(repaired);
        repairs.extend(leave_out(self.operation, schema, &mut wire));
        repairs.extend(leave_out_empty(self.operation, schema, &mut wire));
        let mut issues = validate::validate(schema, &wire);
        if issues.is_empty() {
            return Ok((wire, repairs));
        }
        if let ParamsCodec::Typed(typed) = self.params {
            issues.extend(faults_of_shape(typed, schema, &wire, &issues));
        }
        Err(issues)
    }

    /// What the model calls a parameter of the operation, if it has it here with the same meaning.
    #[must_use]
    pub fn name_of(&self, operation: &str) -> Option<&'static str> {
        self.row_of(operation).map(|(wire, _)| wire)
    }

    /// What the model calls the time limit of a command, and whether it gives seconds.
    #[must_use]
    pub fn time_limit_name(&self) -> Option<(&'static str, bool)> {
        let ParamsCodec::Fields(fields) = self.params else {
            return None;
        };
        { fields.iter() }
            .find(|field| field.operation == "timeout" && !field.wire.is_empty())
            .map(|field| (field.wire, matches!(field.convert, Convert::Seconds)))
    }

    /// The same with the operation without which there is no such parameter.
    pub(crate) fn row_of(&self, operation: &str) -> Option<(&'static str, Option<Operation>)> {
        match self.params {
            ParamsCodec::Typed(typed) => {
                let mut names = typed.names.iter();
                names
                    .find(|(own, _)| *own == operation)
                    .map(|(_, wire)| (*wire, None))
            }
            ParamsCodec::Fields(fields) => fields
                .iter()
                .find(|field| field.operation == operation && field.convert.keeps_meaning())
                .map(|field| (field.wire, field.needs)),
        }
    }

    /// Parameters in which a number can have meant its digits.
    fn numbers(&self) -> Vec<&'static str> {
        match self.params {
            ParamsCodec::Typed(_) => Vec::new(),
            ParamsCodec::Fields(fields) => {
                let taken = fields.iter().filter(|field| field.digits);
                taken.map(|field| field.wire).collect()
            }
        }
    }

    /// Other spellings of parameters, and the parameter each is taken for. Differences of case, `_`
    /// and `-` are forgiven without an entry here.
    #[must_use]
    pub fn aliases(&self) -> Vec<(&'static str, &'static str)> {
        match self.params {
            ParamsCodec::Typed(typed) => typed.aliases.to_vec(),
            ParamsCodec::Fields(fields) => {
                let own: HashSet<String> =
                    fields.iter().map(|field| normalise(field.wire)).collect();
                // Lists of spellings are shared; what is a parameter here is no spelling of another.
                let is_free = |alias: &str| !own.contains(&normalise(alias));
                let spellings = fields
                    .iter()
                    .flat_map(|field| field.aliases.iter().map(|alias| (*alias, field.wire)));
                spellings.filter(|(alias, _)| is_free(alias)).collect()
            }
        }
    }
}

/// Faults that the schema of a typed shape cannot state, beside those that it has found.
fn faults_of_shape(
    typed: TypedParams,
    schema: &Value,
    wire: &Value,
    found: &[Issue],
) -> Vec<Issue> {
    let Some(sound) = validate::sound(schema, wire) else {
        return Vec::new();
    };
    let issues = (typed.decode)(sound).err().unwrap_or_default();
    // Within what was replaced by something sound there is nothing that was sent.
    let is_new = |issue: &Issue| {
        !issue.param.is_empty()
            && !found
                .iter()
                .any(|known| is_within(&issue.param, &known.param))
    };
    issues.into_iter().filter(is_new).collect()
}

/// Whether one place is another one or within it: `edits[0].oldText` in `edits[0]`.
fn is_within(place: &str, other: &str) -> bool {
    let rest = place.strip_prefix(other);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

fn map_fields(fields: &[Field], wire: &Value) -> Value {
    fields
        .iter()
        .filter_map(|field| {
            let given = wire
                .get(field.wire)
                .cloned()
                .map(|value| field.to_operation(value));
            given
                .or_else(|| field.absent())
                .map(|value| (field.operation.to_owned(), value))
        })
        .collect::<Map<_, _>>()
        .into()
}
