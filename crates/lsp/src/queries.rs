//! Questions about the code and the changes that a server proposes.

pub(crate) mod address;
pub(crate) mod ask;
pub(crate) mod code_actions;
pub(crate) mod declared;
pub(crate) mod query;
pub(crate) mod workspace_edit;
