//! Pages in a browser: what they say in a frame that tells it from instructions, what happened below it.

use tenon_browser::{ActionResult, Blocked, Snapshot, TabInfo};
use tenon_contract::Content;
use tenon_tools::{BrowserOutput, BrowserResult};
use tenon_web::{enclosed, escaped};

use super::{count, with_notices, with_warnings};
use crate::shown::Words;

/// The page that a result is about.
pub(crate) fn browser_page(output: &BrowserOutput) -> Option<&TabInfo> {
    match &output.result {
        BrowserResult::Opened(opened) => Some(&opened.tab),
        BrowserResult::Done(done, _)
        | BrowserResult::Answered(_, done)
        | BrowserResult::Downloaded(_, done) => Some(&done.tab),
        BrowserResult::Tabs(_) => None,
        _ => output.page.as_ref(),
    }
}

/// What a model sees of it.
pub(crate) fn browser_content(output: &BrowserOutput, words: &Words<'_>) -> Vec<Content> {
    let mut notices = Vec::new();
    let page = browser_page(output);
    // The page itself has chosen its title and the end of its address.
    let source = page.map_or_else(|| "the browser".to_owned(), |page| escaped(&page.url));
    let framed = |text: &str| enclosed(text, &source, &output.boundary);
    let tab = page.map_or("", |page| page.tab.as_str());
    let text = match &output.result {
        BrowserResult::Opened(opened) => {
            let status = opened
                .http_status
                .map(|status| format!(", status {status}"));
            if opened.loading {
                notices.push("The page is still loading".to_owned());
            }
            notices.extend(opened.dialog.as_ref().map(|dialog| asks(&dialog.kind)));
            let offered = opened.downloads.iter();
            notices.extend(
                offered.map(|file| format!("It offers the file `{}`", escaped(&file.name))),
            );
            notices.extend(snapshot_notices(&opened.snapshot, words));
            let dialog = opened.dialog.as_ref().map(|dialog| dialog.message.as_str());
            let refused: String = opened
                .blocked
                .iter()
                .map(|it| blocked_line(it) + "\n")
                .collect();
            let body = with_title(page, &opened.snapshot.text, dialog);
            let body = framed(&format!("{refused}{body}"));
            format!("Opened in {tab}{}\n{body}", status.unwrap_or_default())
        }
        BrowserResult::Looked(snapshot) => {
            notices.extend(snapshot_notices(snapshot, words));
            framed(&with_title(page, &snapshot.text, None))
        }
        BrowserResult::Read(read) => {
            if let Some(next) = read.next {
                notices.push(format!("There is more: use offset={next}"));
            }
            framed(match read.text.as_str() {
                "" => "(the page has no text)",
                text => text,
            })
        }
        BrowserResult::Pictured(picture) => {
            let scale = match picture.scale {
                scale if (scale - 1.0).abs() < 0.001 => String::new(),
                scale => format!(", scale {scale:.2}"),
            };
            format!(
                "Screenshot of {tab}, {}x{}{scale}",
                picture.width, picture.height
            )
        }
        BrowserResult::Done(done, moved) => {
            if *moved == Some(false) {
                notices.push("Nothing moved: this is the end".to_owned());
            }
            acted(done, &framed, &mut notices, words)
        }
        BrowserResult::Answered(info, done) => format!(
            "Answered the {}. {}",
            info.kind,
            acted(done, &framed, &mut notices, words)
        ),
        BrowserResult::Downloaded(url, done) => format!(
            "Downloaded {}. {}",
            escaped(url),
            acted(done, &framed, &mut notices, words)
        ),
        BrowserResult::Tabs(tabs) if tabs.is_empty() => "No tab is open.".to_owned(),
        BrowserResult::Tabs(tabs) => {
            let lines: Vec<String> = tabs.iter().map(tab_line).collect();
            framed(&lines.join("\n"))
        }
        BrowserResult::Waited(true) => "It is there.".to_owned(),
        BrowserResult::Waited(false) => {
            "It did not come in time. Take a snapshot to see the page.".to_owned()
        }
        BrowserResult::Evaluated(value) => {
            if value.truncated {
                notices.push("The value is cut".to_owned());
            }
            framed(&escaped(&value.value))
        }
        BrowserResult::Console(found) => {
            let lines = found.entries.iter();
            let lines = lines.map(|entry| format!("{}: {}", entry.level, escaped(&entry.text)));
            notices.push(shown(found.entries.len(), found.total));
            framed(&lines.collect::<Vec<_>>().join("\n"))
        }
        BrowserResult::Network(found) => {
            let lines = found.entries.iter().map(|entry| {
                let end = match (entry.status, &entry.error) {
                    (Some(status), _) => status.to_string(),
                    (None, Some(error)) => error.clone(),
                    (None, None) => "pending".to_owned(),
                };
                let url = escaped(&entry.url);
                format!("{} {url} {} {end}", entry.method, entry.kind)
            });
            notices.push(shown(found.entries.len(), found.total));
            framed(&lines.collect::<Vec<_>>().join("\n"))
        }
    };
    let mut warnings = Vec::new();
    let text = match &output.saved {
        Some(saved) => {
            warnings.clone_from(&saved.warnings);
            let size = count(saved.size, "byte", "bytes");
            format!(
                "{text}\n\nWrote `{}` ({size}, {})",
                saved.path, saved.mime_type
            )
        }
        None => text,
    };
    let text = with_warnings(with_notices(text, &notices), &warnings, words);
    let mut content = vec![Content::Text(text)];
    if let BrowserResult::Pictured(picture) = &output.result {
        content.push(Content::Image {
            data: picture.data.clone(),
            mime_type: picture.mime_type.clone(),
        });
    }
    content
}

fn with_title(page: Option<&TabInfo>, text: &str, dialog: Option<&str>) -> String {
    let title = page.map(|page| escaped(page.title.trim()));
    let title = title.filter(|title| !title.is_empty());
    let title = title.map_or_else(String::new, |title| format!("Title: {title}\n"));
    let dialog = dialog.map_or_else(String::new, |said| format!("Question: {}\n", escaped(said)));
    let text = match text {
        "" => "(nothing to see on the page)",
        text => text,
    };
    format!("{title}{dialog}{text}")
}

fn asks(kind: &str) -> String {
    format!("The page waits for an answer to its {kind}: use the action `dialog`")
}

fn shown(entries: usize, total: usize) -> String {
    format!("{entries} of {total} shown, oldest first")
}

fn tab_line(info: &TabInfo) -> String {
    let active = if info.active { " (active)" } else { "" };
    let (title, url) = (escaped(&info.title), escaped(&info.url));
    format!("{}{active}: {title} {url}", info.tab)
}

fn blocked_line(blocked: &Blocked) -> String {
    format!("Not opened: {}: {}", escaped(&blocked.url), blocked.reason)
}

fn snapshot_notices(snapshot: &Snapshot, words: &Words<'_>) -> Vec<String> {
    let mut notices = Vec::new();
    if snapshot.hidden_characters > 0 {
        let number = snapshot.hidden_characters as u64;
        notices.push(format!(
            "{} of text that cannot be seen on the page omitted",
            count(number, "character", "characters")
        ));
    }
    if snapshot.truncated {
        let more = match (snapshot.next, words.parameter("offset")) {
            (Some(next), Some(name)) => format!("use {name}={next}"),
            _ => "use `scope` with a reference, `query`, or a larger `maxChars`".to_owned(),
        };
        notices.push(format!("There is more: {more}"));
    }
    notices
}

/// What an action did. What the page says by itself is in the frame.
fn acted(
    done: &ActionResult,
    framed: &dyn Fn(&str) -> String,
    notices: &mut Vec<String>,
    words: &Words<'_>,
) -> String {
    use tenon_browser::Changed;
    let head = match done.changed {
        Changed::None => "Done. Nothing changed that can be seen.".to_owned(),
        Changed::Page => "Done. The page changed.".to_owned(),
        Changed::Navigation => format!("Done. {} shows another page.", done.tab.tab),
    };
    let mut said = Vec::new();
    for alert in &done.alerts {
        said.push(format!("Alert: {}", escaped(alert)));
    }
    if let Some(dialog) = &done.dialog {
        said.push(format!("Question: {}", escaped(&dialog.message)));
        notices.push(asks(&dialog.kind));
    }
    let others = done.opened.iter();
    said.extend(others.map(|other| format!("New tab {}", tab_line(other))));
    let errors = done.console_errors.iter();
    said.extend(errors.map(|error| format!("Console error: {}", escaped(error))));
    let files = done.downloads.iter();
    said.extend(files.map(|file| {
        format!(
            "File offered: {} ({})",
            escaped(&file.name),
            escaped(&file.url)
        )
    }));
    let blocked = done.blocked.iter();
    said.extend(blocked.map(blocked_line));
    if !done.downloads.is_empty() {
        notices.push("To keep an offered file use the action `download`".to_owned());
    }
    if let Some(snapshot) = &done.snapshot {
        notices.extend(snapshot_notices(snapshot, words));
        let page = (done.changed == Changed::Navigation).then_some(&done.tab);
        said.push(with_title(page, &snapshot.text, None));
    }
    match said.is_empty() {
        true => head,
        false => format!("{head}\n{}", framed(&said.join("\n"))),
    }
}
