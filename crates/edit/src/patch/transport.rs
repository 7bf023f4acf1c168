//! What became of a patch on its way: colours of a terminal, line ends that were escaped, the encoding of a mail. It is named, not undone:
//! what belongs to the files and what to the way cannot be kept apart.

use crate::patch::PatchError;
use crate::patch::input::Input;

/// What begins a colour.
const COLOUR: &str = "\u{1b}[";

/// The reason why a patch cannot be read, if it is one of these.
pub(crate) fn named(error: PatchError, input: &Input<'_>) -> PatchError {
    match &error {
        PatchError::Malformed { line, text, .. } if text.contains(COLOUR) => {
            PatchError::Coloured { line: *line }
        }
        PatchError::NoPatch => {
            let mut lines = input.lines.iter();
            if let Some(line) = lines.find(|line| line.text.contains(COLOUR)) {
                return PatchError::Coloured { line: line.number };
            }
            let is_escaped = |text: &str| {
                let heads = ["*** Begin Patch\\n", "\\n+++ ", "\\n@@ "];
                heads.iter().any(|head| text.contains(head))
            };
            match input.lines.as_slice() {
                [only] if is_escaped(only.text) => PatchError::Escaped,
                _ => error,
            }
        }
        _ => error,
    }
}

/// Refuses a mail in an encoding that its lines still have.
pub(crate) fn refuse_encoded(input: &Input<'_>) -> Result<(), PatchError> {
    let is_header = |text: &str| {
        let text = text.to_ascii_lowercase();
        let encoding = text.strip_prefix("content-transfer-encoding:");
        encoding.is_some_and(|encoding| encoding.trim() == "quoted-printable")
    };
    let Some(header) = input.lines.iter().find(|line| is_header(line.text)) else {
        return Ok(());
    };
    let mut signs = input.lines.iter().flat_map(|line| {
        let places = line.text.match_indices('=');
        places.map(|(at, _)| line.text.get(at + 1..).unwrap_or_default())
    });
    // In that encoding no sign stands for itself.
    let is_escape = |rest: &str| {
        let digits = rest.get(..2).unwrap_or_default();
        let is_digit = |digit: u8| digit.is_ascii_digit() || (b'A'..=b'F').contains(&digit);
        rest.is_empty() || (digits.len() == 2 && digits.bytes().all(is_digit))
    };
    let is_encoded = signs.next().is_some_and(is_escape) && signs.all(is_escape);
    match is_encoded {
        true => Err(PatchError::Encoded {
            line: header.number,
        }),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use crate::patch::{PatchError, parse_patch};

    const DIFF: &str = "--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n a\n-b\n+B\n";

    fn coloured(color: &str, text: &str) -> String {
        format!("\u{1b}[{color}m{text}\u{1b}[m")
    }

    /// As `git diff --color` has it; without its sign a line was said to lack one, and coloured names to be no patch.
    #[test]
    fn colours_of_a_terminal_are_named() {
        let all = format!(
            "{}\n{}\n{}\n a\n{}\n{}{}\n",
            coloured("1", "--- a/x"),
            coloured("1", "+++ b/x"),
            coloured("36", "@@ -1,2 +1,2 @@"),
            coloured("31", "-b"),
            coloured("32", "+"),
            coloured("32", "B")
        );
        assert_eq!(parse_patch(&all), Err(PatchError::Coloured { line: 1 }));
        let some = DIFF.replace("-b", &coloured("31", "-b"));
        assert_eq!(parse_patch(&some), Err(PatchError::Coloured { line: 5 }));
        // In a line of a file they are a part of it.
        let of_file = DIFF.replace("+B", "+\u{1b}[32mB\u{1b}[m");
        let patch = parse_patch(&of_file).unwrap();
        let plan = patch.files[0].place("a\nb\n").unwrap();
        assert_eq!(plan.apply("a\nb\n"), "a\n\u{1b}[32mB\u{1b}[m\n");
    }

    #[test]
    fn a_patch_in_one_line_with_escaped_line_ends_is_named() {
        let envelope = "*** Begin Patch\n*** Update File: x\n@@\n-b\n+B\n*** End Patch";
        let json = format!("{{\"patch\": \"{}\"}}", envelope.replace('\n', "\\n"));
        for patch in [
            envelope.replace('\n', "\\n"),
            DIFF.replace('\n', "\\n"),
            json,
        ] {
            assert_eq!(parse_patch(&patch), Err(PatchError::Escaped), "{patch}");
        }
        assert_eq!(parse_patch("a\\nb"), Err(PatchError::NoPatch));
    }

    /// `+a =3D 1` was written as it stands.
    #[test]
    fn a_mail_that_is_still_encoded_is_refused() {
        let mail = |body: &str| {
            format!("From: A <a@b>\nContent-Transfer-Encoding: quoted-printable\n\n{body}")
        };
        for added in ["+B =3D 1", "+B=20", "+B=\n1"] {
            let patch = mail(&DIFF.replace("+B", added));
            assert_eq!(
                parse_patch(&patch),
                Err(PatchError::Encoded { line: 2 }),
                "{added}"
            );
        }
        for added in ["+B", "+B = 1", "+B == 3D"] {
            let patch = mail(&DIFF.replace("+B", added));
            assert!(parse_patch(&patch).is_ok(), "{added}");
        }
    }
}
