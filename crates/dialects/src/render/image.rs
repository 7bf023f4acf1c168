//! Images.

use schemars::JsonSchema;
use serde::Serialize;
use tenon_contract::Content;
use tenon_tools::ImageOutput;

/// An image as every dialect shows it (SPEC section 1).
pub(crate) fn image_content(output: ImageOutput) -> Vec<Content> {
    let place = Content::Text(format!("MEDIA:{}", output.absolute));
    vec![
        place,
        Content::Image {
            data: output.data,
            mime_type: output.mime_type,
        },
    ]
}

/// An image.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ImageDetails {
    /// The file, relative to the workspace.
    path: String,
    /// In pixels.
    width: u32,
    /// In pixels.
    height: u32,
    /// Such as `image/png`.
    mime_type: String,
}

impl ImageDetails {
    pub(crate) fn of(image: &ImageOutput) -> Self {
        Self {
            path: image.path.clone(),
            width: image.width,
            height: image.height,
            mime_type: image.mime_type.clone(),
        }
    }
}
