//! The home directory that names such as `~/x` and `"$HOME"/x` begin with.

use tenon_contract::CommandClaim;
use tenon_shell::HOME;

/// The home directory of a call; `None` where it can be something else: the call gives the variable, or the text has
/// its name other than as `$HOME`.
pub(crate) fn home_of<'q>(claim: &CommandClaim, home: Option<&'q str>) -> Option<&'q str> {
    let text = &claim.text;
    let is_of_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
    let is_use = |start: usize| {
        let before = text.get(..start).unwrap_or_default();
        let behind = text.get(start + HOME.len()..).unwrap_or_default();
        let alone = before.ends_with('$') && !behind.starts_with(is_of_name);
        alone || (before.ends_with("${") && behind.starts_with('}'))
    };
    let is_given = claim.environment.iter().any(|given| given.name == HOME);
    let mut found = text.match_indices(HOME);
    let is_known = !is_given && found.all(|(start, _)| is_use(start));
    home.filter(|_| is_known)
}
