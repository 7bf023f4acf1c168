//! Pages in a browser: what they say in a frame that distinguishes it from instructions, what happened below it.

use tenon_browser::{
    ActionResult, Blocked, Changed, ConsoleEntry, Navigated, NetworkEntry, Offered, PageText,
    Snapshot, TabInfo,
};
use tenon_contract::Content;
use tenon_tools::{BrowserOutput, BrowserResult, ShownPicture};
use tenon_web::{enclosed, escaped};

use super::{count, with_notices, with_warnings};
use crate::words::Words;

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
    let page = browser_page(output);
    // The page itself has chosen its title and the end of its address.
    let source = page.map_or_else(|| "the browser".to_owned(), |page| escaped(&page.url));
    let mut reporting = RenderSink {
        page,
        framed: &|text| enclosed(text, &source, &output.boundary),
        notices: Vec::new(),
        words,
    };
    let text = reporting.result(&output.result);
    let mut warnings = Vec::new();
    let text = match &output.saved {
        Some(saved) => {
            warnings.clone_from(&saved.warnings);
            let size = count(saved.size, "byte", "bytes");
            let (path, kind) = (&saved.path, &saved.mime_type);
            format!("{text}\n\nWrote `{path}` ({size}, {kind})")
        }
        None => text,
    };
    let text = with_warnings(with_notices(text, &reporting.notices), &warnings, words);
    let mut content = vec![Content::Text(text)];
    if let BrowserResult::Pictured(picture) = &output.result {
        content.push(Content::Image {
            data: picture.data.clone(),
            mime_type: picture.mime_type.clone(),
        });
    }
    content
}

/// A result as it becomes text. What pages choose stands in the frame.
struct RenderSink<'a> {
    page: Option<&'a TabInfo>,
    framed: &'a dyn Fn(&str) -> String,
    notices: Vec<String>,
    words: &'a Words<'a>,
}

impl RenderSink<'_> {
    fn result(&mut self, result: &BrowserResult) -> String {
        match result {
            BrowserResult::Opened(opened) => self.opened(opened),
            BrowserResult::Looked(snapshot) => {
                self.notices.extend(snapshot_notices(snapshot, self.words));
                (self.framed)(&with_title(self.page, shown_of(snapshot), None))
            }
            BrowserResult::Read(read) => self.read(read),
            BrowserResult::Pictured(picture) => self.pictured(picture),
            BrowserResult::Done(done, moved) => {
                if *moved == Some(false) {
                    self.notices
                        .push("Nothing moved: this is the end".to_owned());
                }
                self.acted(done)
            }
            BrowserResult::Answered(info, done) => {
                format!("Answered the {}. {}", info.kind, self.acted(done))
            }
            BrowserResult::Downloaded(_, done) => {
                format!("Downloaded the file. {}", self.acted(done))
            }
            BrowserResult::Tabs(tabs) if tabs.is_empty() => "No tab is open.".to_owned(),
            BrowserResult::Tabs(tabs) => {
                let lines: Vec<String> = tabs.iter().map(tab_line).collect();
                (self.framed)(&lines.join("\n"))
            }
            BrowserResult::Paused => "The time has passed.".to_owned(),
            BrowserResult::Waited(true) => "It is there.".to_owned(),
            BrowserResult::Waited(false) => {
                "It did not come in time. Take a snapshot to see the page.".to_owned()
            }
            BrowserResult::Evaluated(value) => {
                if value.truncated {
                    self.notices.push("The value is cut".to_owned());
                }
                (self.framed)(&escaped(&value.value))
            }
            BrowserResult::Console(found) => {
                let line =
                    |entry: &ConsoleEntry| format!("{}: {}", entry.level, escaped(&entry.text));
                self.entries(found.entries.iter().map(line).collect(), found.total)
            }
            BrowserResult::Network(found) => self.entries(
                found.entries.iter().map(request_line).collect(),
                found.total,
            ),
        }
    }

    fn read(&mut self, read: &PageText) -> String {
        if let Some(next) = read.next {
            let more = format!("There is more: use offset={next}");
            self.notices.push(more);
        }
        if read.cut {
            let cut = "Part of the page was not read: it is too long, or in too many elements in each other";
            self.notices.push(cut.to_owned());
        }
        (self.framed)(match read.text.as_str() {
            "" => "(the page has no text)",
            text => text,
        })
    }

    fn opened(&mut self, opened: &Navigated) -> String {
        let status = opened.http_status;
        let status = status.map_or_else(String::new, |status| format!(", status {status}"));
        if opened.loading {
            self.notices.push("The page is still loading".to_owned());
        }
        self.notices.extend(opened.remark.clone());
        let dialog = opened.dialog.as_ref();
        self.notices.extend(dialog.map(|dialog| asks(&dialog.kind)));
        self.notices
            .extend(snapshot_notices(&opened.snapshot, self.words));
        let mut said: Vec<String> = opened.blocked.iter().map(blocked_line).collect();
        said.extend(opened.downloads.iter().map(offered_line));
        let dialog = dialog.map(|dialog| dialog.message.as_str());
        said.push(with_title(self.page, shown_of(&opened.snapshot), dialog));
        let (tab, body) = (&opened.tab.tab, (self.framed)(&said.join("\n")));
        if opened.is_file {
            return format!("The address leads to a file. The page in {tab} is as before.\n{body}");
        }
        format!("Opened in {tab}{status}\n{body}")
    }

    fn pictured(&self, picture: &ShownPicture) -> String {
        let scale = match picture.scale {
            scale if (scale - 1.0).abs() < 0.001 => String::new(),
            scale => format!(", scale {scale:.2}"),
        };
        let tab = self.page.map_or("the page", |page| page.tab.as_str());
        let (width, height) = (picture.width, picture.height);
        format!("Screenshot of {tab}, {width}x{height}{scale}")
    }

    fn entries(&mut self, lines: Vec<String>, total: usize) -> String {
        let shown = format!("{} of {total} shown, oldest first", lines.len());
        self.notices.push(shown);
        (self.framed)(&lines.join("\n"))
    }

    /// What an action did.
    fn acted(&mut self, done: &ActionResult) -> String {
        let head = match done.changed {
            Changed::None => "Done. Nothing changed that can be seen.".to_owned(),
            Changed::Page => "Done. The page changed.".to_owned(),
            Changed::Navigation if done.snapshot.is_none() && !done.blocked.is_empty() => {
                "Done. The page that it leads to could not be opened.".to_owned()
            }
            Changed::Navigation => format!("Done. {} shows another page.", done.tab.tab),
        };
        let mut said = Vec::new();
        let alerts = done.alerts.iter();
        said.extend(alerts.map(|alert| format!("Alert: {}", escaped(alert))));
        if let Some(dialog) = &done.dialog {
            said.push(format!("Question: {}", escaped(&dialog.message)));
            self.notices.push(asks(&dialog.kind));
        }
        self.notices.extend(done.remark.clone());
        let others = done.opened.iter();
        said.extend(others.map(|other| format!("New tab {}", tab_line(other))));
        let errors = done.console_errors.iter();
        said.extend(errors.map(|error| format!("Console error: {}", escaped(error))));
        said.extend(done.downloads.iter().map(offered_line));
        said.extend(done.blocked.iter().map(blocked_line));
        if !done.downloads.is_empty() {
            let keep = "To keep an offered file use the action `download`";
            self.notices.push(keep.to_owned());
        }
        if done.file_chooser.is_some() {
            let chooser = "The page waits for files: use the action `upload` without `ref`";
            self.notices.push(chooser.to_owned());
        }
        if let Some(snapshot) = &done.snapshot {
            self.notices.extend(snapshot_notices(snapshot, self.words));
            let page = (done.changed == Changed::Navigation).then_some(&done.tab);
            let text = match (snapshot.text.as_str(), done.changed) {
                ("", Changed::Page) => "(nothing new can be seen yet; take a snapshot)",
                _ => shown_of(snapshot),
            };
            said.push(with_title(page, text, None));
        }
        match said.is_empty() {
            true => head,
            false => format!("{head}\n{}", (self.framed)(&said.join("\n"))),
        }
    }
}

fn offered_line(file: &Offered) -> String {
    format!(
        "File offered: {} ({})",
        escaped(&file.name),
        escaped(&file.url)
    )
}

fn request_line(entry: &NetworkEntry) -> String {
    let end = match (entry.status, &entry.error) {
        (Some(status), Some(error)) => format!("{status} {error}"),
        (Some(status), None) => status.to_string(),
        (None, Some(error)) => error.clone(),
        (None, None) => "pending".to_owned(),
    };
    let url = escaped(&entry.url);
    format!("{} {url} {} {end}", entry.method, entry.kind)
}

/// What is shown of a page, in words where that is nothing.
fn shown_of(snapshot: &Snapshot) -> &str {
    match (snapshot.text.as_str(), snapshot.is_searched) {
        ("", true) => {
            "(no line has all words of the query; options of a long list are shown with its ref as scope)"
        }
        ("", false) => "(no text and no controls; `screenshot` shows what is drawn)",
        (text, _) => text,
    }
}

fn with_title(page: Option<&TabInfo>, text: &str, dialog: Option<&str>) -> String {
    let title = page.map(|page| escaped(page.title.trim()));
    let title = title.filter(|title| !title.is_empty());
    let title = title.map_or_else(String::new, |title| format!("Title: {title}\n"));
    let dialog = dialog.map_or_else(String::new, |said| format!("Question: {}\n", escaped(said)));
    format!("{title}{dialog}{text}")
}

fn asks(kind: &str) -> String {
    format!("The page waits for an answer to its {kind}: use the action `dialog`")
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
