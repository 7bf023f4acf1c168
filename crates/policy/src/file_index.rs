//! Finds the rules on files that can be about a place by the names on the way to it, so that a long list of rules
//! does not make every file slow.

use std::borrow::Cow;

use hashbrown::HashMap;
use smallvec::SmallVec;

use crate::glob::in_small_letters;
use crate::paths::ClaimPlaces;
use crate::rule::{Pattern, Rule};

/// So many rules are gone through sooner than names are looked up.
const FEW: usize = 16;

/// Rules on files, in the order in which they stand.
#[derive(Debug, Clone, Default)]
pub(crate) struct FileIndex {
    /// The places of all of them.
    all: Vec<usize>,
    /// Those for which there is no name to be looked up.
    open: Vec<usize>,
    /// The others by names: without one of its names a rule is about no place.
    named: HashMap<String, Vec<usize>>,
    /// Whether the names are in small letters, for names in any case.
    ignores_case: bool,
}

impl FileIndex {
    /// The index of those rules on files that count.
    pub(crate) fn new(rules: &[Rule], counts: impl Fn(&Rule) -> bool) -> Self {
        let on_files = rules.iter().enumerate().filter(|(_, rule)| {
            matches!(rule.pattern, Pattern::Any | Pattern::Path(_)) && counts(rule)
        });
        let ignores_case = on_files
            .clone()
            .any(|(_, rule)| matches!(&rule.pattern, Pattern::Path(glob) if glob.ignores_case()));
        let mut index = Self {
            ignores_case,
            all: on_files.clone().map(|(place, _)| place).collect(),
            ..Self::default()
        };
        if index.all.len() <= FEW {
            return index;
        }
        // The rarer a name is among the rules, the fewer of them it leads to.
        let mut uses: HashMap<&str, usize> = HashMap::new();
        for (_, rule) in on_files.clone() {
            for name in alternatives(rule).flatten() {
                *uses.entry(name).or_default() += 1;
            }
        }
        for (place, rule) in on_files {
            let names = alternatives(rule).map(|names| rarest(names, &uses));
            let names: Option<Vec<&str>> = names.collect();
            match names.filter(|names| !names.is_empty()) {
                None => index.open.push(place),
                Some(names) => {
                    for name in names {
                        let list = index.named.entry_ref(name).or_default();
                        if list.last() != Some(&place) {
                            list.push(place);
                        }
                    }
                }
            }
        }
        index
    }

    /// The places of all rules.
    pub(crate) fn all(&self) -> &[usize] {
        &self.all
    }

    /// The places of the rules that can be about one of these.
    pub(crate) fn near(&self, places: &ClaimPlaces<'_>) -> Near<'_> {
        if self.named.is_empty() {
            return Near::All(self.all.iter());
        }
        let mut found = SmallVec::from_slice(&self.open);
        let mut any = false;
        places.each_name(|name| {
            let name = match self.ignores_case {
                true => in_small_letters(name),
                false => Cow::Borrowed(name),
            };
            if let Some(list) = self.named.get(&*name) {
                any = true;
                found.extend_from_slice(list);
            }
        });
        if any {
            found.sort_unstable();
            found.dedup();
        }
        Near::Some(found.into_iter())
    }
}

/// The names that are written in each alternative of a pattern.
fn alternatives(rule: &Rule) -> impl Iterator<Item = Vec<&str>> {
    let glob = match &rule.pattern {
        Pattern::Path(glob) => Some(glob),
        _ => None,
    };
    glob.into_iter().flat_map(|glob| glob.written_names())
}

/// The name of these that the fewest rules have.
fn rarest<'n>(names: Vec<&'n str>, uses: &HashMap<&str, usize>) -> Option<&'n str> {
    let names = names.into_iter();
    names.min_by_key(|name| uses.get(name).copied().unwrap_or_default())
}

/// Places of rules.
pub(crate) enum Near<'i> {
    /// All that there are.
    All(std::slice::Iter<'i, usize>),
    /// Some of them.
    Some(smallvec::IntoIter<[usize; 16]>),
}

impl Iterator for Near<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        match self {
            Self::All(places) => places.next().copied(),
            Self::Some(places) => places.next(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paths::Root;
    use crate::verdict::Verdict;
    use tenon_contract::{Operation, PathClaim};

    fn rules(texts: &[&str], list: Verdict) -> Vec<Rule> {
        let resolve = |name: &str| Operation::from_name(&name.to_lowercase());
        let rules = texts.iter().enumerate();
        rules
            .map(|(place, text)| Rule::new(&(*text).into(), list, place, &resolve).unwrap())
            .collect()
    }

    #[test]
    fn of_many_rules_those_that_match_are_near() {
        let mut texts: Vec<String> = (0..40)
            .map(|number| format!("Read(p{number}/.env)"))
            .collect();
        for text in [
            "Read",
            "Read(*.pem)",
            "Read(secrets)",
            "Read({a,b}/c?/**)",
            "Read(/home/**)",
            "Read(/home/me/work/x)",
            "Read({a,*}/key)",
            "Read(**)",
            "Read(src/**/k)",
        ] {
            texts.push(text.to_owned());
        }
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let root = Root::new(std::path::Path::new("/home/me/work"));
        for list in [Verdict::Deny, Verdict::Allow] {
            let rules = rules(&texts, list);
            let index = FileIndex::new(&rules, |_| true);
            assert!(!index.named.is_empty());
            for name in [
                "p7/.env",
                "q/p7/.env",
                ".env",
                "x.pem",
                "a/secrets/y",
                "a/cd/e",
                "b/cd",
                "x",
                "z/key",
                "src/a/k",
                "src/k/l",
                "q",
                "home/x",
                "",
                "/home/me/p3/.env",
                "/home/x",
                "/etc/p3/.env",
                "/etc/x",
            ] {
                let path = std::path::Path::new("/home/me/work").join(name);
                let claim = PathClaim {
                    name: name.to_owned(),
                    target: path,
                };
                let places = ClaimPlaces::new(&claim, &root);
                let near: Vec<usize> = index.near(&places).collect();
                let matching: Vec<usize> = (0..rules.len())
                    .filter(|place| match &rules[*place].pattern {
                        Pattern::Path(glob) => places.either(|place| glob.matches(place)),
                        _ => true,
                    })
                    .collect();
                assert!(matching.iter().all(|place| near.contains(place)), "{name}");
                assert!(near.is_sorted(), "{name}");
                assert!(near.len() < 20, "{name}: {near:?}");
            }
        }
    }
}
