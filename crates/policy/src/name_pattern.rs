//! Patterns for what a call uses by its name alone: a skill, a sub-agent.

/// Why a text is no such pattern: offset and problem.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NamePatternError {
    pub(crate) at: usize,
    pub(crate) problem: &'static str,
}

/// A name, or the beginning of names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NamePattern {
    text: String,
    prefix: bool,
}

impl NamePattern {
    pub(crate) fn new(text: &str) -> Result<Self, NamePatternError> {
        let (text, prefix) = match text.strip_suffix('*') {
            Some(text) => (text, true),
            None => (text, false),
        };
        let fault = |at, problem| Err(NamePatternError { at, problem });
        if let Some(at) = text.find('*') {
            return fault(
                at,
                "has a `*` that is not its last character. Write a name, or its beginning with a `*` at the end",
            );
        }
        if let Some(at) = text.find(|letter: char| letter.is_control()) {
            return fault(at, "has a character that names cannot have");
        }
        if text.trim() != text {
            return fault(
                0,
                "begins or ends with a space, so it would never match. Remove it",
            );
        }
        Ok(Self {
            text: text.to_owned(),
            prefix,
        })
    }

    pub(crate) fn matches(&self, name: &str) -> bool {
        if self.prefix {
            name.starts_with(&self.text)
        } else {
            name == self.text
        }
    }

    /// Whether it matches every name that `narrow` matches.
    pub(crate) fn covers(&self, narrow: &Self) -> bool {
        self.matches(&narrow.text) && (self.prefix || !narrow.prefix)
    }
}

/// A pattern for exactly this name; nothing for names that patterns cannot say.
pub(crate) fn exact_name(name: &str) -> Option<&str> {
    let exact = NamePattern::new(name).ok()?;
    (!exact.prefix && !name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_compared_whole_and_a_beginning_by_its_letters() {
        let pattern = |text: &str| NamePattern::new(text).unwrap();
        assert!(pattern("pdf").matches("pdf"));
        assert!(!pattern("pdf").matches("pdf-forms") && !pattern("pdf").matches("PDF"));
        assert!(pattern("internal-*").matches("internal-docs"));
        assert!(!pattern("internal-*").matches("internal"));
        assert!(pattern("a*").covers(&pattern("ab")) && pattern("a*").covers(&pattern("ab*")));
        assert!(!pattern("ab").covers(&pattern("ab*")) && !pattern("ab*").covers(&pattern("a*")));
        assert_eq!(NamePattern::new("a*b").unwrap_err().at, 1);
        assert_eq!(exact_name("two words"), Some("two words"));
        assert_eq!(exact_name("star*"), None);
    }
}
