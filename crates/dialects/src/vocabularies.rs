//! The vocabularies: one table each.

use crate::dialect::{Dialect, DialectId};
use crate::{acp, agent, canonical, coder, manager};

impl DialectId {
    /// Its table.
    #[must_use]
    pub const fn dialect(self) -> &'static Dialect {
        match self {
            Self::Agent => &agent::DIALECT,
            Self::Canonical => &canonical::DIALECT,
            Self::Coder => &coder::DIALECT,
            Self::Manager => &manager::DIALECT,
            Self::Acp => &acp::DIALECT,
        }
    }
}
