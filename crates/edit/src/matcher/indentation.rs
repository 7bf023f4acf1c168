//! The map from the indentation of a call to that of the file.

use std::collections::BTreeMap;

/// One way in which all indentations of a call turn into those of the file.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Form {
    /// The same whitespace in front of each.
    Added(String),
    /// The same whitespace taken away from each.
    Removed(String),
    /// Each tab became this many spaces.
    TabsToBlanks(usize),
    /// Each run of this many spaces became a tab.
    BlanksToTabs(usize),
    /// Each unit of so many spaces became one of so many others.
    Units(usize, usize),
}

/// A map that is known for the levels the old text has, and extended to others only if all
/// forms that explain the known ones agree.
#[derive(Debug, Clone)]
pub(crate) struct IndentationMap {
    known: BTreeMap<String, String>,
    forms: Vec<Form>,
}

/// The widths of units that are met in practice; the most spaces that a tab stands for.
const UNITS: [usize; 4] = [2, 3, 4, 8];
const MAX_TAB: usize = 8;

impl IndentationMap {
    /// The map behind pairs of (call, file); `None` if it is no function, does not keep the
    /// order, or is of no single form.
    pub(crate) fn infer<'a>(pairs: impl Iterator<Item = (&'a str, &'a str)>) -> Option<Self> {
        let mut known: BTreeMap<String, String> = BTreeMap::new();
        for (call, file) in pairs {
            if !is_plain(call) || !is_plain(file) {
                return None;
            }
            let before = known.insert(call.to_owned(), file.to_owned());
            if before.is_some_and(|before| before != file) {
                return None;
            }
        }
        if !keeps_order(&known) {
            return None;
        }
        let forms: Vec<Form> = possible_forms(&known)
            .into_iter()
            .filter(|form| {
                known
                    .iter()
                    .all(|(call, file)| form.map(call).as_ref() == Some(file))
            })
            .collect();
        (!forms.is_empty()).then_some(Self { known, forms })
    }

    /// Whether all lines of the file have exactly one blank more.
    pub(crate) fn adds_one_blank(&self) -> bool {
        self.forms
            .iter()
            .any(|form| *form == Form::Added(" ".to_owned()))
    }

    /// The indentation of the file for one of the call; `None` if it does not follow.
    pub(crate) fn map(&self, call: &str) -> Option<String> {
        if let Some(file) = self.known.get(call) {
            return Some(file.clone());
        }
        let mut answers = self.forms.iter().map(|form| form.map(call));
        let first = answers.next()??;
        answers
            .all(|answer| answer.as_ref() == Some(&first))
            .then_some(first)
    }
}

fn is_plain(indentation: &str) -> bool {
    indentation.bytes().all(|byte| matches!(byte, b' ' | b'\t'))
}

/// A longer indentation of the call must be a longer one in the file.
fn keeps_order(known: &BTreeMap<String, String>) -> bool {
    let mut sorted: Vec<(usize, usize)> = known
        .iter()
        .map(|(call, file)| (width(call), width(file)))
        .collect();
    sorted.sort_unstable();
    sorted
        .iter()
        .zip(sorted.iter().skip(1))
        .all(|(low, high)| low.0 < high.0 && low.1 < high.1)
}

fn width(indentation: &str) -> usize {
    indentation
        .bytes()
        .map(|byte| if byte == b'\t' { 8 } else { 1 })
        .sum()
}

fn possible_forms(known: &BTreeMap<String, String>) -> Vec<Form> {
    let mut forms = Vec::new();
    if let Some((call, file)) = known.first_key_value() {
        if let Some(prefix) = file.strip_suffix(call.as_str()) {
            forms.push(Form::Added(prefix.to_owned()));
        }
        if let Some(prefix) = call.strip_suffix(file.as_str()) {
            forms.push(Form::Removed(prefix.to_owned()));
        }
    }
    for blanks in 1..=MAX_TAB {
        forms.push(Form::TabsToBlanks(blanks));
        forms.push(Form::BlanksToTabs(blanks));
    }
    for call in UNITS {
        for file in UNITS {
            if call != file {
                forms.push(Form::Units(call, file));
            }
        }
    }
    forms
}

impl Form {
    fn map(&self, call: &str) -> Option<String> {
        match self {
            Self::Added(prefix) => Some(format!("{prefix}{call}")),
            Self::Removed(prefix) => call.strip_prefix(prefix.as_str()).map(str::to_owned),
            Self::TabsToBlanks(blanks) => Some(call.replace('\t', &" ".repeat(*blanks))),
            // What has tabs already is written as the file is.
            Self::BlanksToTabs(_) if call.bytes().all(|byte| byte == b'\t') => {
                Some(call.to_owned())
            }
            Self::BlanksToTabs(blanks) => {
                let length = call.len();
                (is_blanks(call) && length.is_multiple_of(*blanks))
                    .then(|| "\t".repeat(length / blanks))
            }
            Self::Units(from, to) => {
                let length = call.len();
                (is_blanks(call) && length.is_multiple_of(*from))
                    .then(|| " ".repeat(length / from * to))
            }
        }
    }
}

fn is_blanks(indentation: &str) -> bool {
    indentation.bytes().all(|byte| byte == b' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(pairs: &[(&str, &str)]) -> Option<IndentationMap> {
        IndentationMap::infer(pairs.iter().copied())
    }

    #[test]
    fn a_dropped_indentation_is_put_back_at_all_levels() {
        let map = map(&[("", "    "), ("    ", "        ")]).unwrap();
        assert_eq!(map.map("        ").as_deref(), Some("            "));
    }

    #[test]
    fn blanks_become_the_tabs_of_the_file() {
        let map = map(&[("", ""), ("    ", "\t")]).unwrap();
        assert_eq!(map.map("        ").as_deref(), Some("\t\t"));
        assert_eq!(map.map("      "), None);
    }

    #[test]
    fn a_level_that_could_be_a_shift_or_a_unit_is_not_guessed() {
        let map = map(&[("  ", "    ")]).unwrap();
        assert_eq!(map.map("  ").as_deref(), Some("    "));
        assert_eq!(map.map("    "), None);
    }

    #[test]
    fn what_is_no_function_has_no_map() {
        assert!(map(&[("  ", "    "), ("  ", "  ")]).is_none());
        assert!(map(&[("", "    "), ("    ", "    ")]).is_none());
        assert!(map(&[("", "  "), ("  ", "  \t")]).is_none());
    }
}
