use image::{ImageFormat as Codec, Rgb, RgbImage, Rgba, RgbaImage};
use proptest::prelude::*;
use tenon_contract::CancellationToken;
use tenon_workspace::image_facts;

use super::*;

fn context() -> ToolContext {
    ToolContext::new("", CancellationToken::new())
}

fn written(image: impl Into<DynamicImage>, codec: Codec) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    image.into().write_to(&mut bytes, codec).unwrap();
    bytes.into_inner()
}

fn fitted(bytes: &[u8]) -> Result<Fitted, String> {
    fit(bytes, image_facts(bytes).unwrap().format, &context()).unwrap()
}

/// Noise, which no codec makes small.
fn noise(width: u32, height: u32) -> RgbImage {
    let mut state = 1_u32;
    RgbImage::from_fn(width, height, |_, _| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let [a, b, c, _] = state.to_be_bytes();
        Rgb([a, b, c])
    })
}

/// The JPEG with an EXIF segment that says how it is to be turned (EXIF 2.3, tag 0x0112).
fn turned(jpeg: &[u8], orientation: u8) -> Vec<u8> {
    let exif = [
        b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0".as_slice(),
        &[orientation, 0, 0, 0, 0, 0, 0],
    ]
    .concat();
    let length = u16::try_from(exif.len() + 2).unwrap().to_be_bytes();
    [&jpeg[..2], &[0xFF, 0xE1], &length, &exif, &jpeg[2..]].concat()
}

#[test]
fn a_small_upright_image_is_shown_as_it_is() {
    for codec in [Codec::Png, Codec::Jpeg, Codec::Gif, Codec::WebP] {
        let bytes = written(RgbImage::new(20, 10), codec);
        let facts = image_facts(&bytes).unwrap();
        assert_eq!((facts.width, facts.height), (20, 10));
        assert!(fits_as_it_is(&bytes, &facts), "{codec:?}");
    }
}

#[test]
fn a_bitmap_becomes_a_png_since_models_take_none() {
    let bytes = written(noise(20, 10), Codec::Bmp);
    assert!(!fits_as_it_is(&bytes, &image_facts(&bytes).unwrap()));
    let shown = fitted(&bytes).unwrap();
    assert_eq!(
        (shown.mime_type, shown.size, shown.original),
        ("image/png", (20, 10), (20, 10))
    );
}

#[test]
fn a_large_image_is_made_smaller_in_proportion() {
    for codec in [Codec::Png, Codec::Jpeg, Codec::Gif] {
        let bytes = written(RgbImage::new(3000, 1000), codec);
        assert!(!fits_as_it_is(&bytes, &image_facts(&bytes).unwrap()));
        let shown = fitted(&bytes).unwrap();
        assert_eq!((shown.size, shown.original), ((2000, 667), (3000, 1000)));
        let again = image_facts(&shown.data).unwrap();
        assert_eq!((again.width, again.height), shown.size);
        assert_eq!(again.format.mime_type(), shown.mime_type);
    }
}

#[test]
fn a_photo_stays_one_and_transparency_is_kept() {
    let photo = fitted(&written(noise(2100, 300), Codec::Jpeg)).unwrap();
    assert_eq!(photo.mime_type, "image/jpeg");
    let glass = RgbaImage::from_pixel(2100, 300, Rgba([9, 8, 7, 100]));
    let shown = fitted(&written(glass, Codec::Png)).unwrap();
    assert_eq!(shown.mime_type, "image/png");
    let back = image::load_from_memory(&shown.data).unwrap().to_rgba8();
    assert_eq!(back.get_pixel(5, 5).0, [9, 8, 7, 100]);
}

#[test]
fn an_image_that_compresses_badly_is_shrunk_until_it_is_small_enough() {
    let bytes = written(noise(1100, 1100), Codec::Png);
    assert!(base64_length(bytes.len()) > limits::IMAGE_MAX_BASE64_BYTES);
    assert!(!fits_as_it_is(&bytes, &image_facts(&bytes).unwrap()));
    let shown = fitted(&bytes).unwrap();
    assert!(base64_length(shown.data.len()) <= limits::IMAGE_MAX_BASE64_BYTES);
    assert_eq!(shown.original, (1100, 1100));
}

#[test]
fn what_a_camera_turned_is_shown_upright() {
    // Red on the left, blue on the right.
    let picture = RgbImage::from_fn(64, 32, |x, _| {
        if x < 32 {
            Rgb([255, 0, 0])
        } else {
            Rgb([0, 0, 255])
        }
    });
    let jpeg = written(picture, Codec::Jpeg);
    assert!(fits_as_it_is(
        &turned(&jpeg, 1),
        &image_facts(&jpeg).unwrap()
    ));
    let sideways = turned(&jpeg, 6);
    assert!(!fits_as_it_is(&sideways, &image_facts(&sideways).unwrap()));
    let shown = fitted(&sideways).unwrap();
    assert_eq!((shown.size, shown.original), ((32, 64), (32, 64)));
    let upright = image::load_from_memory(&shown.data).unwrap().to_rgb8();
    // Turned clockwise by a quarter: what was left is on top.
    assert!(upright.get_pixel(16, 8).0[0] > 200 && upright.get_pixel(16, 56).0[2] > 200);
}

#[test]
fn a_file_that_claims_too_much_is_refused_before_memory_is_taken() {
    // A PNG of 60 000 × 60 000 pixels with nothing in it.
    let mut png = written(RgbImage::new(1, 1), Codec::Png);
    png[16..20].copy_from_slice(&60_000_u32.to_be_bytes());
    png[20..24].copy_from_slice(&60_000_u32.to_be_bytes());
    assert!(fitted(&png).is_err());
}

#[test]
fn a_cancelled_call_decodes_nothing() {
    let cancelled = CancellationToken::new();
    cancelled.cancel();
    let context = ToolContext::new("", cancelled);
    let bytes = written(RgbImage::new(3000, 10), Codec::Png);
    let error = fit(&bytes, ImageFormat::Png, &context)
        .map(drop)
        .unwrap_err();
    assert_eq!(error.code.as_str(), "cancelled");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn damaged_files_are_refused_or_shown_but_never_panic(
        codec in proptest::sample::select(vec![Codec::Png, Codec::Jpeg, Codec::Gif, Codec::WebP, Codec::Bmp]),
        changes in proptest::collection::vec((0usize..2000, any::<u8>()), 1..8),
        keep in 0usize..2000,
    ) {
        let mut bytes = written(noise(16, 16), codec);
        for (at, byte) in changes {
            let at = at % bytes.len();
            bytes[at] = byte;
        }
        bytes.truncate(keep.max(40));
        if let Some(facts) = image_facts(&bytes)
            && u64::from(facts.width) * u64::from(facts.height) <= limits::IMAGE_MAX_PIXELS / 100
        {
            let _ = fits_as_it_is(&bytes, &facts);
            let _ = fit(&bytes, facts.format, &context()).unwrap();
        }
    }
}
