//! Files as URIs (RFC 8089) and back.

use std::path::{Path, PathBuf};

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

/// Everything but unreserved characters and `/`: servers compare URIs as texts, and this is the form of
/// `vscode-uri`, which most of them are built on. There `:` is encoded, too.
const ENCODED: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'!')
    .add(b'"')
    .add(b'#')
    .add(b'$')
    .add(b'%')
    .add(b'&')
    .add(b'\'')
    .add(b'(')
    .add(b')')
    .add(b'*')
    .add(b'+')
    .add(b',')
    .add(b':')
    .add(b';')
    .add(b'<')
    .add(b'=')
    .add(b'>')
    .add(b'?')
    .add(b'@')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// The URI of an absolute path; what of it is not UTF-8 is shown as U+FFFD, and no server will find it.
#[must_use]
pub fn file_uri(path: &Path) -> String {
    let text = path.to_string_lossy();
    if cfg!(windows) {
        return windows_uri(&text);
    }
    format!("file://{}", utf8_percent_encode(&text, ENCODED))
}

fn windows_uri(path: &str) -> String {
    let path = path
        .strip_prefix(r"\\?\")
        .unwrap_or(path)
        .replace('\\', "/");
    if let Some(share) = path.strip_prefix("//") {
        return format!("file://{}", utf8_percent_encode(share, ENCODED));
    }
    // The letter of a drive is small in the form of vscode-uri.
    let mut letters = path.chars();
    let drive: String = letters
        .next()
        .map(|letter| letter.to_ascii_lowercase())
        .into_iter()
        .collect();
    format!(
        "file:///{}{}",
        drive,
        utf8_percent_encode(letters.as_str(), ENCODED)
    )
}

/// The path of a `file:` URI; `None` for other schemes, other hosts and what is no URI.
#[must_use]
pub fn file_path(uri: &str) -> Option<PathBuf> {
    let (scheme, rest) = uri.split_once(':')?;
    if !scheme.eq_ignore_ascii_case("file") {
        return None;
    }
    let rest = rest.split(['?', '#']).next()?;
    let path = match rest.strip_prefix("//") {
        Some(rest) => {
            let at = rest.find('/')?;
            let (host, path) = rest.split_at(at);
            let is_local = host.is_empty() || host.eq_ignore_ascii_case("localhost");
            is_local.then_some(path)?
        }
        None => rest.starts_with('/').then_some(rest)?,
    };
    let decoded = percent_decode_str(path).decode_utf8().ok()?;
    if decoded.contains('\0') {
        return None;
    }
    Some(if cfg!(windows) {
        PathBuf::from(decoded.trim_start_matches('/').replace('/', "\\"))
    } else {
        PathBuf::from(decoded.as_ref())
    })
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn odd_names_are_encoded_and_found_again() {
        let path = Path::new("/a b/ä#1?/(x):[y]%20.ts");
        assert_eq!(
            file_uri(path),
            "file:///a%20b/%C3%A4%231%3F/%28x%29%3A%5By%5D%2520.ts"
        );
        assert_eq!(file_path(&file_uri(path)).as_deref(), Some(path));
        assert_eq!(windows_uri(r"C:\a b\c.ts"), "file:///c%3A/a%20b/c.ts");
        assert_eq!(
            windows_uri(r"\\server\share\c.ts"),
            "file://server/share/c.ts"
        );
    }

    #[test]
    fn other_spellings_of_servers_are_understood() {
        for uri in [
            "file:///a/b.ts",
            "file:/a/b.ts",
            "FILE://localhost/a/b.ts",
            "file:///a/b.ts#L3",
            "file:///a/%62.ts",
        ] {
            assert_eq!(
                file_path(uri).as_deref(),
                Some(Path::new("/a/b.ts")),
                "{uri}"
            );
        }
        for uri in [
            "http://a/b",
            "untitled:1",
            "file://other/a",
            "a/b.ts",
            "",
            "file:",
            "file:///a%00b",
            "file:///%FF",
        ] {
            assert_eq!(file_path(uri), None, "{uri}");
        }
    }

    proptest! {
        #[test]
        fn every_path_survives(parts in proptest::collection::vec("[^/\\x00]{1,8}", 1..4)) {
            let path = PathBuf::from(format!("/{}", parts.join("/")));
            prop_assert_eq!(file_path(&file_uri(&path)), Some(path));
        }
    }
}
