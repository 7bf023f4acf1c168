//! What of a document is lost: pages whose description cannot be read, and content that ends early.
//!
//! The reader of the format passes both over. So the tree of pages is gone through as it does, and data in the usual coding are
//! looked at whether they come to their end.

use std::collections::HashSet;

use flate2::{Decompress, FlushDecompress, Status};
use hayro_interpret::hayro_syntax::object::{Array, Dict, MaybeRef, Name, Object, Stream};
use hayro_interpret::hayro_syntax::page::Page;
use hayro_interpret::hayro_syntax::{Filter, Pdf};

use super::watch::Watch;

/// Most pages that a damaged part of the tree is taken to have had.
const LOST_MAX: usize = 10_000;

/// What is known of one page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Slot {
    /// It is the one at this index of those that the reader found.
    Readable(usize),
    /// Its description cannot be read.
    Lost,
}

/// The pages of the document by its tree. Where that is not what the reader went by, those that it found.
pub(super) fn slots(pdf: &Pdf, watch: &Watch) -> Vec<Slot> {
    let found = pdf.pages().len();
    let mut walk = TreeWalk {
        pdf,
        watch,
        visited: HashSet::new(),
        next: 0,
    };
    match walk.root() {
        Some(slots) if walk.next == found => slots,
        _ => (0..found).map(Slot::Readable).collect(),
    }
}

struct TreeWalk<'p> {
    pdf: &'p Pdf,
    watch: &'p Watch,
    /// Objects by number and generation: a second mention is no second page.
    visited: HashSet<(u32, i32)>,
    /// How many readable pages came before.
    next: usize,
}

/// A node whose entries are gone through.
struct Frame<'p> {
    kids: std::vec::IntoIter<MaybeRef<Object<'p>>>,
    /// How many pages it says that it has.
    count: Option<usize>,
    slots: Vec<Slot>,
    /// Where entries are lost among the slots.
    lost: Vec<usize>,
}

impl<'p> Frame<'p> {
    fn new(node: &Dict<'p>) -> Option<Self> {
        let kids: Vec<_> = node.get::<Array<'p>>("Kids")?.raw_iter().collect();
        Some(Self {
            kids: kids.into_iter(),
            count: count_of(node),
            slots: Vec::new(),
            lost: Vec::new(),
        })
    }

    fn lose(&mut self) {
        self.lost.push(self.slots.len());
        self.slots.push(Slot::Lost);
    }

    /// The pages below. Of what is lost only the number of all pages says how many those were: one entry each, and the rest at
    /// the last.
    fn into_slots(mut self) -> Vec<Slot> {
        if let (Some(last), Some(count)) = (self.lost.last(), self.count) {
            let more = count.saturating_sub(self.slots.len()).min(LOST_MAX);
            self.slots
                .splice(last..last, std::iter::repeat_n(Slot::Lost, more));
        }
        self.slots
    }
}

fn count_of(node: &Dict<'_>) -> Option<usize> {
    usize::try_from(node.get::<i32>("Count")?).ok()
}

impl<'p> TreeWalk<'p> {
    fn root(&mut self) -> Option<Vec<Slot>> {
        let xref = self.pdf.xref();
        let pages: Dict<'p> = xref.get::<Dict<'p>>(xref.root_id())?.get("Pages")?;
        if let Some(id) = pages.obj_id() {
            self.visited.insert((id.obj_number, id.gen_number));
        }
        let mut open = vec![Frame::new(&pages)?];
        while let Some(mut frame) = open.pop() {
            self.watch.check();
            match frame.kids.next() {
                Some(kid) => {
                    let below = self.enter(&mut frame, kid);
                    open.push(frame);
                    open.extend(below);
                }
                None => {
                    let slots = frame.into_slots();
                    match open.last_mut() {
                        Some(above) => above.slots.extend(slots),
                        None => return Some(slots),
                    }
                }
            }
        }
        None
    }

    /// Takes one entry of a node; the node that it is, if it is one.
    fn enter(&mut self, frame: &mut Frame<'p>, kid: MaybeRef<Object<'p>>) -> Option<Frame<'p>> {
        let dict = match kid {
            MaybeRef::Ref(id) if !self.visited.insert((id.obj_number, id.gen_number)) => {
                return None;
            }
            MaybeRef::Ref(id) => self.pdf.xref().get::<Dict<'p>>(id.into()),
            MaybeRef::NotRef(object) => object.into_dict(),
        };
        let Some(dict) = dict else {
            frame.lose();
            return None;
        };
        if dict.get::<Name<'_>>("Type").as_deref() != Some(b"Pages") {
            frame.slots.push(Slot::Readable(self.next));
            self.next += 1;
            return None;
        }
        let below = Frame::new(&dict);
        if below.is_none() {
            let count = count_of(&dict).unwrap_or(1).clamp(1, LOST_MAX);
            (0..count).for_each(|_| frame.lose());
        }
        below
    }
}

/// Whether some of what a page draws cannot be read to its end: its own content, or a form that it may draw.
pub(super) fn has_damaged_content(page: &Page<'_>, watch: &Watch) -> bool {
    let contents = page.raw().get::<Object<'_>>("Contents");
    let own = match contents {
        Some(Object::Stream(stream)) => ends_early(&stream, watch),
        Some(Object::Array(streams)) => streams
            .iter::<Object<'_>>()
            .any(|stream| matches!(stream, Object::Stream(stream) if ends_early(&stream, watch))),
        // An object that is named and cannot be read.
        _ => page.raw().contains_key("Contents"),
    };
    let forms = &page.resources().x_objects;
    let is_form = |stream: &Stream<'_>| {
        let subtype = stream.dict().get::<Name<'_>>("Subtype");
        subtype.as_deref() == Some(b"Form")
    };
    own || forms.keys().any(|name| {
        let form = forms.get::<Stream<'_>>(&name[..]);
        form.is_some_and(|form| is_form(&form) && ends_early(&form, watch))
    })
}

/// Whether data in the usual coding break off or cannot be read further, or data in another one cannot be read at all.
fn ends_early(stream: &Stream<'_>, watch: &Watch) -> bool {
    let raw = stream.raw_data();
    match stream.filters().as_slice() {
        [] => false,
        [Filter::FlateDecode] => !reaches_end(&raw, watch),
        _ => stream.decoded_data().is_err(),
    }
}

/// Whether there is an end, whatever the check sum behind it says.
fn reaches_end(data: &[u8], watch: &Watch) -> bool {
    let data = match data {
        [method, flags, rest @ ..]
            if method & 0x0f == 8 && u16::from_be_bytes([*method, *flags]) % 31 == 0 =>
        {
            rest
        }
        data => data,
    };
    let mut decoder = Decompress::new(false);
    let mut unfolded = vec![0; 64 * 1024];
    loop {
        watch.check();
        let before = (decoder.total_in(), decoder.total_out());
        let read = usize::try_from(before.0).unwrap_or(usize::MAX);
        let rest = data.get(read..).unwrap_or_default();
        match decoder.decompress(rest, &mut unfolded, FlushDecompress::None) {
            Ok(Status::StreamEnd) => return true,
            Ok(_) if (decoder.total_in(), decoder.total_out()) != before => {}
            Ok(_) | Err(_) => return false,
        }
    }
}
