//! Pages that an agent shows: checked, wrapped once, served on loopback and to any host of MCP Apps.
//!
//! - [`Canvases`]: the canvases of a toolkit. Showing, updating, events.
//! - [`Fragment`]: HTML that was checked, or [parts](Part) in JSON that become HTML.
//! - [`Document`]: a canvas as a host of MCP Apps takes it.
//! - [`picture()`]: what a canvas looks like, by a browser.
//!
//! A page has an opaque origin and a policy that lets it load nothing but what its caller was allowed. It speaks the
//! view's side of MCP Apps (2026-01-26); on loopback the page around it is a small host of the same protocol.

mod canvases;
mod document;
mod events;
mod fragment;
mod gate;
mod origins;
mod page;
mod parts;
mod picture;
mod scan;
mod scripts;
mod server;
mod svg;
mod token;

pub use canvases::{CanvasFacts, Canvases, Presented, Shown, Update};
pub use document::{APP_MIME_TYPE, Document, SCHEME, TEMPLATE_URI, template};
pub use events::{Event, Events};
pub use fragment::Fragment;
pub use origins::{Origin, Origins};
pub use parts::{Part, PartKind};
pub use picture::{BrowserChoice, Picture, picture};
