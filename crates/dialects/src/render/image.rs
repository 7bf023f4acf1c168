//! Images.

use schemars::JsonSchema;
use serde::Serialize;
use tenon_contract::Content;
use tenon_tools::ImageOutput;

/// An image as every dialect shows it. Of one that was made smaller the text says
/// by how much, for the one who has to name a place in it.
pub(crate) fn image_content(output: ImageOutput) -> Vec<Content> {
    let mut place = format!("MEDIA:{}", output.absolute);
    if let Some((width, height)) = output.original {
        let scale = scale((width, height), (output.width, output.height));
        place.push_str(&format!(
            "\n[Shown at {}x{}, the original is {width}x{height}. Multiply {scale} to map them to the original]",
            output.width, output.height
        ));
    }
    vec![
        Content::Text(place),
        Content::Image {
            data: output.data,
            mime_type: output.mime_type,
        },
    ]
}

/// What to multiply by. A side cannot become smaller than one pixel, so that the axes of a thin image differ.
fn scale(original: (u32, u32), shown: (u32, u32)) -> String {
    let of =
        |original: u32, shown: u32| format!("{:.2}", f64::from(original) / f64::from(shown.max(1)));
    let (x, y) = (of(original.0, shown.0), of(original.1, shown.1));
    if x == y {
        format!("coordinates by {x}")
    } else {
        format!("x coordinates by {x} and y coordinates by {y}")
    }
}

/// An image.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ImageDetails {
    /// The file, relative to the workspace.
    path: String,
    /// In pixels, as shown.
    width: u32,
    /// In pixels, as shown.
    height: u32,
    /// Of the image as shown, such as `image/png`.
    mime_type: String,
    /// In pixels, where the image was made smaller: no side is longer than 2000, and as base64 it takes at most 4.5 MB.
    #[serde(skip_serializing_if = "Option::is_none")]
    original_width: Option<u32>,
    /// In pixels, where the image was made smaller.
    #[serde(skip_serializing_if = "Option::is_none")]
    original_height: Option<u32>,
}

impl ImageDetails {
    pub(crate) fn of(image: &ImageOutput) -> Self {
        Self {
            path: image.path.clone(),
            width: image.width,
            height: image.height,
            mime_type: image.mime_type.clone(),
            original_width: image.original.map(|(width, _)| width),
            original_height: image.original.map(|(_, height)| height),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_that_were_made_smaller_differently_have_a_factor_each() {
        assert_eq!(scale((4000, 3000), (2000, 1500)), "coordinates by 2.00");
        assert_eq!(
            scale((1, 30000), (1, 2000)),
            "x coordinates by 1.00 and y coordinates by 15.00"
        );
    }
}
