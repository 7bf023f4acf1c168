//! The variables that a text gives to what it runs, found once for all of its assignments.

/// The words behind which such a name stands.
const WAYS: [&str; 3] = ["export ", "declare -x ", "typeset -x "];

/// What stands behind these words in a text, in order.
pub(crate) struct ExportedNames<'t>(Vec<&'t str>);

impl<'t> ExportedNames<'t> {
    pub(crate) fn of(text: &'t str) -> Self {
        let mut names = Vec::new();
        // Most texts have none of them, which is quickly known.
        for way in WAYS.iter().filter(|way| text.contains(**way)) {
            let places = text.match_indices(way).map(|(place, _)| place + way.len());
            names.extend(places.filter_map(|place| text.get(place..)).map(name_of));
        }
        names.sort_unstable();
        names.dedup();
        Self(names)
    }

    /// Whether one of them is this name, or begins with it.
    pub(crate) fn may_have(&self, name: &str) -> bool {
        let name = name_of(name);
        let place = self.0.partition_point(|known| *known < name);
        self.0
            .get(place)
            .is_some_and(|known| known.starts_with(name))
    }
}

/// The letters of a name with which a text begins.
fn name_of(text: &str) -> &str {
    let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii();
    let end = text.bytes().position(|byte| !is_of_name(byte));
    end.and_then(|end| text.get(..end)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_known_by_the_words_before_them() {
        let text =
            "a=1; export PATH=$a B; declare -x C=1\ntypeset -x Dé; export  E; export -n F; exportG";
        let names = ExportedNames::of(text);
        let known = |name: &&str| names.may_have(name);
        let all = ["PATH", "PA", "C", "Dé", "D"];
        assert_eq!(
            all.iter().filter(|name| !known(name)).collect::<Vec<_>>(),
            [] as [&&str; 0]
        );
        let none = ["a", "B", "E", "F", "G", "PATHS", "x"];
        assert_eq!(
            none.iter().filter(|name| known(name)).collect::<Vec<_>>(),
            [] as [&&str; 0]
        );
    }

    #[test]
    fn what_is_known_is_what_the_text_has() {
        let text = "export A1; export A; declare -x _b=2 export C\nexport A1 typeset -x Z";
        let names = ExportedNames::of(text);
        for name in ["A", "A1", "A12", "_", "_b", "b", "C", "Z", "Y", "e"] {
            let has = WAYS
                .iter()
                .any(|way| text.contains(&format!("{way}{name}")));
            assert_eq!(names.may_have(name), has, "{name}");
        }
    }
}
