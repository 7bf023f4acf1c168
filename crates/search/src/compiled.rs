//! A compiled pattern, kept for searches that differ in nothing but the place.

use std::fmt;
use std::sync::{Arc, OnceLock};

use crate::matcher::LineMatcher;
use crate::{Pattern, SearchError};

/// What the pattern of a request was compiled to. Clones of the request share it: compiling takes longer than searching some
/// hundred files, and a search that finds nothing is repeated in what ignore files hide.
#[derive(Clone, Default)]
pub struct Compiled(Arc<OnceLock<CachedPattern>>);

struct CachedPattern {
    pattern: Pattern,
    binary_rule: bool,
    matcher: LineMatcher,
}

impl Compiled {
    /// The matcher of this pattern: the kept one where it is of the same.
    pub(crate) fn matcher(
        &self,
        pattern: &Pattern,
        binary_rule: bool,
    ) -> Result<LineMatcher, SearchError> {
        let kept = self
            .0
            .get()
            .filter(|kept| kept.binary_rule == binary_rule && kept.pattern == *pattern);
        if let Some(kept) = kept {
            return Ok(kept.matcher.clone());
        }
        let matcher = pattern.compile(binary_rule)?;
        // The first one stays: it is that of the request which the others are made of.
        self.0.get_or_init(|| CachedPattern {
            pattern: pattern.clone(),
            binary_rule,
            matcher: matcher.clone(),
        });
        Ok(matcher)
    }
}

/// What is kept makes no difference between requests.
impl PartialEq for Compiled {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Compiled {}

impl fmt::Debug for Compiled {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pattern = self.0.get().map(|kept| &kept.pattern.text);
        formatter.debug_tuple("Compiled").field(&pattern).finish()
    }
}

#[cfg(test)]
mod tests {
    use grep::matcher::Matcher;

    use super::*;

    #[test]
    fn what_is_kept_stands_only_for_the_same_pattern_and_rule() {
        let compiled = Compiled::default();
        let matches = |pattern: &Pattern, binary_rule: bool, text: &[u8]| {
            let matcher = compiled.matcher(pattern, binary_rule).unwrap();
            matcher.is_match(text).unwrap()
        };
        let (first, other) = (Pattern::new("a.b"), Pattern::new("c.d"));
        assert!(matches(&first, true, b"axb"));
        assert!(!matches(&other, true, b"axb"));
        assert!(matches(&other, true, b"cxd"));
        assert_eq!(format!("{compiled:?}"), r#"Compiled(Some("a.b"))"#);
        let with_nul = Pattern::new(r"a\x00b");
        let compiled = Compiled::default();
        assert!(compiled.matcher(&with_nul, false).is_ok());
        assert!(compiled.matcher(&with_nul, true).is_err());
    }
}
