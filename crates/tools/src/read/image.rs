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

/// An image that models take: upright, in a format of theirs, not too large.
pub(crate) struct ShownImage {
    /// The bytes, base64.
    pub(crate) data: String,
    pub(crate) mime_type: &'static str,
    /// In pixels, as shown.
    pub(crate) size: (u32, u32),
    /// In pixels, as it came, seen upright.
    pub(crate) original: (u32, u32),
}

/// Why an image is not shown.
pub(crate) enum ImageFault {
    /// It is none, or not all of one: the reason.
    Damaged(String),
    /// It has too many pixels to be made smaller here.
    TooManyPixels(ImageFacts),
}

impl ImageFault {
    /// The error about an image of this name.
    pub(crate) fn of(self, name: &str, damaged: impl FnOnce(&str) -> ToolError) -> ToolError {
        match self {
            Self::Damaged(reason) => damaged(&reason),
            Self::TooManyPixels(facts) => too_many_pixels(name, &facts),
        }
    }
}

/// Makes an image ready for a model.
///
/// # Errors
/// When the call was cancelled.
pub(crate) fn shown(
    bytes: &[u8],
    context: &ToolContext,
) -> Result<Result<ShownImage, ImageFault>, ToolError> {
    let facts = match whole_image(bytes) {
        Ok(facts) => facts,
        Err(reason) => return Ok(Err(ImageFault::Damaged(reason))),
    };
    if fit::fits_as_it_is(bytes, &facts) {
        let size = (facts.width, facts.height);
        return Ok(Ok(ShownImage {
            data: STANDARD.encode(bytes),
            mime_type: facts.format.mime_type(),
            size,
            original: size,
        }));
    }
    if u64::from(facts.width) * u64::from(facts.height) > limits::IMAGE_MAX_PIXELS {
        return Ok(Err(ImageFault::TooManyPixels(facts)));
    }
    let fitted = fit::fit(bytes, facts.format, context)?;
    let shown = |fitted: Fitted| ShownImage {
        data: STANDARD.encode(&fitted.data),
        mime_type: fitted.mime_type,
        size: fitted.size,
        original: fitted.original,
    };
    Ok(fitted.map(shown).map_err(ImageFault::Damaged))
}

pub(super) fn read(file: &OpenFile, context: &ToolContext) -> Result<ImageOutput, ToolError> {
    let located = file.located();
    let snapshot = file.read_bytes(limits::READ_IMAGE_MAX_BYTES)?;
    let name = located.name();
    let shown = shown(snapshot.bytes(), context)?.map_err(|fault| {
        fault
            .of(name, |reason| damaged(name, reason))
            .with("path", name)
    })?;
    Ok(ImageOutput {
        path: name.to_owned(),
        absolute: located.target().to_string_lossy().into_owned(),
        data: shown.data,
        mime_type: shown.mime_type.to_owned(),
        width: shown.size.0,
        height: shown.size.1,
        original: (shown.original != shown.size).then_some(shown.original),
    })
}

/// What is known of an image that is there to its end; else why it cannot be shown. Hosts and models would refuse it, or show half of it
/// without a word.
fn whole_image(bytes: &[u8]) -> Result<ImageFacts, String> {
    let facts = image_facts(bytes).ok_or_else(|| "its size cannot be read".to_owned())?;
    if is_cut_off(bytes, facts.format) {
        let count = bytes.len();
        return Err(format!(
            "it is cut off, its end is missing after {count} bytes. Make or fetch it again"
        ));
    }
    Ok(facts)
}

fn too_many_pixels(name: &str, facts: &ImageFacts) -> ToolError {
    let (width, height, most) = (
        facts.width,
        facts.height,
        limits::IMAGE_MAX_PIXELS / 1_000_000,
    );
    let message = format!(
        "`{name}` has {width} × {height} pixels, more than the {most} million that can be shown. Create a smaller copy to see it."
    );
    ToolError::new(ErrorCode::TooLarge, message)
        .with("width", width)
        .with("height", height)
}

fn damaged(name: &str, reason: &str) -> ToolError {
    let message = format!("`{name}` begins like an image but is damaged: {reason}.");
    ToolError::new(ErrorCode::BinaryFile, message)
}
