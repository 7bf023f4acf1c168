//! The file types that ripgrep knows.

use ignore::types::TypesBuilder;

use crate::SearchError;

/// One file type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileType {
    /// Such as `rust`.
    pub name: String,
    /// The globs of file names that belong to it, such as `*.rs`.
    pub globs: Vec<String>,
}

/// Every file type that a scope can name, by name, as `rg --type-list` prints them.
#[must_use]
pub fn file_types() -> Vec<FileType> {
    TypesBuilder::new()
        .add_defaults()
        .definitions()
        .into_iter()
        .map(|definition| FileType {
            name: definition.name().to_owned(),
            globs: definition.globs().to_vec(),
        })
        .collect()
}

/// The error for a type that is not known, with those that are like it: the same start, or a type
/// for files whose extension is the name (`tsx` leads to `ts`).
pub(crate) fn unknown(name: String) -> SearchError {
    const MOST: usize = 5;
    /// Languages whose type is called otherwise. What begins alike is another language (`java`).
    const LANGUAGES: &[(&str, &str)] = &[
        ("javascript", "js"),
        ("golang", "go"),
        ("shell", "sh"),
        ("bash", "sh"),
        ("c++", "cpp"),
        ("c#", "cs"),
        ("objective-c", "objc"),
    ];
    let wanted = name.trim_start_matches(['.', '*']).to_lowercase();
    if let Some((_, known)) = LANGUAGES.iter().find(|(language, _)| *language == wanted) {
        let near = vec![(*known).to_owned()];
        return SearchError::Type { name, near };
    }
    let suffix = format!(".{wanted}");
    let near = file_types()
        .into_iter()
        .filter(|known| {
            let has_extension = known.globs.iter().any(|glob| {
                glob.strip_prefix('*')
                    .is_some_and(|extension| extension == suffix)
            });
            let same_start = wanted.len() > 1
                && (known.name.starts_with(&wanted)
                    || (known.name.len() > 1 && wanted.starts_with(&known.name)));
            has_extension || same_start
        })
        .map(|known| known.name)
        .take(MOST)
        .collect();
    SearchError::Type { name, near }
}
