//! x
use tenon_contract::Operation;
pub(crate) const DIALECTS: &[&str] = &[];
pub(crate) const NAMES: &[(&str, Operation)] = &[];
pub(crate) const OWN_MEANINGS: &[(&str, &str, Operation)] = &[];
