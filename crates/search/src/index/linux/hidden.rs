//! What the searches of a tree must not see, so that nothing of its contents is left on the disk.

use crate::PathFilter;
use crate::directory::to_path;

/// More rules than these are not kept: nothing is left on the disk then.
const MAX_FILTERS: usize = 16;

/// The rules of all searches of a tree.
#[derive(Debug, Default)]
pub(crate) struct Filters {
    filters: Vec<PathFilter>,
    /// Whether there were rules of which it is not known what they keep back at another time.
    are_unknown: bool,
}

impl Filters {
    /// Takes note of the rules of a search.
    pub(crate) fn note(&mut self, filter: Option<&PathFilter>) {
        let Some(filter) = filter else { return };
        let Some(rules) = filter.rules() else {
            self.are_unknown = true;
            return;
        };
        let is_known = self
            .filters
            .iter()
            .any(|known| known.rules() == Some(rules));
        if !is_known && self.filters.len() < MAX_FILTERS {
            self.filters.push(filter.clone());
        } else if !is_known {
            self.are_unknown = true;
        }
    }

    /// Whether it is known what they keep back.
    pub(crate) const fn are_known(&self) -> bool {
        !self.are_unknown
    }

    pub(crate) fn count(&self) -> usize {
        self.filters.len()
    }

    /// Whether one of them keeps back the entry at `path` below the root, before which `prefix` stands in answers.
    pub(crate) fn hide(&self, prefix: &str, path: impl FnOnce() -> Vec<u8>) -> bool {
        if self.filters.is_empty() {
            return false;
        }
        let path = path();
        let answered = format!("{prefix}{}", to_path(&path).to_string_lossy());
        self.filters.iter().any(|filter| filter.excludes(&answered))
    }
}

#[cfg(test)]
mod tests {
    use std::any::Any;
    use std::sync::Arc;

    use tenon_contract::RulesIdentity;

    use super::*;

    #[test]
    fn rules_are_noted_once_and_those_that_are_not_known_end_it() {
        let rules: Arc<dyn Any + Send + Sync> = Arc::new(());
        let filter = |user: &str| {
            let filter = PathFilter::new(|path| path == "root/.env");
            filter.of_rules(RulesIdentity::new(&rules, user))
        };
        let mut filters = Filters::default();
        assert!(!filters.hide("root/", || b".env".to_vec()));
        for _ in 0..3 {
            filters.note(None);
            filters.note(Some(&filter("one")));
        }
        filters.note(Some(&filter("other")));
        assert_eq!((filters.count(), filters.are_known()), (2, true));
        assert!(filters.hide("root/", || b".env".to_vec()));
        assert!(!filters.hide("root/", || b"env".to_vec()));
        for number in 0..MAX_FILTERS {
            filters.note(Some(&filter(&number.to_string())));
        }
        assert!(!filters.are_known());
        let mut filters = Filters::default();
        filters.note(Some(&PathFilter::new(|_| true)));
        assert!(!filters.are_known());
    }
}
