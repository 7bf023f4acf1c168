//! Numbers of options that have bounds.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Error, Unexpected};
use serde::{Deserialize, Deserializer, Serialize};

/// A whole number from `MIN` to `MAX`. Others are refused when options are read, and the schema names both bounds.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Within<T, const MIN: u64, const MAX: u64 = { u64::MAX }>(T);

impl<T: Copy, const MIN: u64, const MAX: u64> Within<T, MIN, MAX> {
    /// The number.
    pub const fn get(self) -> T {
        self.0
    }
}

impl<const MIN: u64, const MAX: u64> Within<u64, MIN, MAX> {
    /// The time of so many milliseconds.
    pub const fn millis(self) -> Duration {
        Duration::from_millis(self.0)
    }
}

impl<T: fmt::Debug, const MIN: u64, const MAX: u64> fmt::Debug for Within<T, MIN, MAX> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl<'de, T: TryFrom<u64>, const MIN: u64, const MAX: u64> Deserialize<'de>
    for Within<T, MIN, MAX>
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = u64::deserialize(deserializer)?;
        let wrong = || {
            let expected = format!("a number from {MIN} to {MAX}");
            D::Error::invalid_value(Unexpected::Unsigned(number), &expected.as_str())
        };
        if !(MIN..=MAX).contains(&number) {
            return Err(wrong());
        }
        T::try_from(number).map(Self).map_err(|_| wrong())
    }
}

impl<T: JsonSchema, const MIN: u64, const MAX: u64> JsonSchema for Within<T, MIN, MAX> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        format!("{}_from_{MIN}_to_{MAX}", T::schema_name()).into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = T::json_schema(generator);
        schema.insert("minimum".to_owned(), MIN.into());
        if MAX < u64::MAX {
            schema.insert("maximum".to_owned(), MAX.into());
        }
        schema
    }
}

/// An amount of money or the like: 0 or more.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Amount(f64);

impl Amount {
    /// The number.
    pub const fn get(self) -> f64 {
        self.0
    }
}

impl<'de> Deserialize<'de> for Amount {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let number = f64::deserialize(deserializer)?;
        if number >= 0.0 {
            return Ok(Self(number));
        }
        Err(D::Error::invalid_value(
            Unexpected::Float(number),
            &"a number of at least 0",
        ))
    }
}

impl JsonSchema for Amount {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Amount".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let mut schema = f64::json_schema(generator);
        schema.insert("minimum".to_owned(), 0.into());
        schema
    }
}
