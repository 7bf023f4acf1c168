//! Files and addresses that go with a message.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tenon_contract::{Access, ErrorCode, ToolContext, ToolError, counted, grouped, limits};
use tenon_web::WebUrl;
use tenon_workspace::{ContentKind, Located, Workspace};

use crate::blocking::blocking;

/// What goes with a message.
pub(super) enum Media {
    /// A file of the workspace, with its size when the call was judged.
    File { file: Located, size: u64 },
    /// An address, which the host fetches.
    Address(WebUrl),
}

impl Media {
    /// As the preview shows it.
    pub(super) fn shown(&self) -> String {
        match self {
            Self::File { file, size } => {
                format!("{} ({})", file.name(), counted(*size, "byte", "bytes"))
            }
            Self::Address(url) => url.to_string(),
        }
    }
}

/// Locates what is named.
pub(super) fn plan(workspace: &Workspace, named: &[String]) -> Result<Vec<Media>, ToolError> {
    if named.len() > limits::MESSAGE_MEDIA_MAX {
        let message = format!(
            "`media` has {} entries; at most {} are allowed.",
            named.len(),
            limits::MESSAGE_MEDIA_MAX
        );
        return Err(ToolError::new(ErrorCode::InvalidParams, message));
    }
    let mut total = 0;
    let mut media = Vec::new();
    for name in named {
        if name.contains("://") {
            let url = WebUrl::parse(name)
                .map_err(|refusal| ToolError::new(ErrorCode::InvalidParams, refusal.to_string()))?;
            media.push(Media::Address(url));
            continue;
        }
        let file = workspace.locate_existing(name)?;
        let size = file.metadata()?.size;
        total += size;
        if total > limits::MESSAGE_MEDIA_MAX_BYTES {
            let message = format!(
                "The files of `media` have more than {} bytes together. Send fewer or smaller ones.",
                grouped(limits::MESSAGE_MEDIA_MAX_BYTES)
            );
            return Err(ToolError::new(ErrorCode::TooLarge, message));
        }
        media.push(Media::File { file, size });
    }
    Ok(media)
}

/// States what is read and fetched.
pub(super) fn claim(media: &[Media], access: &mut Access) {
    for entry in media {
        match entry {
            Media::File { file, .. } => access.reads.push(file.claim().clone()),
            Media::Address(url) => access.hosts.push(url.claim()),
        }
    }
}

/// Reads the files that were judged, for the host.
pub(super) async fn load(
    media: Vec<Media>,
    context: &ToolContext,
) -> Result<Vec<Value>, ToolError> {
    if media.is_empty() {
        return Ok(Vec::new());
    }
    blocking(context.clone(), move |context| {
        let mut left = limits::MESSAGE_MEDIA_MAX_BYTES;
        let mut loaded = Vec::new();
        for entry in &media {
            context.check()?;
            loaded.push(match entry {
                Media::Address(url) => json!({ "url": url.to_string() }),
                Media::File { file, .. } => {
                    let open = file.open_file()?;
                    let kind = match open.content_kind()? {
                        ContentKind::Text => "text/plain",
                        ContentKind::Image(format) => format.mime_type(),
                        ContentKind::Binary(kind) if kind.is_pdf() => "application/pdf",
                        ContentKind::Binary(_) => "application/octet-stream",
                    };
                    let bytes = open.read_bytes(left)?;
                    let bytes = bytes.bytes();
                    left = left.saturating_sub(bytes.len() as u64);
                    let name = file.name().rsplit('/').next().unwrap_or_default();
                    json!({ "name": name, "mimeType": kind, "size": bytes.len(), "data": STANDARD.encode(bytes) })
                }
            });
        }
        Ok(loaded)
    })
    .await
}
