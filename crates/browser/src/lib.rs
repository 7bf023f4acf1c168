//! The browser: found on this machine, started without a way around the guard, seen as text, and worked by references
//! that hit nothing else.
//!
//! - [`Browser`]: one Chromium, spoken with over a pipe. It ends with its owner, however that ends.
//! - [`Session`]: tabs with cookies of their own. One method for each action of the tool.
//! - [`Guard`]: decides about every document before it is asked for. Every connection goes through a [`ProxyAddress`].
//! - [`Snapshot`]: a page as text with references (`e12`) to what can be worked.
//! - [`BrowserError`]: what went wrong, with the next step.
//!
//! Its modules are layers, each on those before it: `protocol` (the connection), `program` (the process), `page` (tab, frames,
//! script, input), `snapshot` (a page as text), `events` (what the browser reports), `session`, `actions`.
//!
//! Page text comes from the network: mark it as such where a model sees it.

mod actions;
mod browser;
mod error;
mod events;
mod guard;
mod options;
mod own_page;
mod page;
mod pool;
mod program;
mod protocol;
mod results;
mod session;
mod snapshot;

pub use actions::act::{ActionOptions, Click, Target};
pub use actions::capture::{Screenshot, ScreenshotOptions};
pub use actions::evaluate::Value;
pub use actions::files::{Downloaded, Upload};
pub use actions::forms::Field;
pub use actions::inspect::{Entries, PageText};
pub use actions::navigate::NavigateOptions;
pub use actions::picture::ImageFormat;
pub use actions::wait::{WaitFor, Waited};
pub use browser::Browser;
pub use error::{BrowserError, DialogInfo};
pub use guard::{Decision, DocumentKind, DocumentRequest, Guard, JudgeFuture, is_opened};
pub use options::{LaunchOptions, Profile, ProxyAddress, SessionOptions};
pub use own_page::{OwnPage, OwnPageOptions};
pub use page::log::{Blocked, ConsoleEntry, NetworkEntry, Offered};
pub use pool::{Browsers, BrowsersOptions, Use};
pub use program::discover::VARIABLE;
pub use protocol::remote::{Connector, Remote, RemoteFuture};
pub use results::{ActionResult, Changed, FileChooser, Navigated, TabInfo};
pub use session::Session;
pub use snapshot::look::{LookMode, LookOptions, Snapshot};
pub use tenon_contract::CancellationToken;
