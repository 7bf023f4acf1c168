//! References: each number leads to one element of one document and is never given twice.

use std::collections::{BTreeMap, HashMap};

use tenon_contract::limits;

use crate::BrowserError;

/// Where an element is: in which tab, frame and document, and its number there.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    pub(crate) tab: String,
    pub(crate) frame: String,
    pub(crate) loader: String,
    pub(crate) id: u32,
}

/// What a reference was shown as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Shown {
    pub(crate) place: Place,
    /// Whether it stands for folded rows instead of an element.
    pub(crate) is_fold: bool,
    pub(crate) role: String,
    pub(crate) name: String,
    /// Stands for the whole of role and name, however long.
    pub(crate) key: String,
    /// What the row around it says.
    pub(crate) row: String,
}

impl Shown {
    /// As it is called in errors: `button "Save"`.
    pub(crate) fn label(&self) -> String {
        let name = match self.name.as_str() {
            "" => String::new(),
            name => format!(" \"{name}\""),
        };
        match self.row.as_str() {
            "" => format!("{}{name}", self.role),
            row => format!("{}{name} in the row \"{row}\"", self.role),
        }
    }
}

/// The references of a session.
#[derive(Debug, Default)]
pub(crate) struct Refs {
    last: u32,
    shown: BTreeMap<u32, Shown>,
    numbers: HashMap<Place, u32>,
}

impl Refs {
    /// The number of an element that is being shown: the one it has, or a new one.
    pub(crate) fn show(&mut self, shown: Shown) -> u32 {
        if let Some(number) = self.numbers.get(&shown.place) {
            let number = *number;
            self.shown.insert(number, shown);
            return number;
        }
        self.last += 1;
        self.numbers.insert(shown.place.clone(), self.last);
        self.shown.insert(self.last, shown);
        if self.shown.len() > limits::BROWSER_REFS_MAX
            && let Some((_, oldest)) = self.shown.pop_first()
        {
            self.numbers.remove(&oldest.place);
        }
        self.last
    }

    /// The number that an element has, if it was ever shown.
    #[cfg(test)]
    pub(crate) fn number(&self, place: &Place) -> Option<u32> {
        self.numbers.get(place).copied()
    }

    /// Numbers and elements of one document that were shown.
    pub(crate) fn of_document(&self, tab: &str, frame: &str, loader: &str) -> Vec<(u32, u32)> {
        let is_there =
            |place: &Place| place.tab == tab && place.frame == frame && place.loader == loader;
        self.shown
            .iter()
            .filter(|(_, shown)| !shown.is_fold && is_there(&shown.place))
            .map(|(number, shown)| (*number, shown.place.id))
            .collect()
    }

    /// What a reference was shown as.
    pub(crate) fn find(&self, reference: &str) -> Result<&Shown, BrowserError> {
        let unknown = || BrowserError::UnknownRef(reference.chars().take(40).collect());
        let number = reference
            .trim()
            .trim_matches(['[', ']'])
            .strip_prefix(['e', 'r'])
            .and_then(|digits| digits.parse::<u32>().ok())
            .ok_or_else(unknown)?;
        match self.shown.get(&number) {
            Some(shown) => Ok(shown),
            None if number != 0 && number <= self.last => Err(BrowserError::StaleRef {
                reference: reference.to_owned(),
                was: String::new(),
                candidates: Vec::new(),
            }),
            None => Err(unknown()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(loader: &str, id: u32, name: &str) -> Shown {
        Shown {
            place: Place {
                tab: "t1".to_owned(),
                frame: "f".to_owned(),
                loader: loader.to_owned(),
                id,
            },
            is_fold: false,
            role: "button".to_owned(),
            name: name.to_owned(),
            key: name.to_owned(),
            row: String::new(),
        }
    }

    #[test]
    fn an_element_keeps_its_number_and_another_document_has_others() {
        let mut refs = Refs::default();
        let numbers = [
            refs.show(shown("a", 1, "Save")),
            refs.show(shown("a", 2, "Open")),
            refs.show(shown("a", 1, "Save all")),
            refs.show(shown("b", 1, "Save")),
        ];
        assert_eq!(numbers, [1, 2, 1, 3]);
        assert_eq!(refs.find("e1").unwrap().name, "Save all");
        assert_eq!(refs.find("[e3]").unwrap().name, "Save");
    }

    #[test]
    fn what_was_never_given_is_unknown_and_what_was_forgotten_is_stale() {
        let mut refs = Refs::default();
        for id in 0..=u32::try_from(limits::BROWSER_REFS_MAX).unwrap() {
            refs.show(shown("a", id, "Row"));
        }
        assert_eq!(refs.find("e1").unwrap_err().kind(), "stale_ref");
        assert_eq!(refs.number(&shown("a", 0, "").place), None);
        for text in ["e0", "e99999999", "e", "x1", "", "12", "e-1", "e1e"] {
            assert_eq!(refs.find(text).unwrap_err().kind(), "unknown_ref", "{text}");
        }
    }
}
