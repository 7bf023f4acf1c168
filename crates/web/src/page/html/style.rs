//! Which declarations of style hide what they are given to.

use std::collections::HashSet;

use dom_query::{Document, Element};
use html5ever::local_name;

use super::dom::name;

/// How sure it is that nobody sees an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hiding {
    /// It takes no place, or one that nobody sees.
    Certain,
    /// It may be shown by a script.
    Probable,
}

/// Distances beyond which an element lies outside of every screen, in whatever unit.
const FAR_AWAY: f64 = 900.0;

/// The declarations of a `style` attribute; the last one of a name counts.
struct Declarations(String);

impl Declarations {
    fn of(style: &str) -> Self {
        Self(without_comments(style).to_ascii_lowercase())
    }

    fn value(&self, wanted: &str) -> Option<&str> {
        let mut all = self.0.rsplit(';').filter_map(declaration);
        all.find(|(name, _)| *name == wanted)
            .map(|(_, value)| value)
    }

    /// Whether it flows with the text around it, where neither a size nor an indent has an effect.
    fn is_inline(&self, by_itself: bool) -> bool {
        let flows = match self.value("display") {
            Some(display) => display == "inline",
            None => by_itself,
        };
        let floats = matches!(self.value("float"), Some("left" | "right"));
        flows && !floats && !self.is_positioned()
    }

    fn is_positioned(&self) -> bool {
        matches!(self.value("position"), Some("absolute" | "fixed"))
    }

    /// The colours of the letters and of what is behind them. What is clipped to the letters is what they are drawn with.
    fn colours(&self) -> (Option<Colour>, Option<Colour>) {
        let ink = self.value("color").map(colour);
        let grounds = ["background-image", "background-color", "background"];
        let paper = |names: &[&str]| names.iter().find_map(|name| self.value(name)).map(colour);
        let is_clipped = ["background-clip", "-webkit-background-clip", "background"]
            .iter()
            .filter_map(|name| self.value(name))
            .any(|value| value.split([' ', ',']).any(|word| word == "text"));
        if is_clipped {
            let drawn = paper(&grounds).filter(|paper| *paper != Colour::None);
            return (drawn.or(ink), None);
        }
        (ink, paper(&["background-color", "background"]))
    }
}

/// Whether the declarations of a `style` attribute put an element on lines of its own.
pub(super) fn is_shown_as_block(style: &str) -> bool {
    let display = Declarations::of(style);
    matches!(
        display.value("display"),
        Some("block" | "flex" | "grid" | "list-item" | "table" | "flow-root" | "table-row")
    )
}

/// Whether the declarations of a `style` attribute hide an element, which is inline by itself or not.
pub(super) fn hiding(style: &str, is_inline: bool) -> Option<Hiding> {
    let declarations = Declarations::of(style);
    let value = |wanted: &str| declarations.value(wanted);
    let has_size = !declarations.is_inline(is_inline);
    let is_zero = |wanted: &str| {
        value(wanted)
            .and_then(number)
            .is_some_and(|number| number <= 0.01)
    };
    let clips = value("overflow")
        .is_some_and(|value| value.starts_with("hidden") || value.starts_with("clip"));
    let away = ["left", "right", "top", "bottom"].iter().any(|side| {
        value(side)
            .and_then(number)
            .is_some_and(|number| number < -FAR_AWAY)
    });
    let positioned = declarations.is_positioned();
    let (ink, paper) = declarations.colours();
    let certain = value("display") == Some("none")
        || value("content-visibility") == Some("hidden")
        || value("font-size").is_some_and(is_tiny)
        || (clips
            && has_size
            && ["width", "height", "max-width", "max-height"]
                .iter()
                .any(|side| is_zero(side)))
        || (positioned && away)
        || (has_size
            && value("text-indent")
                .and_then(number)
                .is_some_and(|number| number < -FAR_AWAY))
        || (positioned && value("clip").is_some_and(clips_all))
        || value("clip-path")
            .is_some_and(|value| value.contains("inset(50%") || value.contains("inset(100%"))
        || ink.is_some_and(|ink| ink == Colour::None || Some(ink) == paper && ink != Colour::Other);
    if certain {
        return Some(Hiding::Certain);
    }
    let probable = matches!(value("visibility"), Some("hidden" | "collapse"))
        || value("opacity")
            .and_then(number)
            .is_some_and(|number| number < 0.05)
        || (ink == Some(Colour::Shade(0xff_ff_ff)) && paper.is_none())
        || value("transform").is_some_and(|value| value.replace(' ', "").contains("scale(0)"));
    probable.then_some(Hiding::Probable)
}

/// Whether letters of this size are no letters for anybody: at most a pixel or a point.
fn is_tiny(size: &str) -> bool {
    let is_absolute = size.ends_with("px") || size.ends_with("pt");
    number(size).is_some_and(|number| number <= 0.01 || (is_absolute && number <= 1.0))
}

/// A colour, as far as it matters whether two are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Colour {
    /// Nothing is drawn.
    None,
    /// Red, green and blue.
    Shade(u32),
    /// One that is not read.
    Other,
}

/// A colour in its usual spellings: `white`, `#fff`, `#ffffff`, `rgb(255, 255, 255)`.
fn colour(text: &str) -> Colour {
    let shade = |red: u32, green: u32, blue: u32| Colour::Shade(red << 16 | green << 8 | blue);
    match text {
        "transparent" => return Colour::None,
        "white" => return shade(255, 255, 255),
        "black" => return shade(0, 0, 0),
        _ => {}
    }
    if let Some(digits) = text.strip_prefix('#') {
        let digits: Option<Vec<u32>> = digits.chars().map(|digit| digit.to_digit(16)).collect();
        return match digits.as_deref() {
            Some([_, _, _, 0] | [_, _, _, _, _, _, 0, 0]) => Colour::None,
            Some([red, green, blue]) => shade(red * 17, green * 17, blue * 17),
            Some([a, b, c, d, e, f]) => shade(a * 16 + b, c * 16 + d, e * 16 + f),
            _ => Colour::Other,
        };
    }
    let parts = text
        .strip_prefix("rgba(")
        .or_else(|| text.strip_prefix("rgb("))
        .and_then(|rest| rest.strip_suffix(')'));
    let parts: Option<Vec<f64>> = parts.and_then(|parts| {
        let parts = parts.split([',', ' ', '/']).filter(|part| !part.is_empty());
        parts.map(number).collect()
    });
    let byte = |part: f64| part.clamp(0.0, 255.0) as u32;
    match parts.as_deref() {
        Some([_, _, _, alpha]) if *alpha <= 0.01 => Colour::None,
        Some([red, green, blue]) => shade(byte(*red), byte(*green), byte(*blue)),
        _ => Colour::Other,
    }
}

/// Whether the declarations of a `style` attribute colour what is behind the letters.
pub(super) fn paints(style: &str) -> bool {
    style.to_ascii_lowercase().contains("background")
}

fn declaration(text: &str) -> Option<(&str, &str)> {
    let (name, value) = text.split_once(':')?;
    let value = value.trim();
    let value = value.strip_suffix("!important").unwrap_or(value).trim_end();
    Some((name.trim(), value))
}

/// The number that a value begins with.
fn number(value: &str) -> Option<f64> {
    let end = value
        .find(|letter: char| !letter.is_ascii_digit() && !matches!(letter, '.' | '-' | '+'))
        .unwrap_or(value.len());
    value.get(..end)?.parse().ok()
}

/// `rect(0 0 0 0)`, `rect(1px, 1px, 1px, 1px)`.
fn clips_all(value: &str) -> bool {
    let Some(inner) = value
        .strip_prefix("rect(")
        .and_then(|rest| rest.strip_suffix(')'))
    else {
        return false;
    };
    let sides = inner.split([',', ' ']).filter(|side| !side.is_empty());
    sides
        .map(number)
        .all(|side| side.is_some_and(|side| side.abs() <= 1.0))
}

fn without_comments(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("/*") {
        kept.push_str(before);
        rest = after.split_once("*/").map_or("", |(_, after)| after);
    }
    kept.push_str(rest);
    kept
}

/// The classes and ids that the style sheets of a page itself take off the page (`display: none`), outside of media
/// queries and the like.
#[derive(Debug, Default)]
pub(super) struct Stylesheet {
    classes: HashSet<String>,
    ids: HashSet<String>,
}

impl Stylesheet {
    pub(super) fn read(document: &Document) -> Self {
        let mut sheet = Self::default();
        for node in document.root().descendants_it() {
            if name(&node) == Some(local_name!("style")) {
                sheet.add(&without_comments(&node.text()));
            }
        }
        sheet
    }

    fn add(&mut self, text: &str) {
        let mut rest = text;
        while let Some((head, body)) = rest.split_once('{') {
            let head = head.rsplit([';', '}']).next().unwrap_or_default().trim();
            let end = closing(body);
            let inner = body.get(..end).unwrap_or_default();
            rest = body.get(end + 1..).unwrap_or_default();
            let is_rule = !head.starts_with('@') && !inner.contains('{');
            let lower = inner.to_ascii_lowercase();
            let gone = lower
                .split(';')
                .filter_map(declaration)
                .any(|pair| pair == ("display", "none"));
            if is_rule && gone {
                head.split(',')
                    .for_each(|selector| self.select(selector.trim()));
            }
        }
    }

    /// Only selectors of a single class or id, perhaps behind the name of an element.
    fn select(&mut self, selector: &str) {
        let Some(at) = selector.find(['.', '#']) else {
            return;
        };
        let (element, rest) = selector.split_at(at);
        let is_name = |text: &str| {
            text.chars()
                .all(|letter| letter.is_alphanumeric() || matches!(letter, '-' | '_'))
        };
        let Some(name) = rest
            .get(1..)
            .filter(|name| is_name(name) && is_name(element))
        else {
            return;
        };
        let set = if rest.starts_with('.') {
            &mut self.classes
        } else {
            &mut self.ids
        };
        set.insert(name.to_owned());
    }

    pub(super) fn hides(&self, element: &Element) -> bool {
        if self.classes.is_empty() && self.ids.is_empty() {
            return false;
        }
        let classes = element.attr_ref(local_name!("class")).unwrap_or_default();
        let id = element.attr_ref(local_name!("id")).unwrap_or_default();
        // A `style` attribute that shows the element has the last word.
        let shown = element
            .attr_ref(local_name!("style"))
            .is_some_and(|style| style.contains("display"));
        !shown
            && (self.ids.contains(id)
                || classes
                    .split_ascii_whitespace()
                    .any(|class| self.classes.contains(class)))
    }
}

/// Where the block ends that was opened before this text.
fn closing(text: &str) -> usize {
    let mut depth = 1_usize;
    for (at, letter) in text.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_that_hide_are_known_in_their_usual_spellings() {
        let certain = [
            "display:none",
            "DISPLAY : NONE !important",
            "display:/* x */none",
            "color:red; display: none;",
            "font-size:0px",
            "height:0;overflow:hidden",
            "position:absolute; left:-9999px",
            "text-indent:-9999em",
            "position:absolute;clip:rect(1px, 1px, 1px, 1px)",
            "clip-path: inset(50%)",
            "color:#fff;background:#fff",
            "color:transparent",
            "font-size:1px",
            "FONT-SIZE: .5pt",
            "color:white;background-color:#FFFFFF",
            "color:rgb(255, 255, 255); background: #fff",
            "color:rgba(0,0,0,0)",
            "color:#0000",
            "color:transparent;background-clip:text",
            "color:transparent;background:transparent;background-clip:text",
        ];
        for style in certain {
            assert_eq!(hiding(style, false), Some(Hiding::Certain), "{style}");
        }
        for style in [
            "opacity:0",
            "opacity:.01",
            "visibility: hidden",
            "transform: scale( 0 )",
            "color:white",
            "color: #FFF",
        ] {
            assert_eq!(hiding(style, false), Some(Hiding::Probable), "{style}");
        }
        let visible = [
            "",
            "display:block",
            "display:none;display:block",
            "font-size:0.9em",
            "opacity:0.5",
            "left:-9999px",
            "height:0",
            "color:#fff;background:#000",
            "color:#fff;background:url(night.jpg)",
            "color:var(--ink);background:var(--paper)",
            "color:inherit;background:inherit",
            "font-size:1em",
            "font-size:8pt",
            "color:black",
            "margin:0;padding:0",
            "background:linear-gradient(90deg,red,blue);-webkit-background-clip:text;color:transparent",
            "background-image:url(x.png);background-clip:text;color:#0000",
            "color:transparent;background:linear-gradient(red,blue) text",
            "color:red;background:red;background-clip:text",
        ];
        for style in visible {
            assert_eq!(hiding(style, false), None, "{style}");
        }
    }

    #[test]
    fn sizes_and_indents_hide_nothing_that_flows_with_the_text() {
        for style in ["text-indent:-9999px", "height:0;overflow:hidden"] {
            assert_eq!(hiding(style, true), None, "{style}");
            for boxed in ["display:inline-block", "float:left", "position:absolute"] {
                let style = format!("{style};{boxed}");
                assert_eq!(hiding(&style, true), Some(Hiding::Certain), "{style}");
            }
            let style = format!("{style};display:inline");
            assert_eq!(hiding(&style, false), None, "{style}");
        }
    }

    #[test]
    fn a_style_sheet_hides_by_class_and_id_outside_of_media_queries() {
        let mut sheet = Stylesheet::default();
        sheet.add(
            "@import url(x); .a, p.b { color: red; display: none } @media print { .c { display: none } } \
             #d{display:none!important} .e .f{display:none} .g{display:block} .h{display:none",
        );
        let mut classes: Vec<&str> = sheet.classes.iter().map(String::as_str).collect();
        classes.sort_unstable();
        assert_eq!(classes, ["a", "b", "h"]);
        assert_eq!(sheet.ids.iter().collect::<Vec<_>>(), ["d"]);
    }
}
