//! Scripts of a fragment are read before anything is shown.

use tenon_contract::{ErrorCode, ToolError, parameter};
use tenon_syntax::{Budget, FaultKind, Language, parse};

use crate::scan::{Piece, Tag};

/// The types that browsers run.
const RUN: &[&str] = &[
    "",
    "module",
    "text/javascript",
    "application/javascript",
    "text/ecmascript",
    "application/ecmascript",
    "application/x-javascript",
];

/// Most characters of the line that an error shows.
const SHOWN_CHARACTERS: usize = 120;

/// Refuses a fragment with a script that does not parse.
///
/// # Errors
/// The first place that does not parse, by its line and column in the fragment.
pub(crate) fn check(html: &str, pieces: &[Piece]) -> Result<(), ToolError> {
    for piece in pieces {
        let Piece::Raw {
            tag,
            content,
            is_closed,
        } = piece
        else {
            continue;
        };
        if tag.name != "script" {
            continue;
        }
        if !is_closed {
            return Err(fault(
                html,
                tag.at,
                "the script that starts here has no `</script>`",
            ));
        }
        let script = html.get(content.clone()).unwrap_or_default();
        if !is_run(tag) {
            continue;
        }
        // One that takes too long to read is shown unread: the browser reports what is wrong with it.
        let Some(syntax) = parse(script, Language::JavaScript, Budget::default()) else {
            continue;
        };
        if let Some(found) = syntax.faults().first() {
            let problem = match &found.kind {
                FaultKind::Missing(what) => format!("`{what}` is missing"),
                FaultKind::Unexpected if ends_early(html, content.end) => {
                    "the script does not parse. A `</script>` in a string ends it: write `<\\/script>`".to_owned()
                }
                FaultKind::Unexpected => "the script does not parse".to_owned(),
            };
            return Err(fault(html, content.start + found.bytes.start, &problem));
        }
    }
    Ok(())
}

/// Whether what is behind a script looks as if it belonged to it.
fn ends_early(html: &str, end: usize) -> bool {
    let rest = html.get(end + "</script".len()..).unwrap_or_default();
    let next_end = rest.find("</script");
    next_end.is_some_and(|place| !rest.get(..place).unwrap_or_default().contains("<script"))
}

fn is_run(tag: &Tag) -> bool {
    let kind = tag.attribute("type").unwrap_or_default();
    let kind = kind
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    tag.attribute("src").is_none() && RUN.contains(&kind.as_str())
}

fn fault(html: &str, at: usize, problem: &str) -> ToolError {
    let before = html.get(..at).unwrap_or(html);
    let line = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |place| place + 1);
    let column = before.get(start..).unwrap_or_default().chars().count() + 1;
    let text = html
        .get(start..)
        .unwrap_or_default()
        .lines()
        .next()
        .unwrap_or_default();
    let text = text.trim().replace('`', "'");
    let shown: String = text.chars().take(SHOWN_CHARACTERS).collect();
    let message = format!(
        "{} has a syntax error in a script at line {line}, column {column}: {problem} (`{shown}`). Nothing was shown. Correct the script and call again.",
        parameter("html")
    );
    ToolError::new(ErrorCode::Syntax, message)
        .with("line", line)
        .with("column", column)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::pieces;

    fn place(html: &str) -> Option<(u64, u64)> {
        let error = check(html, &pieces(html)).err()?;
        assert_eq!(error.error_type().as_str(), "invalid_input");
        Some((
            error.details["line"].as_u64()?,
            error.details["column"].as_u64()?,
        ))
    }

    #[test]
    fn a_script_that_does_not_parse_is_named_by_line_and_column_of_the_fragment() {
        for (html, found) in [
            (
                "<p>x</p>\n<script>let a = 1\nlet b = ;\n</script>",
                Some((3, 7)),
            ),
            ("<b>ü</b><script>let = = 1</script>", Some((1, 23))),
            ("<script>let a = '</script>';</script>", Some((1, 9))),
            ("<script>a\n", Some((1, 1))),
            (
                "<script>import a from 'b'; export default a; await a</script>",
                None,
            ),
            (
                "<script type=module>const a = await fetch('x')</script>",
                None,
            ),
            ("<script type='application/json'>{not js}</script>", None),
            ("<script src=https://a.test/b.js>not ( js</script>", None),
            ("<script>const a = `<b>${c}</b>`; d?.e ?? f</script>", None),
        ] {
            assert_eq!(place(html), found, "{html}");
        }
    }
}
