//! Images.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tenon_contract::{ErrorCode, ToolError, limits};
use tenon_workspace::{OpenFile, image_facts};

/// An image.
#[derive(Debug)]
pub struct ImageOutput {
    /// The file, as answers name it.
    pub path: String,
    /// Its absolute path.
    pub absolute: String,
    /// The bytes, base64.
    pub data: String,
    /// Such as `image/png`.
    pub mime_type: String,
    /// In pixels.
    pub width: u32,
    /// In pixels.
    pub height: u32,
}

pub(super) fn read(file: &OpenFile) -> Result<ImageOutput, ToolError> {
    let located = file.located();
    let snapshot = file.read_bytes(limits::READ_IMAGE_MAX_BYTES)?;
    let Some(facts) = image_facts(snapshot.bytes()) else {
        let message = format!(
            "`{}` begins like an image but is damaged: its size cannot be read.",
            located.name()
        );
        return Err(ToolError::new(ErrorCode::BinaryFile, message).with("path", located.name()));
    };
    Ok(ImageOutput {
        path: located.name().to_owned(),
        absolute: located.target().to_string_lossy().into_owned(),
        data: STANDARD.encode(snapshot.bytes()),
        mime_type: facts.format.mime_type().to_owned(),
        width: facts.width,
        height: facts.height,
    })
}
