//! One row of a parameter table: how a wire parameter maps to a parameter of the operation.

use serde_json::Value;
use tenon_contract::Operation;

/// One wire parameter of a tool. Types, ranges, enums and descriptions come from the operation's
/// own schema; a row only renames, hides, converts or re-words.
#[derive(Debug, Clone, Copy)]
pub struct Field {
    /// What the model calls it; empty for a value that the dialect fixes.
    pub wire: &'static str,
    /// The parameter of the operation.
    pub operation: &'static str,
    /// Other spellings that are taken for it. Differences of case, `_` and `-` need no entry.
    pub aliases: &'static [&'static str],
    /// Words of its own, where those of the operation do not fit.
    pub description: Option<&'static str>,
    /// Whether the model must give it, where that differs from the operation.
    pub required: Option<bool>,
    /// The smallest number that is taken, where that differs from the operation.
    pub minimum: Option<u64>,
    /// How its value is turned into the operation's.
    pub convert: Convert,
    /// The operation without which it leads nowhere: where its tool is not exposed, there is no such parameter.
    pub needs: Option<Operation>,
    /// Whether the vocabulary says `number` where the operation takes whole ones; a fraction is cut off.
    pub number: bool,
    /// Whether a whole number can have meant its digits, where a text belongs.
    pub digits: bool,
}

/// Notebooks are shown as cells in every vocabulary.
pub(crate) const NOTEBOOK_CELLS: Field = Field::fixed("notebook", || Value::Bool(true));

/// The order of what a search finds.
pub(crate) const NEWEST: Field = Field::same("order")
    .aliases(&["sort", "sort_by"])
    .describe("Order; `modified` puts the newest first. Default: `path`.");
/// The wish to see what ignore files exclude.
pub(crate) const IGNORED: Field = Field::same("ignored").aliases(&["no_ignore", "include_ignored"]);

/// How a wire value becomes an operation's value. A converting row must bring its own description,
/// since the operation's words speak of another unit.
#[derive(Debug, Clone, Copy)]
pub enum Convert {
    /// Taken as it is.
    Same,
    /// Seconds, fractions allowed, to whole milliseconds.
    Seconds,
    /// Numbered from 0 here, from 1 in the operation.
    ZeroBased,
    /// Any whole number: below 1 it counts as not given, above `most` as `most`.
    Clamped {
        /// What stands for a number that is not given, and for those below 1.
        absent: u64,
        /// The largest that has an effect.
        most: u64,
    },
    /// The same, but for the operation a number that is not given is absent.
    ClampedIfGiven {
        /// What stands for numbers below 1, and what a number that is not given comes to.
        absent: u64,
        /// The largest that has an effect.
        most: u64,
    },
    /// Yes here is no in the operation.
    Negated {
        /// The operation's value when the model gives none.
        absent: bool,
    },
    /// Not shown to the model: always this value.
    Fixed(fn() -> Value),
    /// This value when the model gives none.
    Default(fn() -> Value),
    /// ResultView to the model as the default, which is the operation's own: nothing is put in its place.
    Stated(fn() -> Value),
}

impl Convert {
    /// Whether texts about the parameter of the operation can name the one here: a value means the same, if in another unit.
    pub(crate) const fn keeps_meaning(self) -> bool {
        matches!(
            self,
            Self::Same
                | Self::Seconds
                | Self::Default(_)
                | Self::Stated(_)
                | Self::Clamped { .. }
                | Self::ClampedIfGiven { .. }
        )
    }
}

impl Field {
    /// The same name on both sides.
    #[must_use]
    pub const fn same(name: &'static str) -> Self {
        Self::renamed(name, name)
    }

    /// `wire` for the model, `operation` below.
    #[must_use]
    pub const fn renamed(wire: &'static str, operation: &'static str) -> Self {
        Self {
            wire,
            operation,
            aliases: &[],
            description: None,
            required: None,
            minimum: None,
            convert: Convert::Same,
            needs: None,
            number: false,
            digits: false,
        }
    }

    /// A value that the dialect fixes and the model does not see.
    #[must_use]
    pub const fn fixed(operation: &'static str, value: fn() -> Value) -> Self {
        Self {
            convert: Convert::Fixed(value),
            ..Self::renamed("", operation)
        }
    }

    /// Other spellings that models use.
    #[must_use]
    pub const fn aliases(self, aliases: &'static [&'static str]) -> Self {
        Self { aliases, ..self }
    }

    /// Words of its own.
    #[must_use]
    pub const fn describe(self, description: &'static str) -> Self {
        Self {
            description: Some(description),
            ..self
        }
    }

    /// Must be given here, though the operation has a default.
    #[must_use]
    pub const fn required(self) -> Self {
        Self {
            required: Some(true),
            ..self
        }
    }

    /// Zero has no meaning here: some hosts turn an absent number into 0.
    #[must_use]
    pub const fn at_least_one(self) -> Self {
        Self {
            minimum: Some(1),
            ..self
        }
    }

    /// A whole number is taken for its digits: what is looked for or picked out has no other spelling.
    #[must_use]
    pub const fn digits(self) -> Self {
        Self {
            digits: true,
            ..self
        }
    }

    /// Said to be a `number`, as the vocabulary has it.
    #[must_use]
    pub const fn number(self) -> Self {
        Self {
            number: true,
            ..self
        }
    }

    /// Only there where the tool for this operation is exposed.
    #[must_use]
    pub const fn needs(self, operation: Operation) -> Self {
        Self {
            needs: Some(operation),
            ..self
        }
    }

    /// Converted on its way.
    #[must_use]
    pub const fn convert(self, convert: Convert) -> Self {
        Self { convert, ..self }
    }

    /// The operation's value of a wire value that fits the schema.
    pub(crate) fn to_operation(self, value: Value) -> Value {
        match self.convert {
            // Saturating by the language's rules.
            _ if self.number => match value.as_f64() {
                Some(number) if !value.is_u64() => Value::from(number.floor() as u64),
                _ => value,
            },
            Convert::Same | Convert::Fixed(_) | Convert::Default(_) | Convert::Stated(_) => value,
            Convert::Seconds => value.as_f64().map_or(value, |seconds| {
                // Saturating by the language's rules; a positive wish never becomes zero.
                let millis = (seconds * 1000.0).ceil() as u64;
                Value::from(millis)
            }),
            Convert::ZeroBased => value
                .as_u64()
                .map_or(value, |index| Value::from(index.saturating_add(1))),
            Convert::Negated { .. } => value.as_bool().map_or(value, |yes| Value::Bool(!yes)),
            Convert::Clamped { absent, most } | Convert::ClampedIfGiven { absent, most } => {
                // What fits the schema is whole, and without a sign or negative.
                let given = value.as_u64().filter(|number| *number > 0);
                Value::from(given.unwrap_or(absent).min(most))
            }
        }
    }

    /// What stands for an absent value.
    pub(crate) fn absent(&self) -> Option<Value> {
        match self.convert {
            Convert::Fixed(value) | Convert::Default(value) => Some(value()),
            Convert::Clamped { absent, .. } => Some(Value::from(absent)),
            Convert::Negated { absent } => Some(Value::from(absent)),
            _ => None,
        }
    }
}
