//! What a canvas shows, checked.

use tenon_contract::{ErrorCode, ToolError, limits, parameter};

use crate::parts::{self, Part};
use crate::scan::{Piece, pieces};
use crate::scripts;

/// Most characters of the text of a page that a result shows.
const OUTLINE_CHARACTERS: usize = 600;
/// Most controls that a result names.
const CONTROLS: usize = 12;

/// The content of a canvas: HTML that was checked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fragment {
    html: String,
    outline: String,
}

impl Fragment {
    /// HTML as a caller wrote it.
    ///
    /// # Errors
    /// Too long, empty, or with a script that does not parse.
    pub fn of_html(html: &str) -> Result<Self, ToolError> {
        let most = limits::CANVAS_HTML_MAX_BYTES;
        if html.len() > most {
            let message = format!(
                "{} is {} bytes long; the limit is {most}. Pass large data as {} or show less.",
                parameter("html"),
                html.len(),
                parameter("data")
            );
            return Err(ToolError::new(ErrorCode::TooLarge, message));
        }
        if html.trim().is_empty() {
            let message = format!("{} is empty. Pass the HTML of the page.", parameter("html"));
            return Err(ToolError::new(ErrorCode::InvalidParams, message));
        }
        let pieces = pieces(html);
        scripts::check(html, &pieces)?;
        Ok(Self {
            html: html.replace('\0', "\u{fffd}"),
            outline: outline(html, &pieces),
        })
    }

    /// Tables, charts and texts.
    ///
    /// # Errors
    /// A part that cannot be shown.
    pub fn of_parts(parts: &[Part]) -> Result<Self, ToolError> {
        if parts.is_empty() {
            let message = format!("{} is empty. Pass at least one part.", parameter("parts"));
            return Err(ToolError::new(ErrorCode::InvalidParams, message));
        }
        let (html, outline) = parts::render(parts)?;
        Ok(Self { html, outline })
    }

    /// The HTML.
    #[must_use]
    pub fn html(&self) -> &str {
        &self.html
    }

    /// What it shows, in words.
    #[must_use]
    pub fn outline(&self) -> &str {
        &self.outline
    }
}

/// The text of a page and its controls, for those who cannot see it.
fn outline(html: &str, pieces: &[Piece]) -> String {
    let (mut words, mut controls, mut scripts) = (String::new(), Vec::new(), 0_usize);
    for piece in pieces {
        match piece {
            Piece::Text(range) => {
                words.push_str(html.get(range.clone()).unwrap_or_default());
                words.push(' ');
            }
            Piece::Start(tag)
                if matches!(
                    tag.name.as_str(),
                    "button" | "input" | "select" | "canvas" | "svg" | "img"
                ) =>
            {
                let named = ["aria-label", "name", "id", "placeholder", "alt"];
                let name = named
                    .iter()
                    .find_map(|name| tag.attribute(name))
                    .filter(|name| !name.is_empty());
                controls.push(
                    name.map_or_else(|| tag.name.clone(), |name| format!("{} `{name}`", tag.name)),
                );
            }
            Piece::Raw { tag, .. } if tag.name == "script" => scripts += 1,
            Piece::Raw { tag, .. } if tag.name == "textarea" => controls.push(tag.name.clone()),
            _ => {}
        }
    }
    let text = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let shown: String = text.chars().take(OUTLINE_CHARACTERS).collect();
    let mut said = Vec::new();
    if !shown.is_empty() {
        let more = if shown.len() < text.len() { "…" } else { "" };
        said.push(format!("text \"{shown}{more}\""));
    }
    if !controls.is_empty() {
        let rest = controls.len().saturating_sub(CONTROLS);
        controls.truncate(CONTROLS);
        let more = if rest > 0 {
            format!(" and {rest} more")
        } else {
            String::new()
        };
        said.push(format!("{}{more}", controls.join(", ")));
    }
    match scripts {
        0 => {}
        1 => said.push("1 script".to_owned()),
        scripts => said.push(format!("{scripts} scripts")),
    }
    if said.is_empty() {
        "nothing but markup".to_owned()
    } else {
        said.join("; ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outline_names_the_text_the_controls_and_the_scripts() {
        let html = "<h1>Release  notes</h1><style>p { }</style><button id=ok>Approve</button><input name='why'><script>1</script>";
        let fragment = Fragment::of_html(html).unwrap();
        assert_eq!(
            fragment.outline(),
            "text \"Release notes Approve\"; button `ok`, input `why`; 1 script"
        );
        assert_eq!(fragment.html(), html);
    }

    #[test]
    fn a_page_of_256_kib_of_script_is_taken_and_one_byte_more_is_not() {
        let script = |bytes: usize| {
            let frame = "<script></script>".len();
            format!("<script>{}</script>", ";".repeat(bytes - frame))
        };
        let most = limits::CANVAS_HTML_MAX_BYTES;
        assert!(Fragment::of_html(&script(most)).is_ok());
        let error = Fragment::of_html(&script(most + 1)).unwrap_err();
        assert_eq!(error.code, ErrorCode::TooLarge);
        assert_eq!(
            Fragment::of_html(" \n").unwrap_err().code,
            ErrorCode::InvalidParams
        );
    }
}
