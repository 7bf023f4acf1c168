//! What is in the way of this process, looked at where the system has refused.

use std::io;
use std::path::Path;

use crate::Metadata;
use crate::closed::{Closed, Right};
use crate::platform::{self, Need};

/// Looks at the way from a root to a path below it. `source` is what the system answered when `action` was tried there;
/// `name_of` is what answers call a path.
pub(crate) fn closed_at(
    (root, target): (&Path, &Path),
    action: &str,
    source: &io::Error,
    name_of: &dyn Fn(&Path) -> Option<String>,
) -> Option<Closed> {
    let need = match action {
        // What is kept elsewhere, for the way back.
        _ if action.starts_with("keep ") => return None,
        "resolve" | "look at" => Need::Reach,
        "open" | "read" | "list" => Need::Read,
        _ => Need::Change,
    };
    if source.kind() == io::ErrorKind::ReadOnlyFilesystem {
        return Some(Closed::ReadOnlyMount);
    }
    let kept = || {
        let mut places = target.ancestors().take(2);
        let held = places.find_map(|place| Some((place, platform::keeping_attribute(place)?)));
        let (place, letter) = held.filter(|_| need == Need::Change)?;
        let path = name_of(place)?;
        Some(Closed::Attribute { path, letter })
    };
    if let Some(kept) = kept() {
        return Some(kept);
    }
    let (path, right, found) = platform::missing_right(root, target, need)?;
    Some(missing(name_of(&path)?, right, &found))
}

/// Why a file that is there may not be written, where that is not only up to its permission bits.
pub(crate) fn closed_to_write(name: &str, target: &Path, file: &Metadata) -> Option<Closed> {
    if platform::is_read_only_mount(target) {
        return Some(Closed::ReadOnlyMount);
    }
    if let Some(letter) = platform::keeping_attribute(target) {
        let path = name.to_owned();
        return Some(Closed::Attribute { path, letter });
    }
    (platform::user() != file.owner).then(|| missing(name.to_owned(), Right::Write, file))
}

fn missing(path: String, right: Right, found: &Metadata) -> Closed {
    Closed::Right {
        path,
        right,
        user: platform::user(),
        owner: found.owner,
        mode: found.mode & 0o7777,
    }
}
