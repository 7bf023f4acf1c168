//! Pages that the user sees.

use tenon_canvas::{CanvasFacts, Event, Events, Picture};
use tenon_contract::{Content, limits};
use tenon_tools::{CanvasAction, CanvasOutput};
use tenon_web::enclosed;

use super::{bounded_list, with_notices};

/// What became of a canvas. What it shows is said in words as well: who reads this may have no eyes.
pub(crate) fn canvas_content(output: &CanvasOutput) -> Vec<Content> {
    let text = match output {
        CanvasOutput::Shown {
            action,
            facts,
            gone,
            opened,
            fault,
        } => shown(*action, facts, gone.as_deref(), *opened, fault.as_deref()),
        CanvasOutput::Picture { picture, data } => {
            return vec![
                Content::Text(picture_text(picture)),
                Content::Image {
                    data: data.clone(),
                    mime_type: picture.mime_type.to_owned(),
                },
            ];
        }
        CanvasOutput::Events {
            facts,
            found,
            boundary,
        } => events_text(facts, found, boundary.as_deref()),
        CanvasOutput::Hidden(facts) => format!("Hidden: {}.", named(facts)),
        CanvasOutput::List(canvases) if canvases.is_empty() => "Nothing is shown.".to_owned(),
        CanvasOutput::List(canvases) => {
            let (text, cut) = bounded_list(canvases.iter().map(|facts| {
                let hidden = if facts.hidden { ", hidden" } else { "" };
                format!(
                    "{}, version {}{hidden}: {}",
                    named(facts),
                    facts.version,
                    facts.url
                )
            }));
            with_notices(text, &cut.into_iter().collect::<Vec<_>>())
        }
    };
    vec![Content::Text(text)]
}

fn named(facts: &CanvasFacts) -> String {
    let name = facts
        .name
        .as_deref()
        .map(|name| format!(" `{name}`"))
        .unwrap_or_default();
    format!("canvas {}{name} \"{}\"", facts.id, facts.title)
}

fn events_text(facts: &CanvasFacts, found: &Events, boundary: Option<&str>) -> String {
    let mut notices = Vec::new();
    if found.dropped > 0 {
        let (noun, verb) = if found.dropped == 1 {
            ("event", "was")
        } else {
            ("events", "were")
        };
        notices.push(format!(
            "{} {noun} {verb} lost: there were too many.",
            found.dropped
        ));
    }
    if found.events.is_empty() {
        return with_notices(format!("No new events in {}.", named(facts)), &notices);
    }
    let (list, cut) = bounded_list(found.events.iter().map(event));
    notices.extend(cut);
    let list = match boundary {
        Some(boundary) => enclosed(&list, &facts.resource_uri, boundary),
        None => list,
    };
    with_notices(format!("Events in {}:\n{list}", named(facts)), &notices)
}

fn event(Event { id, kind, data }: &Event) -> String {
    format!("{id} {kind} {data}")
}

fn shown(
    action: CanvasAction,
    facts: &CanvasFacts,
    gone: Option<&str>,
    opened: Option<bool>,
    fault: Option<&str>,
) -> String {
    let did = if action == CanvasAction::Update {
        "Updated"
    } else {
        "Presented"
    };
    let mut text = format!(
        "{did} {}, version {} ({} bytes): {}.\nURL: {}",
        named(facts),
        facts.version,
        facts.bytes,
        facts.outline,
        facts.url
    );
    if facts.hidden {
        text.push_str("\nIt is hidden: present it again to show it.");
    }
    let mut notices = Vec::new();
    match (opened, fault) {
        (Some(true), _) => notices.push("The application has opened it.".to_owned()),
        (Some(false), Some(fault)) => notices.push(format!(
            "The application did not open it: {fault} Give the user the URL."
        )),
        (Some(false), None) => {
            notices.push("The application did not open it. Give the user the URL.".to_owned())
        }
        (None, _) => {}
    }
    if let Some(title) = gone {
        notices.push(format!(
            "The oldest canvas, \"{title}\", was removed: there are at most {}.",
            limits::CANVAS_MAX
        ));
    }
    with_notices(text, &notices)
}

fn picture_text(picture: &Picture) -> String {
    let facts = &picture.facts;
    let mut text = format!(
        "MEDIA:{}\nPicture of {}, version {}, {}x{}. It shows {}.",
        picture.path.display(),
        named(facts),
        facts.version,
        picture.width,
        picture.height,
        facts.outline
    );
    if let Some(width) = picture.overflow {
        text.push_str(&format!(
            "\nThe content is {width} pixels wide and does not fit."
        ));
    }
    match picture.console_errors.as_slice() {
        [] => text.push_str("\nNo errors in the console."),
        errors => {
            text.push_str("\nErrors in the console:");
            for error in errors {
                text.push_str("\n- ");
                text.push_str(error);
            }
        }
    }
    text
}
