//! The thread that reads a document, and the one who waits for it.

use std::any::Any;
use std::ops::RangeInclusive;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use hayro_interpret::hayro_syntax::{LoadPdfError, Pdf};
use hayro_interpret::{InterpreterCache, InterpreterSettings, RenderContent};
use tenon_contract::limits;

use super::collect::{Letters, letters_of, text_string};
use super::damage::{Slot, has_damaged_content, slots};
use super::layout::text_of;
use super::watch::{EndRequest, Watch};
use super::{PdfError, PdfText};
use super::{decompression_limit, object_limits};
use crate::parts::parts;

/// Forms may nest 50 deep, and each takes a few frames.
const STACK_BYTES: usize = 64 * 1024 * 1024;
/// How often the one who waits looks whether the call goes on.
const TICK: Duration = Duration::from_millis(20);
/// How long a thread that was asked to end is waited for.
const PATIENCE: Duration = Duration::from_millis(1_000);

/// What has been read so far.
#[derive(Debug, Default)]
struct Progress {
    title: Option<String>,
    pages: usize,
    wanted: Option<RangeInclusive<usize>>,
    texts: Vec<PageText>,
    nameless: usize,
    bytes: usize,
    full: bool,
    /// Whether the end of the document is missing.
    cut: bool,
}

/// What is shown of a page.
#[derive(Debug)]
enum PageText {
    Read {
        text: String,
        /// Whether some of its content cannot be read.
        is_partial: bool,
    },
    Lost,
}

impl PageText {
    fn text(&self) -> &str {
        match self {
            Self::Read { text, .. } => text,
            Self::Lost => "",
        }
    }

    fn is_empty(&self) -> bool {
        self.text().trim().is_empty()
    }

    const fn is_damaged(&self) -> bool {
        matches!(
            self,
            Self::Lost
                | Self::Read {
                    is_partial: true,
                    ..
                }
        )
    }

    fn shown(&self) -> String {
        match self {
            Self::Lost => "(damaged, cannot be read)\n".to_owned(),
            Self::Read { text, is_partial } => {
                let shown = match (self.is_empty(), is_partial) {
                    (false, _) => text,
                    (true, false) => "(no text)\n",
                    (true, true) => "",
                };
                let damage = "(damaged: text of this page is missing)\n";
                format!("{shown}{}", if *is_partial { damage } else { "" })
            }
        }
    }
}

/// Reads the pages that `pages` names (`3`, `2-5`, `7-`; all when it is absent) of a document. `stop` says whether the
/// call was given up.
///
/// # Errors
/// Why nothing was read.
pub fn read_pdf(
    bytes: Vec<u8>,
    pages: Option<&str>,
    stop: &dyn Fn() -> bool,
) -> Result<PdfText, PdfError> {
    let watch = Watch::default();
    let progress = Arc::new(Mutex::new(Progress::default()));
    let (sender, receiver) = mpsc::channel();
    let work = {
        let (watch, progress) = (watch.clone(), Arc::clone(&progress));
        let pages = pages.map(str::to_owned);
        move || {
            let outcome = catch_unwind(AssertUnwindSafe(|| {
                read(bytes, pages.as_deref(), &watch, &progress)
            }));
            // Nobody may be waiting any more.
            drop(sender.send(outcome.unwrap_or_else(|panic| Err(after(panic.as_ref())))));
        }
    };
    let thread = std::thread::Builder::new()
        .name("pdf".to_owned())
        .stack_size(STACK_BYTES)
        .spawn(work);
    if thread.is_err() {
        return Err(PdfError::TooLarge);
    }
    let until = Instant::now() + limits::PDF_TIME;
    let outcome = loop {
        match receiver.recv_timeout(TICK) {
            Ok(outcome) => break outcome,
            Err(RecvTimeoutError::Disconnected) => break Err(PdfError::Broken),
            Err(RecvTimeoutError::Timeout) if stop() => {
                watch.end();
                return Err(PdfError::Stopped);
            }
            Err(RecvTimeoutError::Timeout) if Instant::now() >= until => {
                watch.end();
                break receiver
                    .recv_timeout(PATIENCE)
                    .unwrap_or(Err(PdfError::TimeUp));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
    };
    let mut progress = progress.lock().unwrap_or_else(PoisonError::into_inner);
    finish(outcome, std::mem::take(&mut *progress))
}

/// What a thread that unwound leaves: nothing readable, or not enough time.
fn after(panic: &(dyn Any + Send)) -> PdfError {
    if panic.is::<EndRequest>() {
        PdfError::TimeUp
    } else {
        PdfError::Broken
    }
}

fn read(
    bytes: Vec<u8>,
    pages: Option<&str>,
    watch: &Watch,
    progress: &Mutex<Progress>,
) -> Result<(), PdfError> {
    if decompression_limit::is_encrypted(&bytes) {
        return Err(PdfError::Encrypted);
    }
    decompression_limit::check(&bytes, watch)?;
    let cut = is_cut(&bytes);
    let pdf = Pdf::new(bytes).map_err(|error| match error {
        LoadPdfError::Decryption(_) => PdfError::Encrypted,
        LoadPdfError::Invalid => PdfError::Broken,
    })?;
    object_limits::check(&pdf, watch)?;
    if pdf.pages().is_empty() {
        return Err(PdfError::Broken);
    }
    let slots = slots(&pdf, watch);
    let total = slots.len();
    let wanted = parts(pages, "page", total).map_err(PdfError::Request)?;
    begin(progress, &pdf, total, &wanted, cut);
    let settings = InterpreterSettings {
        render_content: RenderContent::all(),
        ..InterpreterSettings::default()
    };
    let cache = InterpreterCache::new();
    for slot in slots
        .get(wanted.start() - 1..*wanted.end())
        .unwrap_or_default()
    {
        watch.check();
        let page = match slot {
            Slot::Readable(index) => pdf.pages().get(*index),
            Slot::Lost => None,
        };
        let (text, unnamed) = match page {
            None => (PageText::Lost, 0),
            Some(page) => {
                let Letters { placed, nameless } = letters_of(page, &cache, &settings, watch);
                let text = text_of(placed, watch);
                let is_partial = has_damaged_content(page, watch);
                (PageText::Read { text, is_partial }, nameless)
            }
        };
        let mut progress = progress.lock().unwrap_or_else(PoisonError::into_inner);
        progress.nameless += unnamed;
        progress.bytes += text.text().len();
        progress.texts.push(text);
        if progress.bytes > limits::PDF_TEXT_MAX_BYTES {
            progress.full = true;
            return Ok(());
        }
    }
    Ok(())
}

fn begin(
    progress: &Mutex<Progress>,
    pdf: &Pdf,
    total: usize,
    wanted: &RangeInclusive<usize>,
    cut: bool,
) {
    let mut progress = progress.lock().unwrap_or_else(PoisonError::into_inner);
    progress.title = pdf.metadata().title.as_deref().and_then(title_of);
    progress.pages = total;
    progress.cut = cut;
    progress.wanted = Some(wanted.clone());
}

/// Whether nothing near the end says that it is the end, as in a download that broke off.
fn is_cut(bytes: &[u8]) -> bool {
    const NEAR: usize = 2048;
    let tail = bytes.get(bytes.len().saturating_sub(NEAR)..);
    memchr::memmem::find(tail.unwrap_or_default(), b"%%EOF").is_none()
}

fn finish(outcome: Result<(), PdfError>, progress: Progress) -> Result<PdfText, PdfError> {
    let is_damaged = matches!(outcome, Err(PdfError::Broken));
    match outcome {
        Ok(()) => {}
        // What was read before the end of the time, or before the damage, counts.
        Err(PdfError::TimeUp | PdfError::Broken) if !progress.texts.is_empty() => {}
        Err(error) => return Err(error),
    }
    let wanted = progress.wanted.clone().unwrap_or(1..=progress.pages);
    let last = wanted.start() + progress.texts.len() - 1;
    let read = *wanted.start()..=last;
    if progress.texts.iter().all(PageText::is_empty) {
        if progress.cut || progress.texts.iter().any(PageText::is_damaged) {
            return Err(PdfError::Broken);
        }
        let nameless = progress.nameless > 0;
        return Err(PdfError::NoText {
            pages: read,
            nameless,
        });
    }
    let why = match (progress.full, is_damaged) {
        (true, _) => "the text would be too long",
        (false, true) => "the document is damaged",
        (false, false) => "the time limit was reached",
    };
    let left_out = (last < *wanted.end()).then(|| (last + 1..=*wanted.end(), why));
    let mut text = text_of_pages(&progress, *wanted.start());
    if let Some((pages, why)) = &left_out {
        text.push_str(&format!(
            "\n[Pages {}-{} not shown: {why}]\n",
            pages.start(),
            pages.end()
        ));
    }
    Ok(PdfText {
        title: progress.title,
        pages: progress.pages,
        read,
        left_out,
        text,
    })
}

/// The text of all pages that were read, the first of which has this number.
fn text_of_pages(progress: &Progress, first: usize) -> String {
    let title = progress
        .title
        .as_ref()
        .map_or_else(String::new, |title| format!(" \"{title}\""));
    let count = progress.pages;
    let mut text = format!(
        "PDF document{title} of {count} {}.\n",
        if count == 1 { "page" } else { "pages" }
    );
    for (number, page) in (first..).zip(&progress.texts) {
        text.push_str(&format!("\n[page {number}]\n"));
        text.push_str(&page.shown());
    }
    if progress.cut && progress.texts.iter().any(PageText::is_empty) {
        text.push_str(
            "\n[The end of the document is missing, and with it what pages without text say]\n",
        );
    }
    text
}

/// A title without what is not shown of it.
fn title_of(bytes: &[u8]) -> Option<String> {
    let text = text_string(bytes);
    let shown = text.chars().filter(|letter| !letter.is_control());
    let text: String = shown.take(300).collect();
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}
