//! What the actions return.

use serde::Serialize;

use crate::{Blocked, DialogInfo, Offered, Snapshot};

/// A tab, as it is now.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TabInfo {
    /// Its name, such as `t1`.
    pub tab: String,
    /// The address of its page.
    pub url: String,
    /// The title of its page.
    pub title: String,
    /// Whether actions go to it that name no tab.
    pub active: bool,
}

/// What an action did to the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Changed {
    /// Nothing that can be seen.
    None,
    /// Something.
    Page,
    /// It is another page.
    Navigation,
}

/// How many files a page asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FileChooser {
    /// One.
    Single,
    /// Any number.
    Multiple,
}

/// What came of opening a page.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Navigated {
    /// The tab.
    #[serde(flatten)]
    pub tab: TabInfo,
    /// The status of the answer, where there was one.
    #[serde(rename = "httpStatus", skip_serializing_if = "Option::is_none")]
    pub http_status: Option<u16>,
    /// The page.
    #[serde(flatten)]
    pub snapshot: Snapshot,
    /// Whether it was still loading when the time was up.
    pub loading: bool,
    /// A question that it asks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dialog: Option<DialogInfo>,
    /// Files that it offered.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub downloads: Vec<Offered>,
    /// Frames that were not opened, and what it was not allowed to send.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blocked: Vec<Blocked>,
    /// Whether the address led to a file, which leaves the page as it was.
    #[serde(skip)]
    pub is_file: bool,
    /// What is to be said of the page beside what it shows.
    #[serde(skip)]
    pub remark: Option<String>,
}

/// What came of an action.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ActionResult {
    /// The tab.
    #[serde(flatten)]
    pub tab: TabInfo,
    /// What it did to the page.
    pub changed: Changed,
    /// What is new on the page, or all of another page; nothing where nobody has seen the page yet.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<Snapshot>,
    /// A question that the page asks and that waits for an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dialog: Option<DialogInfo>,
    /// What the page said by `alert`, which was closed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub alerts: Vec<String>,
    /// Tabs that it opened.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub opened: Vec<TabInfo>,
    /// Errors that the page wrote to its console meanwhile.
    #[serde(rename = "consoleErrors", skip_serializing_if = "Vec::is_empty")]
    pub console_errors: Vec<String>,
    /// Files that it offered.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub downloads: Vec<Offered>,
    /// Documents that were not opened, in the page or in a new tab.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blocked: Vec<Blocked>,
    /// What the page opened to be given files, which waits for an upload.
    #[serde(rename = "fileChooser", skip_serializing_if = "Option::is_none")]
    pub file_chooser: Option<FileChooser>,
    /// What is to be said of another page beside what it shows.
    #[serde(skip)]
    pub remark: Option<String>,
}
