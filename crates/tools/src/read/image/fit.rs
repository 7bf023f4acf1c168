//! Turning an image upright and making it small enough.

use std::io::{BufRead, Cursor, Read, Seek, SeekFrom};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};

use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::{CompressionType, FilterType as PngFilter, PngEncoder};
use image::imageops::FilterType;
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, ImageReader, Limits};
use tenon_contract::{ToolContext, ToolError, limits};
use tenon_workspace::{ImageFacts, ImageFormat};

/// Qualities that are tried before the image is made smaller.
const JPEG_QUALITIES: [u8; 4] = [85, 70, 55, 40];
/// How much smaller each side becomes when no quality is low enough: three quarters.
const SHRINK: (u32, u32) = (3, 4);
/// No image is made smaller than this.
const SMALLEST_SIDE: u32 = 64;

/// One image is decoded at a time, so that many calls at once cannot take the memory of many.
static DECODING: Mutex<()> = Mutex::new(());

/// An image that a model can be shown.
pub(super) struct Fitted {
    pub(super) data: Vec<u8>,
    pub(super) mime_type: &'static str,
    pub(super) size: (u32, u32),
    /// Of the file, seen upright.
    pub(super) original: (u32, u32),
}

/// Whether the file can be shown as it is: small enough, upright, in a format that models take.
pub(super) fn fits_as_it_is(bytes: &[u8], facts: &ImageFacts) -> bool {
    facts.format != ImageFormat::Bmp
        && facts.width <= limits::IMAGE_MAX_SIDE
        && facts.height <= limits::IMAGE_MAX_SIDE
        && base64_length(bytes.len()) <= limits::IMAGE_MAX_BASE64_BYTES
        && is_upright(bytes, facts.format)
}

/// A file whose headers the decoder does not take counts as upright: it is not ours to judge.
fn is_upright(bytes: &[u8], format: ImageFormat) -> bool {
    let orientation = catch_unwind(|| {
        let mut reader = ImageReader::with_format(Cursor::new(bytes), decoder_of(format));
        reader.limits(decode_limits());
        reader.into_decoder().ok()?.orientation().ok()
    });
    !matches!(orientation, Ok(Some(turned)) if turned != Orientation::NoTransforms)
}

/// Decodes, turns, shrinks and encodes. The inner error is the reason why the file cannot be
/// decoded.
///
/// # Errors
/// When the call was cancelled.
pub(super) fn fit(
    bytes: &[u8],
    format: ImageFormat,
    context: &ToolContext,
) -> Result<Result<Fitted, String>, ToolError> {
    let _one_at_a_time = DECODING.lock().unwrap_or_else(PoisonError::into_inner);
    context.check()?;
    // A decoder that panics on a crafted file has reported enough about the file.
    let fitted = catch_unwind(AssertUnwindSafe(|| {
        let image = decode(bytes, format, context)?;
        shrink(image, format, context)
    }));
    context.check()?;
    Ok(fitted.unwrap_or_else(|_| Err("it cannot be decoded".to_owned())))
}

fn decode(
    bytes: &[u8],
    format: ImageFormat,
    context: &ToolContext,
) -> Result<DynamicImage, String> {
    let reported = |error: image::ImageError| format!("it cannot be decoded ({error})");
    let source = Watched {
        inner: Cursor::new(bytes),
        context,
    };
    let mut reader = ImageReader::with_format(source, decoder_of(format));
    reader.limits(decode_limits());
    let mut decoder = reader.into_decoder().map_err(reported)?;
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let mut image = DynamicImage::from_decoder(decoder).map_err(reported)?;
    image.apply_orientation(orientation);
    Ok(image)
}

fn shrink(
    image: DynamicImage,
    format: ImageFormat,
    context: &ToolContext,
) -> Result<Fitted, String> {
    let original = (image.width(), image.height());
    let is_photo = format == ImageFormat::Jpeg;
    let mut side = limits::IMAGE_MAX_SIDE;
    let mut image = within(image, side);
    loop {
        if context.check().is_err() {
            return Err("the call was aborted".to_owned());
        }
        if let Some((data, mime_type)) = encode(&image, is_photo)? {
            return Ok(Fitted {
                data,
                mime_type,
                size: (image.width(), image.height()),
                original,
            });
        }
        side = image.width().max(image.height()) * SHRINK.0 / SHRINK.1;
        if side < SMALLEST_SIDE {
            return Err("it cannot be made small enough to be shown".to_owned());
        }
        image = within(image, side);
    }
}

/// The image with no side longer than this, its proportions kept.
fn within(image: DynamicImage, side: u32) -> DynamicImage {
    if image.width() <= side && image.height() <= side {
        return image;
    }
    image.resize(side, side, FilterType::CatmullRom)
}

/// The smaller of what PNG and JPEG make of it; nothing when neither is small enough.
fn encode(image: &DynamicImage, is_photo: bool) -> Result<Option<(Vec<u8>, &'static str)>, String> {
    let reported = |error: image::ImageError| format!("it cannot be encoded ({error})");
    let fits = |data: &Vec<u8>| base64_length(data.len()) <= limits::IMAGE_MAX_BASE64_BYTES;
    let has_alpha = has_transparency(image);
    let mut best: Option<(Vec<u8>, &'static str)> = None;
    if !is_photo || has_alpha {
        let mut png = Vec::new();
        let encoder =
            PngEncoder::new_with_quality(&mut png, CompressionType::Default, PngFilter::Adaptive);
        eight_bit(image)
            .write_with_encoder(encoder)
            .map_err(reported)?;
        best = Some((png, "image/png")).filter(|(data, _)| fits(data));
    }
    if has_alpha && best.is_some() {
        return Ok(best);
    }
    for quality in JPEG_QUALITIES {
        if best.is_some() && Some(&quality) != JPEG_QUALITIES.first() {
            break;
        }
        let mut jpeg = Vec::new();
        let encoder = JpegEncoder::new_with_quality(&mut jpeg, quality);
        opaque(image)
            .write_with_encoder(encoder)
            .map_err(reported)?;
        let is_smaller = best
            .as_ref()
            .is_none_or(|(data, _)| jpeg.len() < data.len());
        if fits(&jpeg) && is_smaller {
            return Ok(Some((jpeg, "image/jpeg")));
        }
    }
    Ok(best)
}

fn has_transparency(image: &DynamicImage) -> bool {
    image.color().has_alpha() && image.to_rgba8().pixels().any(|pixel| pixel.0[3] < u8::MAX)
}

/// Sixteen bits a channel show no more to a model than eight.
fn eight_bit(image: &DynamicImage) -> DynamicImage {
    match image {
        DynamicImage::ImageLuma8(_) | DynamicImage::ImageRgb8(_) => image.clone(),
        other if other.color().has_alpha() => other.to_rgba8().into(),
        other => other.to_rgb8().into(),
    }
}

/// What JPEG can hold: transparent parts become white, as on paper.
fn opaque(image: &DynamicImage) -> DynamicImage {
    if !image.color().has_alpha() {
        return eight_bit(image);
    }
    let mut flat = image::RgbImage::new(image.width(), image.height());
    for (target, source) in flat.pixels_mut().zip(image.to_rgba8().pixels()) {
        let [red, green, blue, alpha] = source.0;
        let over = |channel: u8| {
            let (channel, alpha) = (u16::from(channel), u16::from(alpha));
            u8::try_from((channel * alpha + 255 * (255 - alpha)) / 255).unwrap_or(u8::MAX)
        };
        target.0 = [over(red), over(green), over(blue)];
    }
    flat.into()
}

const fn base64_length(bytes: usize) -> usize {
    bytes.div_ceil(3) * 4
}

fn decode_limits() -> Limits {
    let mut bounds = Limits::default();
    bounds.max_alloc = Some(limits::IMAGE_DECODE_MAX_BYTES);
    bounds
}

const fn decoder_of(format: ImageFormat) -> image::ImageFormat {
    match format {
        ImageFormat::Png => image::ImageFormat::Png,
        ImageFormat::Jpeg => image::ImageFormat::Jpeg,
        ImageFormat::Gif => image::ImageFormat::Gif,
        ImageFormat::WebP => image::ImageFormat::WebP,
        ImageFormat::Bmp => image::ImageFormat::Bmp,
    }
}

/// The bytes of a file for a decoder, until the call is cancelled.
struct Watched<'a> {
    inner: Cursor<&'a [u8]>,
    context: &'a ToolContext,
}

impl Watched<'_> {
    fn go_on(&self) -> std::io::Result<()> {
        if self.context.cancellation().is_cancelled() {
            return Err(std::io::Error::other("the call was aborted"));
        }
        Ok(())
    }
}

impl Read for Watched<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.go_on()?;
        self.inner.read(buffer)
    }
}

impl BufRead for Watched<'_> {
    fn fill_buf(&mut self) -> std::io::Result<&[u8]> {
        self.go_on()?;
        self.inner.fill_buf()
    }

    fn consume(&mut self, amount: usize) {
        self.inner.consume(amount);
    }
}

impl Seek for Watched<'_> {
    fn seek(&mut self, position: SeekFrom) -> std::io::Result<u64> {
        self.inner.seek(position)
    }
}

#[cfg(test)]
#[path = "fit_tests.rs"]
mod tests;
