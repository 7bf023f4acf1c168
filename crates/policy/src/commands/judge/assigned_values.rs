//! What the assignments of a text give to its variables: found out once for each variable, however often it is used.

use std::cell::RefCell;

use hashbrown::HashMap;

/// What a variable can hold.
#[derive(Debug, Clone, Default)]
pub(crate) struct Values {
    /// Texts.
    pub(crate) texts: Vec<String>,
    /// Whether it can hold something else that is no option.
    pub(crate) plain: bool,
}

/// What assignments give to one variable, if there are some; nothing where that cannot be determined.
pub(crate) type Given = Option<Option<Values>>;

/// What assignments give to variables, by their names, as far as that was asked.
#[derive(Default)]
pub(crate) struct AssignedValues(RefCell<HashMap<String, Given>>);

impl AssignedValues {
    /// What assignments give to this variable, which `find` finds.
    pub(crate) fn of(&self, name: &str, find: impl FnOnce() -> Given) -> Given {
        if let Some(known) = self.0.borrow().get(name) {
            return known.clone();
        }
        let found = find();
        self.0.borrow_mut().insert(name.to_owned(), found.clone());
        found
    }
}
