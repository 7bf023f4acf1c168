//! What came of a call of the browser.

use tenon_browser::{
    ActionResult, ConsoleEntry, DialogInfo, Entries, Navigated, NetworkEntry, PageText, Snapshot,
    TabInfo, Value,
};
use tenon_contract::{ChangeKind, FileChange, Output};

use super::BrowserAction;

/// What came of it.
#[derive(Debug)]
pub struct BrowserOutput {
    /// What was done.
    pub action: BrowserAction,
    /// The result.
    pub result: BrowserResult,
    /// The page, where the result does not say itself: tab, address and title.
    pub page: Option<TabInfo>,
    /// A word that the page cannot know, for the frame around what it says.
    pub boundary: String,
    /// The file that was written.
    pub saved: Option<SavedFile>,
    /// The files that a field was given, as answers name them.
    pub uploaded: Vec<String>,
    /// Whether the connections of the browser go through our proxy. Those of a remote one of the host do not.
    pub is_proxied: bool,
}

/// A file that was written.
#[derive(Debug)]
pub struct SavedFile {
    /// The file, as answers name it.
    pub path: String,
    /// Its absolute path.
    pub absolute: String,
    /// Whether it is new.
    pub kind: ChangeKind,
    /// Its bytes.
    pub size: u64,
    /// What it is.
    pub mime_type: String,
    /// What is worth a warning.
    pub warnings: Vec<String>,
}

/// A picture.
#[derive(Debug)]
pub struct ShownPicture {
    /// The bytes, base64.
    pub data: String,
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
    /// Such as `image/jpeg`.
    pub mime_type: String,
    /// Pixels of it for one of the page.
    pub scale: f64,
}

/// The result, by what was done.
#[derive(Debug)]
pub enum BrowserResult {
    /// A page was opened.
    Opened(Box<Navigated>),
    /// A page as text with references.
    Looked(Snapshot),
    /// The text of a page.
    Read(PageText),
    /// A picture.
    Pictured(ShownPicture),
    /// Something was done; whether it scrolled, where that was to be done.
    Done(Box<ActionResult>, Option<bool>),
    /// The tabs.
    Tabs(Vec<TabInfo>),
    /// Whether it came in time.
    Waited(bool),
    /// Time has passed.
    Paused,
    /// A value.
    Evaluated(Value),
    /// A question was answered.
    Answered(DialogInfo, Box<ActionResult>),
    /// A file came, of this address.
    Downloaded(String, Box<ActionResult>),
    /// Lines of the console.
    Console(Entries<ConsoleEntry>),
    /// Requests.
    Network(Entries<NetworkEntry>),
}

impl Output for BrowserOutput {
    fn changes(&self) -> Vec<FileChange> {
        let saved = self.saved.iter();
        saved
            .map(|file| FileChange {
                path: file.path.clone(),
                kind: file.kind,
            })
            .collect()
    }
}
