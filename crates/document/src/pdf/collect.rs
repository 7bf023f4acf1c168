//! The letters of a page and where they stand.

use hayro_interpret::font::{GlyphRun, PositionedGlyph};
use hayro_interpret::hayro_cmap::{BfString, WritingMode};
use hayro_interpret::hayro_syntax::object::{self, Dict};
use hayro_interpret::hayro_syntax::page::Page;
use hayro_interpret::kurbo::{Affine, BezPath, Point, Rect};
use hayro_interpret::{
    BlendMode, ClipPath, Context, Device, DrawMode, DrawProps, Image, ImageDrawProps,
    InterpreterCache, InterpreterSettings, SoftMask, interpret_page,
};
use tenon_contract::limits;

use super::watch::Watch;

/// Most bytes that marks say of a few letters.
const MARKED_MAX_BYTES: usize = 4096;
/// Units of a glyph's own space per em.
const EM: f64 = 1000.0;

/// A letter (or a few that are drawn as one).
#[derive(Debug, Clone)]
pub(super) struct Letter {
    pub(super) text: String,
    /// Its left end; the page's left edge is 0.
    pub(super) x: f64,
    /// Its base line; the page's upper edge is 0.
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) size: f64,
    /// How many letters were drawn before it.
    pub(super) drawn: usize,
    /// Where its line runs: 0 to the right, a quarter turn downwards.
    pub(super) angle: f64,
    /// Whether the next letter stands below it.
    pub(super) is_vertical: bool,
}

/// What a page holds.
#[derive(Debug, Default)]
pub(super) struct Letters {
    pub(super) placed: Vec<Letter>,
    /// Letters of which no code is known.
    pub(super) nameless: usize,
}

/// The letters of one page, in the order of their drawing.
pub(super) fn letters_of<'a>(
    page: &Page<'a>,
    cache: &InterpreterCache<'a>,
    settings: &InterpreterSettings,
    watch: &Watch,
) -> Letters {
    let (width, height) = page.render_dimensions();
    let area = Rect::new(0.0, 0.0, f64::from(width), f64::from(height));
    let upright = Affine::new(page.initial_transform(true).as_coeffs());
    let mut context = Context::new(upright, area, cache, page.xref(), settings.clone());
    let mut collector = Collector {
        letters: Letters::default(),
        area,
        watch,
        last: None,
        marked: Vec::new(),
    };
    interpret_page(page, &mut context, &mut collector);
    collector.letters
}

struct Collector<'w> {
    letters: Letters,
    area: Rect,
    watch: &'w Watch,
    /// Where the last run began: one that is filled and then outlined comes twice.
    last: Option<Affine>,
    /// What the marks around the letters say that they read, and how many letters were placed before.
    marked: Vec<Option<(String, usize)>>,
}

impl Collector<'_> {
    fn take(&mut self, run: &GlyphRun<'_, '_>, transform: Affine) {
        let first = run
            .glyphs()
            .first()
            .map(|glyph| transform * glyph.transform());
        if first.is_some() && first == self.last {
            return;
        }
        self.last = first;
        for glyph in run.glyphs() {
            if self.letters.placed.len() >= limits::PDF_PAGE_MAX_GLYPHS {
                return;
            }
            let place = transform * glyph.transform();
            let origin = place * Point::ZERO;
            if !self.area.inflate(2.0, 2.0).contains(origin) {
                continue;
            }
            let is_marked = self.marked.iter().any(Option::is_some);
            let Some(text) = text_of(glyph).or_else(|| is_marked.then(|| "\u{fffd}".to_owned()))
            else {
                self.letters.nameless += 1;
                continue;
            };
            if text.is_empty() {
                continue;
            }
            let advance = match &**glyph {
                hayro_interpret::font::Glyph::Outline(outline) => outline.advance_width(),
                hayro_interpret::font::Glyph::Type3(drawn) => drawn.advance_width(),
            };
            let end = place * Point::new(f64::from(advance.unwrap_or(500.0)), 0.0);
            let top = place * Point::new(0.0, EM);
            let along = end - origin;
            let size = (top - origin).hypot();
            let is_vertical = run.writing_mode() == WritingMode::Vertical;
            let letter = Letter {
                text,
                x: origin.x,
                y: origin.y,
                width: if is_vertical { size } else { along.hypot() },
                size,
                drawn: self.letters.placed.len(),
                // Letters without a width run nowhere.
                angle: if along.hypot() > 0.0 {
                    along.atan2()
                } else {
                    0.0
                },
                is_vertical,
            };
            let numbers = [letter.x, letter.y, letter.width, size, letter.angle];
            if numbers.iter().all(|value| value.is_finite()) && size >= 0.1 {
                self.letters.placed.push(letter);
            }
        }
    }
}

/// Puts what letters read in place of what each of them says, where they stand on one line.
fn replace(letters: &mut Vec<Letter>, from: usize, text: &str) {
    let text: String = text.chars().filter(|letter| !letter.is_control()).collect();
    let Some([first, others @ ..]) = letters.get(from..) else {
        return;
    };
    let right = |letter: &Letter| letter.x + letter.width;
    let is_on_line = |letter: &Letter| {
        (letter.y - first.y).abs() < 0.75 * first.size
            && letter.x >= first.x
            && letter.angle == first.angle
    };
    // What is much longer than what is seen is no reading of it.
    let is_longer = text.chars().count() > 8 * (others.len() + 1);
    if is_longer || first.is_vertical || first.angle != 0.0 || !others.iter().all(is_on_line) {
        return;
    }
    let end = others.iter().map(right).fold(right(first), f64::max);
    let mut whole = first.clone();
    whole.width = end - first.x;
    whole.text = text;
    letters.truncate(from);
    if !whole.text.is_empty() {
        letters.push(whole);
    }
}

/// What a glyph says, where that is known.
fn text_of(glyph: &PositionedGlyph<'_>) -> Option<String> {
    let text = match glyph.as_unicode()? {
        BfString::Char(letter) => String::from(letter),
        BfString::String(text) => text,
    };
    Some(text.chars().filter(|letter| !letter.is_control()).collect())
}

/// A text in one of the encodings of the format.
pub(super) fn text_string(bytes: &[u8]) -> String {
    match bytes {
        [0xfe, 0xff, wide @ ..] => {
            let units = wide
                .chunks_exact(2)
                .filter_map(|pair| Some(u16::from_be_bytes(pair.try_into().ok()?)));
            char::decode_utf16(units)
                .map(|letter| letter.unwrap_or('\u{fffd}'))
                .collect()
        }
        [0xef, 0xbb, 0xbf, utf8 @ ..] => String::from_utf8_lossy(utf8).into_owned(),
        // What is no UTF-8 is of the encoding that agrees with Latin-1 where titles are concerned.
        latin => String::from_utf8(latin.to_vec())
            .unwrap_or_else(|_| latin.iter().copied().map(char::from).collect()),
    }
}

impl<'a> Device<'a> for Collector<'_> {
    fn draw_path(&mut self, _: &BezPath, _: DrawProps<'a>, _: &DrawMode) {
        self.watch.check();
    }

    fn push_clip_path(&mut self, _: &ClipPath) {
        self.watch.check();
    }

    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'a>>, _: BlendMode) {
        self.watch.check();
    }

    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, _: &DrawMode) {
        self.watch.check();
        self.take(run, props.transform);
    }

    fn begin_marked_content(&mut self, _: &[u8], properties: Option<&Dict<'_>>) {
        self.watch.check();
        let text = properties.and_then(|entries| entries.get::<object::String<'_>>("ActualText"));
        let text = text
            .filter(|text| text.as_bytes().len() <= MARKED_MAX_BYTES)
            .map(|text| text_string(text.as_bytes()));
        let is_nested = self.marked.iter().any(Option::is_some);
        let placed = self.letters.placed.len();
        self.marked
            .push(text.filter(|_| !is_nested).map(|text| (text, placed)));
    }

    fn end_marked_content(&mut self) {
        if let Some(Some((text, from))) = self.marked.pop() {
            replace(&mut self.letters.placed, from, &text);
        }
    }

    fn draw_image(&mut self, _: Image<'a, '_>, _: ImageDrawProps<'a>) {
        self.watch.check();
    }

    fn pop_clip(&mut self) {}

    fn pop_transparency_group(&mut self) {}
}
