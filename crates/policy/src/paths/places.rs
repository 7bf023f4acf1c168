//! Claims as they are compared with rules.

use std::borrow::Cow;
use std::path::Path;

use tenon_contract::PathClaim;

use super::{is_absolute, is_clean, parts, pieces};
use crate::glob::Place;

/// The directory against which places are compared.
#[derive(Debug, Clone, Default)]
pub(crate) struct Root {
    /// Its names, as they are written.
    parts: Vec<String>,
    /// The same with one slash between each two.
    text: String,
}

impl Root {
    /// The root of a workspace at this absolute directory.
    pub(crate) fn new(path: &Path) -> Self {
        let parts = parts(path);
        let text = parts.join("/");
        Self { parts, text }
    }

    /// The place of these names of an absolute path.
    fn place<'p>(&'p self, names: &'p str) -> Place<'p> {
        let behind = names.strip_prefix(self.text.as_str());
        let below = match behind {
            Some(behind) if behind.is_empty() || self.text.is_empty() => Some(behind),
            Some(behind) => behind.strip_prefix('/'),
            None => None,
        };
        match below {
            Some(below) => Place::inside(self.text.as_str(), below),
            None => Place::elsewhere(names),
        }
    }
}

/// The name of a claim and its target, as they are compared.
pub(crate) struct ClaimPlaces<'c> {
    target: Place<'c>,
    /// Only where it is another place than the target, as it is where a link is on the way.
    name: Option<Place<'c>>,
}

impl<'c> ClaimPlaces<'c> {
    /// The place of these clean names below the root, with no link on the way.
    pub(crate) fn below(names: &'c str, root: &'c Root) -> Self {
        Self {
            target: Place::inside(root.text.as_str(), names),
            name: None,
        }
    }

    /// The places of a claim in the workspace with this root.
    pub(crate) fn new(claim: &'c PathClaim, root: &'c Root) -> Self {
        let target = Place::of(&claim.target, root);
        let name = claim.name.as_str();
        // Names that are equal to clean ones are clean.
        if target.relative() == Some(if name == "." { "" } else { name }) {
            return Self { target, name: None };
        }
        let path = Path::new(name);
        let name = if is_absolute(path) {
            Place::of(path, root)
        } else {
            Place::below(path, root)
        };
        let name = Some(name).filter(|name| *name != target);
        Self { target, name }
    }

    /// The place of the name.
    pub(crate) fn name(&self) -> &Place<'c> {
        self.name.as_ref().unwrap_or(&self.target)
    }

    /// Whether the name or the target is such a place.
    pub(crate) fn either(&self, test: impl Fn(&Place<'_>) -> bool) -> bool {
        self.name.as_ref().is_some_and(&test) || test(&self.target)
    }

    /// Whether both are such places.
    pub(crate) fn both(&self, test: impl Fn(&Place<'_>) -> bool) -> bool {
        self.name.as_ref().is_none_or(&test) && test(&self.target)
    }

    /// Whether one of them is not in the workspace.
    pub(crate) fn leads_out(&self) -> bool {
        self.either(|place| place.relative().is_none())
    }

    /// Goes through the names of both.
    pub(crate) fn each_name(&self, mut take: impl FnMut(&str)) {
        let places = self.name.iter().chain([&self.target]);
        places.flat_map(Place::names).for_each(&mut take);
    }

    /// The protected name on the way to one of them.
    pub(crate) fn protected(&self) -> Option<&'static str> {
        let of = crate::protected::protected_name;
        self.name.as_ref().and_then(of).or_else(|| of(&self.target))
    }

    /// Whether the last part of the name or of the target begins as an option does.
    pub(crate) fn is_option(&self) -> bool {
        self.either(|place| {
            let names = place.nearest();
            names
                .rsplit('/')
                .next()
                .is_some_and(|last| last.starts_with('-'))
        })
    }
}

impl<'p> Place<'p> {
    /// The place of an absolute path.
    pub(crate) fn of(path: &'p Path, root: &'p Root) -> Self {
        let names = path.to_str().and_then(|text| text.strip_prefix('/'));
        if let Some(names) = names
            && is_clean(names)
            && !(cfg!(windows) && names.contains('\\'))
        {
            return root.place(names);
        }
        let mut names = Stack::default();
        // How many names are those of the root so far; `None` once one was another.
        let mut inside = Some(0);
        pieces(path, |piece| {
            // The name of a root is compared as it is written: `..` leads out before it is reached.
            match inside {
                Some(count) if count < root.parts.len() => {
                    let same = matches!(&piece, Some(name) if root.parts.get(count).is_some_and(|part| part == name));
                    inside = same.then_some(count + 1);
                    if inside == Some(root.parts.len()) {
                        names.below = inside;
                    }
                }
                _ => {}
            }
            names.step(piece);
        });
        if root.parts.is_empty() {
            names.below = Some(0);
        }
        names.place()
    }

    /// The place of a path that is relative to the root.
    fn below(path: &Path, root: &Root) -> Self {
        let mut names = Stack {
            names: root.parts.clone(),
            below: Some(root.parts.len()),
        };
        pieces(path, |piece| names.step(piece));
        names.place()
    }
}

/// The names of a path while it is walked.
#[derive(Default)]
struct Stack {
    names: Vec<String>,
    /// How many of them are those of the workspace root; `None` when they lie elsewhere.
    below: Option<usize>,
}

impl Stack {
    /// Goes on by one name, or up for `None`.
    fn step(&mut self, piece: Option<Cow<'_, str>>) {
        match piece {
            Some(name) => self.names.push(name.into_owned()),
            None => {
                self.names.pop();
                // What lies above the root is no part of the name below it.
                self.below = self.below.map(|below| below.min(self.names.len()));
            }
        }
    }

    fn place<'p>(&self) -> Place<'p> {
        match self
            .below
            .and_then(|below| self.names.split_at_checked(below))
        {
            Some((root, below)) => Place::inside(root.join("/"), below.join("/")),
            None => Place::elsewhere(self.names.join("/")),
        }
    }
}
