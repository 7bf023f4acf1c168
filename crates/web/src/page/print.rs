//! Writes blocks down.

mod markdown;
mod plain;

pub(crate) use markdown::markdown;
pub(crate) use plain::plain;
