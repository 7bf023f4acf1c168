//! Looking behind a page: its text for reading, its console, its requests, expressions.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::json;
use tenon_contract::limits;
use tenon_web::{Content, WebUrl, read_html};

use crate::actions::navigate::page_limit;
use crate::page::frames::Frame;
use crate::page::log::{ConsoleEntry, NetworkEntry};
use crate::page::tab::Tab;
use crate::session::Session;
use crate::snapshot::look::{Suspicious, look_through};
use crate::{BrowserError, CancellationToken};

/// The last entries of a log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Entries<T> {
    /// The last ones, the oldest first.
    pub entries: Vec<T>,
    /// How many there were since the tab was opened.
    pub total: usize,
}

/// The text of a page, as Markdown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PageText {
    /// The part that was asked for.
    pub text: String,
    /// Whether there is more behind it.
    pub truncated: bool,
    /// The offset at which to go on, in characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<usize>,
    /// Whether a part of the page was not read: it is too long, or in too many elements in each other.
    #[serde(skip)]
    pub cut: bool,
}

/// What was read of frames.
#[derive(Default)]
struct Reading {
    markdown: String,
    cut: bool,
}

/// Most bytes of HTML that the text of a page is made from.
const HTML_MAX: usize = 4 * 1024 * 1024;

#[derive(Deserialize)]
struct Readable {
    #[serde(default)]
    html: String,
    #[serde(default)]
    gone: bool,
    #[serde(default)]
    cut: bool,
    #[serde(default)]
    title: String,
    #[serde(default)]
    suspects: Vec<u32>,
}

/// Whether a frame is seen in the one around it. What is just being replaced is not.
async fn is_shown(tab: &Tab, frames: &[Frame], frame: &Frame) -> bool {
    let around = |parent: &String| frames.iter().find(|known| known.id == *parent);
    let Some(around) = frame.parent.as_ref().and_then(around) else {
        return true;
    };
    let shown = async {
        let owner = json!({ "objectId": tab.owner(around, frame).await? });
        tab.ask_with::<bool>(around, "frameShows", &[owner]).await
    };
    shown.await.unwrap_or(false)
}

impl Suspicious for Readable {
    fn suspects(&self) -> &[u32] {
        &self.suspects
    }
}

impl Session {
    /// The text of a page, or of an element in it, for reading: what a user can see, as Markdown.
    ///
    /// # Errors
    /// When the element is gone.
    pub async fn text(
        &self,
        tab: Option<&str>,
        scope: Option<&str>,
        offset: usize,
        max_characters: Option<usize>,
        timeout: Option<Duration>,
        abort: &CancellationToken,
    ) -> Result<PageText, BrowserError> {
        let most = max_characters
            .unwrap_or(limits::BROWSER_TEXT_DEFAULT_CHARACTERS)
            .clamp(1, limits::BROWSER_SNAPSHOT_MAX_CHARACTERS);
        self.run(abort, async {
            let limit = page_limit(timeout);
            let (tab, Reading { markdown, cut }) = match scope {
                Some(scope) => {
                    let located = self.locate(tab, scope, limit).await?;
                    let id = located.shown.place.id;
                    let frame = located.frame()?.clone();
                    let read = self.read(&located.tab, &frame, id);
                    let read = located.tab.within(limit, "Reading the text", read).await?;
                    match read {
                        Some(read) => (std::sync::Arc::clone(&located.tab), read),
                        None => {
                            return Err(self
                                .stale(&located.tab, &frame, scope, &located.shown)
                                .await);
                        }
                    }
                }
                None => {
                    let tab = self.tab(tab)?;
                    tab.has_page()?;
                    let read = tab
                        .within(limit, "Reading the text", self.read_all(&tab))
                        .await?;
                    (tab, read)
                }
            };
            drop(tab);
            let total = markdown.chars().count();
            let text: String = markdown.chars().skip(offset).take(most).collect();
            let end = offset.saturating_add(most);
            Ok(PageText {
                text,
                truncated: end < total,
                next: (end < total).then_some(end),
                cut,
            })
        })
        .await
    }

    /// The text of all frames that are seen, the main one first.
    async fn read_all(&self, tab: &Tab) -> Result<Reading, BrowserError> {
        let mut parts = Vec::new();
        let mut cut = false;
        let frames = tab.frames().await?;
        let mut hidden: Vec<&str> = Vec::new();
        for (index, frame) in frames.iter().enumerate() {
            let around = frame.parent.as_deref();
            let is_within = around.is_some_and(|parent| hidden.contains(&parent));
            if is_within || !is_shown(tab, &frames, frame).await {
                hidden.push(&frame.id);
                continue;
            }
            match self.read(tab, frame, 0).await {
                Ok(Some(read)) => {
                    cut |= read.cut;
                    parts.push(read.markdown);
                }
                Ok(None) => {}
                // A frame that is just being replaced.
                Err(BrowserError::Protocol { .. }) if index > 0 => {}
                Err(error) => return Err(error),
            }
        }
        parts.retain(|text| !text.trim().is_empty());
        Ok(Reading {
            markdown: parts.join("\n\n---\n\n"),
            cut,
        })
    }

    async fn read(
        &self,
        tab: &Tab,
        frame: &Frame,
        id: u32,
    ) -> Result<Option<Reading>, BrowserError> {
        let wanted = [json!(id), json!(HTML_MAX)];
        let readable: Readable = look_through(tab, frame, "readable", &wanted).await?;
        if readable.gone {
            return Ok(None);
        }
        let nowhere = || WebUrl::parse("https://page.invalid/");
        let Ok(url) = WebUrl::parse(&frame.url).or_else(|_| nowhere()) else {
            return Ok(Some(Reading {
                markdown: readable.html,
                cut: readable.cut,
            }));
        };
        // Parsing takes time that other tasks of this thread need.
        let parsed = tokio::task::spawn_blocking(move || read_html(&readable.html, &url)).await;
        let markdown = match parsed.map(|document| document.content) {
            Ok(Content::Text { markdown, .. }) => markdown,
            _ => String::new(),
        };
        let title = readable.title.trim();
        let is_headed = title.is_empty() || id != 0 || markdown.contains(title);
        let markdown = match is_headed {
            true => markdown,
            false => format!("# {title}\n\n{markdown}"),
        };
        Ok(Some(Reading {
            markdown,
            cut: readable.cut,
        }))
    }

    /// The last lines of the console that hold this text.
    ///
    /// # Errors
    /// When there is no such tab.
    pub async fn console(
        &self,
        tab: Option<&str>,
        filter: Option<&str>,
        limit: usize,
        abort: &CancellationToken,
    ) -> Result<Entries<ConsoleEntry>, BrowserError> {
        self.run(abort, async {
            let tab = self.tab(tab)?;
            let state = tab.state();
            let is_wanted = |entry: &ConsoleEntry| {
                filter.is_none_or(|text| entry.text.contains(text) || entry.level == text)
            };
            Ok(Entries {
                entries: last(state.console.iter(), limit, is_wanted),
                total: state.console_total,
            })
        })
        .await
    }

    /// The last requests whose address, kind or status has this text.
    ///
    /// # Errors
    /// When there is no such tab.
    pub async fn network(
        &self,
        tab: Option<&str>,
        filter: Option<&str>,
        limit: usize,
        abort: &CancellationToken,
    ) -> Result<Entries<NetworkEntry>, BrowserError> {
        self.run(abort, async {
            let tab = self.tab(tab)?;
            let state = tab.state();
            let is_wanted = |entry: &NetworkEntry| {
                filter.is_none_or(|text| {
                    entry.url.contains(text)
                        || entry.kind == text
                        || entry
                            .status
                            .is_some_and(|status| status.to_string() == text)
                })
            };
            Ok(Entries {
                entries: last(state.network.iter(), limit, is_wanted),
                total: state.network_total,
            })
        })
        .await
    }
}

fn last<'a, T: Clone + 'a>(
    entries: impl DoubleEndedIterator<Item = &'a T>,
    limit: usize,
    is_wanted: impl Fn(&T) -> bool,
) -> Vec<T> {
    let mut found: Vec<T> = entries
        .rev()
        .filter(|entry| is_wanted(entry))
        .take(limit)
        .cloned()
        .collect();
    found.reverse();
    found
}
