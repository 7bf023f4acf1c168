//! What is done in a session: one method for each action of the tool.

pub(crate) mod act;
pub(crate) mod aim;
pub(crate) mod capture;
pub(crate) mod deliver;
pub(crate) mod dialog;
pub(crate) mod evaluate;
pub(crate) mod files;
pub(crate) mod forms;
pub(crate) mod inspect;
pub(crate) mod navigate;
pub(crate) mod picture;
pub(crate) mod wait;
