//! Paths of Windows as `bash` has them there.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// What stands for the two slashes before a server: other paths have one slash between each two names.
const SERVERS: &str = "/unc/";

/// Names under which other builds of `bash` for Windows have the drives: those of Cygwin and of the Linux in Windows.
const DRIVES: [&str; 2] = ["/cygdrive/", "/mnt/"];

/// A path as commands and rules have it on every system: with slashes, `/c/work` for `C:\work` and `/unc/server/share` for
/// `\\server\share`. On other systems than Windows paths are that already.
#[must_use]
pub fn posix_path(path: &Path) -> Cow<'_, Path> {
    if !cfg!(windows) {
        return Cow::Borrowed(path);
    }
    match path.to_string_lossy() {
        Cow::Borrowed(text) => match of_windows(text) {
            Cow::Borrowed(text) => Cow::Borrowed(Path::new(text)),
            Cow::Owned(text) => Cow::Owned(text.into()),
        },
        Cow::Owned(text) => Cow::Owned(of_windows(&text).into_owned().into()),
    }
}

/// The same for a text that names a path, which may be relative.
#[must_use]
pub fn posix_path_text(text: &str) -> Cow<'_, str> {
    if cfg!(windows) {
        of_windows(text)
    } else {
        Cow::Borrowed(text)
    }
}

/// The path that the system takes for what [`posix_path`] returns.
#[must_use]
pub fn native_path(path: &Path) -> Cow<'_, Path> {
    if !cfg!(windows) {
        return Cow::Borrowed(path);
    }
    match path.to_str().and_then(to_windows) {
        Some(native) => Cow::Owned(PathBuf::from(native)),
        None => Cow::Borrowed(path),
    }
}

/// The letter of the drive that a text begins with, and what follows its colon.
fn after_drive(text: &str) -> Option<(char, &str)> {
    let mut letters = text.chars();
    let letter = letters.next().filter(char::is_ascii_alphabetic)?;
    (letters.next() == Some(':')).then(|| (letter.to_ascii_lowercase(), letters.as_str()))
}

/// The letter of the drive that a text begins with as a directory of one letter, and what follows it.
fn in_drive(text: &str) -> Option<(char, &str)> {
    let mut letters = text.strip_prefix('/')?.chars();
    let letter = letters.next().filter(char::is_ascii_alphabetic)?;
    let rest = letters.as_str();
    (rest.is_empty() || rest.starts_with('/')).then(|| (letter.to_ascii_lowercase(), rest))
}

/// The name of a file by which Windows opens a part of a path: without the name of a stream, and dots and spaces at its end.
fn file_name(part: &str) -> &str {
    let file = part.split(':').next().unwrap_or(part);
    match file.trim_end_matches(['.', ' ']) {
        "" => part,
        name => name,
    }
}

fn of_windows(text: &str) -> Cow<'_, str> {
    match with_slashes(text) {
        path if path.split('/').all(|part| file_name(part) == part) => path,
        path => {
            let names: Vec<&str> = path.split('/').map(file_name).collect();
            Cow::Owned(names.join("/"))
        }
    }
}

fn with_slashes(text: &str) -> Cow<'_, str> {
    let slashes = if text.contains('\\') {
        Cow::Owned(text.replace('\\', "/"))
    } else {
        Cow::Borrowed(text)
    };
    let verbatim = ["//?/", "//./"];
    let device = verbatim
        .iter()
        .find_map(|start| slashes.strip_prefix(start));
    let plain = device.unwrap_or(&slashes);
    let server = match device {
        Some(device) => device.strip_prefix("UNC/"),
        None => plain.strip_prefix("//"),
    };
    if let Some(server) = server {
        return Cow::Owned(format!("{SERVERS}{}", server.trim_start_matches('/')));
    }
    if let Some((letter, rest)) = after_drive(plain) {
        return Cow::Owned(format!("/{letter}/{}", rest.trim_start_matches('/')));
    }
    let foreign = DRIVES
        .iter()
        .find_map(|start| in_drive(plain.strip_prefix(start.trim_end_matches('/'))?));
    if let Some((letter, rest)) = foreign.or_else(|| in_drive(plain)) {
        let drive = format!("/{letter}{rest}");
        if drive != plain {
            return Cow::Owned(drive);
        }
    }
    slashes
}

fn to_windows(text: &str) -> Option<String> {
    if let Some(server) = text.strip_prefix(SERVERS) {
        return Some(format!(r"\\{}", server.replace('/', r"\")));
    }
    let (letter, rest) = in_drive(text)?;
    let rest = rest.strip_prefix('/').unwrap_or(rest).replace('/', r"\");
    Some(format!(r"{}:\{rest}", letter.to_ascii_uppercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_windows_have_the_form_of_its_bash_and_come_back_from_it() {
        let all = [
            (r"C:\work\a b", "/c/work/a b"),
            (r"D:\", "/d/"),
            (r"\\server\share\a", "/unc/server/share/a"),
        ];
        for (native, posix) in all {
            assert_eq!(of_windows(native), posix);
            assert_eq!(to_windows(posix).as_deref(), Some(native));
        }
        for other in ["/tmp/a", "/", "/cc/a", "src/a"] {
            assert_eq!(to_windows(other), None, "{other}");
        }
    }

    #[test]
    fn every_spelling_of_a_place_in_windows_is_the_same_path() {
        let spellings = [
            "c:/work/.env",
            r"C:\work\.env",
            r"c:\work/.env",
            "c:work/.env",
            "/c/work/.env",
            "/C/work/.env",
            "/cygdrive/c/work/.env",
            "/mnt/C/work/.env",
            r"\\?\C:\work\.env",
            "//./C:/work/.env",
        ];
        for spelling in spellings {
            assert_eq!(of_windows(spelling), "/c/work/.env", "{spelling}");
        }
        assert_eq!(of_windows("//server/share"), "/unc/server/share");
        assert_eq!(of_windows(r"\\?\UNC\server\share"), "/unc/server/share");
        assert_eq!(of_windows(r"src\..\.env"), "src/../.env");
        for other in ["src/a", "/tmp/a", "/mnt/data", ".", "..", "../a"] {
            assert_eq!(of_windows(other), other);
        }
    }

    #[test]
    fn other_names_by_which_windows_opens_a_file_are_its_name() {
        for name in [".env::$DATA", ".env:stream", ".env.", ".env. .", ".env "] {
            assert_eq!(of_windows(name), ".env", "{name}");
        }
        assert_eq!(of_windows("src./a:b/..."), "src/a/...");
    }
}
