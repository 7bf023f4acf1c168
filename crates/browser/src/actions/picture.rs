//! References written on a picture: frames and numbers drawn by us, so the page is not touched.

use std::io::Cursor;

use image::{DynamicImage, ImageFormat as Coding, Rgb, RgbImage};

/// How a picture is coded.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ImageFormat {
    /// Small.
    #[default]
    Jpeg,
    /// Exact.
    Png,
}

impl ImageFormat {
    /// Such as `image/jpeg`.
    #[must_use]
    pub const fn mime_type(self) -> &'static str {
        match self {
            Self::Jpeg => "image/jpeg",
            Self::Png => "image/png",
        }
    }

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Jpeg => "jpeg",
            Self::Png => "png",
        }
    }
}

/// Rows of five dots for `e` and the digits.
const LETTERS: [(char, [u8; 7]); 11] = [
    (
        'e',
        [
            0b00000, 0b00000, 0b01110, 0b10001, 0b11111, 0b10000, 0b01110,
        ],
    ),
    (
        '0',
        [
            0b01110, 0b10001, 0b10011, 0b10101, 0b11001, 0b10001, 0b01110,
        ],
    ),
    (
        '1',
        [
            0b00100, 0b01100, 0b00100, 0b00100, 0b00100, 0b00100, 0b01110,
        ],
    ),
    (
        '2',
        [
            0b01110, 0b10001, 0b00001, 0b00110, 0b01000, 0b10000, 0b11111,
        ],
    ),
    (
        '3',
        [
            0b01110, 0b10001, 0b00001, 0b00110, 0b00001, 0b10001, 0b01110,
        ],
    ),
    (
        '4',
        [
            0b00010, 0b00110, 0b01010, 0b10010, 0b11111, 0b00010, 0b00010,
        ],
    ),
    (
        '5',
        [
            0b11111, 0b10000, 0b11110, 0b00001, 0b00001, 0b10001, 0b01110,
        ],
    ),
    (
        '6',
        [
            0b00110, 0b01000, 0b10000, 0b11110, 0b10001, 0b10001, 0b01110,
        ],
    ),
    (
        '7',
        [
            0b11111, 0b00001, 0b00010, 0b00100, 0b01000, 0b01000, 0b01000,
        ],
    ),
    (
        '8',
        [
            0b01110, 0b10001, 0b10001, 0b01110, 0b10001, 0b10001, 0b01110,
        ],
    ),
    (
        '9',
        [
            0b01110, 0b10001, 0b10001, 0b01111, 0b00001, 0b00010, 0b01100,
        ],
    ),
];
/// Colours that distinguish neighbours, all dark enough for white letters.
const COLOURS: [Rgb<u8>; 6] = [
    Rgb([200, 30, 30]),
    Rgb([20, 90, 200]),
    Rgb([10, 120, 60]),
    Rgb([150, 40, 160]),
    Rgb([170, 90, 0]),
    Rgb([60, 60, 60]),
];
const WHITE: Rgb<u8> = Rgb([255, 255, 255]);

/// Width and height of a picture.
pub(crate) fn size(bytes: &[u8]) -> Result<(u32, u32), String> {
    let reader = image::ImageReader::new(Cursor::new(bytes)).with_guessed_format();
    let reader = reader.map_err(|fault| fault.to_string())?;
    reader.into_dimensions().map_err(|fault| fault.to_string())
}

/// The picture with each box framed and named.
pub(crate) fn draw(
    bytes: &[u8],
    format: ImageFormat,
    boxes: &[(String, [f64; 4])],
) -> Result<Vec<u8>, String> {
    let decoded = image::load_from_memory(bytes).map_err(|fault| fault.to_string())?;
    let mut picture = decoded.to_rgb8();
    for ((name, place), colour) in boxes.iter().zip(COLOURS.iter().cycle()) {
        mark(&mut picture, name, place, *colour);
    }
    let coding = match format {
        ImageFormat::Jpeg => Coding::Jpeg,
        ImageFormat::Png => Coding::Png,
    };
    let mut coded = Cursor::new(Vec::new());
    DynamicImage::ImageRgb8(picture)
        .write_to(&mut coded, coding)
        .map_err(|fault| fault.to_string())?;
    Ok(coded.into_inner())
}

fn mark(picture: &mut RgbImage, name: &str, [x, y, width, height]: &[f64; 4], colour: Rgb<u8>) {
    // What is outside of the picture is not drawn; huge boxes are cut before they are numbers of dots.
    let whole = |value: f64| value.clamp(-10_000.0, 30_000.0).round() as i64;
    let (left, top) = (whole(*x), whole(*y));
    let (right, bottom) = (whole(x + width), whole(y + height));
    for along in left..=right {
        dot(picture, along, top, colour);
        dot(picture, along, bottom, colour);
    }
    for along in top..=bottom {
        dot(picture, left, along, colour);
        dot(picture, right, along, colour);
    }
    let label = i64::try_from(name.len()).unwrap_or(0) * 6 + 1;
    for down in 0..9 {
        for across in 0..label {
            dot(picture, left + across, top + down, colour);
        }
    }
    for (index, letter) in (0_i64..).zip(name.chars()) {
        let Some((_, rows)) = LETTERS.iter().find(|(known, _)| *known == letter) else {
            continue;
        };
        for (down, row) in (1_i64..).zip(rows) {
            for across in 0..5 {
                if row >> (4 - across) & 1 == 1 {
                    dot(picture, left + 1 + index * 6 + across, top + down, WHITE);
                }
            }
        }
    }
}

fn dot(picture: &mut RgbImage, x: i64, y: i64, colour: Rgb<u8>) {
    if let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y))
        && let Some(place) = picture.get_pixel_mut_checked(x, y)
    {
        *place = colour;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_box_is_framed_and_named_and_what_is_outside_is_not_drawn() {
        let blank = DynamicImage::ImageRgb8(RgbImage::from_pixel(40, 30, WHITE));
        let mut bytes = Cursor::new(Vec::new());
        blank.write_to(&mut bytes, Coding::Png).unwrap();
        let boxes = [
            ("e1".to_owned(), [5.0, 5.0, 20.0, 15.0]),
            ("e9".to_owned(), [-1e12, -1e12, 1e13, 1e13]),
        ];
        let drawn = draw(bytes.get_ref(), ImageFormat::Png, &boxes).unwrap();
        assert_eq!(size(&drawn), Ok((40, 30)));
        let drawn = image::load_from_memory(&drawn).unwrap().to_rgb8();
        assert_eq!(*drawn.get_pixel(5, 20), COLOURS[0]);
        assert_eq!(*drawn.get_pixel(25, 12), COLOURS[0]);
        assert_eq!(*drawn.get_pixel(30, 25), WHITE);
        // The stem of the 1.
        assert_eq!(*drawn.get_pixel(5 + 1 + 6 + 2, 5 + 4), WHITE);
        assert_eq!(*drawn.get_pixel(5, 5), COLOURS[0]);
    }
}
