//! Images, made ready for a model.

mod fit;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use tenon_contract::{ErrorCode, ToolContext, ToolError, limits};
use tenon_workspace::{ImageFacts, OpenFile, image_facts, is_cut_off};

use self::fit::Fitted;

/// An image as a model is shown it.
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
    /// In pixels, as shown.
    pub width: u32,
    /// In pixels, as shown.
    pub height: u32,
    /// Width and height of the file, seen upright, where they are not those shown.
    pub original: Option<(u32, u32)>,
}

pub(super) fn read(file: &OpenFile, context: &ToolContext) -> Result<ImageOutput, ToolError> {
    let located = file.located();
    let snapshot = file.read_bytes(limits::READ_IMAGE_MAX_BYTES)?;
    let name = located.name();
    let facts = whole_image(snapshot.bytes()).map_err(|reason| damaged(name, &reason))?;
    let output = |data: &[u8], mime_type: &str, size: (u32, u32), original| ImageOutput {
        path: name.to_owned(),
        absolute: located.target().to_string_lossy().into_owned(),
        data: STANDARD.encode(data),
        mime_type: mime_type.to_owned(),
        width: size.0,
        height: size.1,
        original,
    };
    if fit::fits_as_it_is(snapshot.bytes(), &facts) {
        let size = (facts.width, facts.height);
        return Ok(output(
            snapshot.bytes(),
            facts.format.mime_type(),
            size,
            None,
        ));
    }
    require_decodable(name, &facts)?;
    match fit::fit(snapshot.bytes(), facts.format, context)? {
        Ok(Fitted {
            data,
            mime_type,
            size,
            original,
        }) => Ok(output(
            &data,
            mime_type,
            size,
            (original != size).then_some(original),
        )),
        Err(reason) => Err(damaged(name, &reason)),
    }
}

/// What is known of an image that is there to its end; else why it cannot be shown. Hosts and models would refuse it, or show half of it
/// without a word.
pub(crate) fn whole_image(bytes: &[u8]) -> Result<ImageFacts, String> {
    let facts = image_facts(bytes).ok_or_else(|| "its size cannot be read".to_owned())?;
    if is_cut_off(bytes, facts.format) {
        let count = bytes.len();
        return Err(format!(
            "it is cut off, its end is missing after {count} bytes. Make or fetch it again"
        ));
    }
    Ok(facts)
}

fn require_decodable(name: &str, facts: &ImageFacts) -> Result<(), ToolError> {
    let pixels = u64::from(facts.width) * u64::from(facts.height);
    if pixels <= limits::IMAGE_MAX_PIXELS {
        return Ok(());
    }
    let (width, height, most) = (
        facts.width,
        facts.height,
        limits::IMAGE_MAX_PIXELS / 1_000_000,
    );
    let message = format!(
        "`{name}` has {width} × {height} pixels, more than the {most} million that can be shown. Create a smaller copy to see it."
    );
    Err(ToolError::new(ErrorCode::TooLarge, message)
        .with("path", name)
        .with("width", width)
        .with("height", height))
}

fn damaged(name: &str, reason: &str) -> ToolError {
    let message = format!("`{name}` begins like an image but is damaged: {reason}.");
    ToolError::new(ErrorCode::BinaryFile, message).with("path", name)
}
