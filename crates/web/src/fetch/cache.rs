//! Pages that were fetched not long ago.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::Accept;
use super::fetcher::ParsedAnswer;
use crate::address::WebUrl;

/// What a page is known by: its address without fragment, and the forms in which it was wanted.
pub(super) type Key = (WebUrl, Accept);

/// Pages by address, the oldest in use thrown out first.
#[derive(Debug)]
pub(super) struct Cache {
    pages: HashMap<Key, CachedPage>,
    bytes: usize,
    limits: CacheLimits,
    /// Grows with every use; the smallest was used longest ago.
    uses: u64,
}

/// The bounds of a cache.
#[derive(Debug, Clone, Copy)]
pub(super) struct CacheLimits {
    pub(super) ttl: Duration,
    pub(super) max_bytes: usize,
    pub(super) max_pages: usize,
}

#[derive(Debug)]
struct CachedPage {
    page: Arc<ParsedAnswer>,
    since: Instant,
    weight: usize,
    used: u64,
}

/// What is known of an address.
#[derive(Debug)]
pub(super) enum AddressFacts {
    /// Young enough to be answered.
    Fresh(Arc<ParsedAnswer>),
    /// To be asked about again.
    Stale(Arc<ParsedAnswer>),
    /// Nothing.
    Nothing,
}

impl Cache {
    pub(super) fn new(limits: CacheLimits) -> Self {
        Self {
            pages: HashMap::new(),
            bytes: 0,
            limits,
            uses: 0,
        }
    }

    pub(super) fn find(&mut self, key: &Key) -> AddressFacts {
        self.uses += 1;
        let Some(kept) = self.pages.get_mut(key) else {
            return AddressFacts::Nothing;
        };
        kept.used = self.uses;
        if kept.since.elapsed() < self.limits.ttl {
            AddressFacts::Fresh(kept.page.clone())
        } else {
            AddressFacts::Stale(kept.page.clone())
        }
    }

    /// Keeps a page, or renews it when it is kept already.
    pub(super) fn keep(&mut self, key: Key, page: Arc<ParsedAnswer>) {
        self.forget(&key);
        // What is read out of a page weighs about as much as the page.
        let weight = page.response().weight().saturating_mul(2);
        if self.limits.ttl.is_zero() || weight > self.limits.max_bytes {
            return;
        }
        while self.bytes + weight > self.limits.max_bytes
            || self.pages.len() >= self.limits.max_pages
        {
            let oldest = self.pages.iter().min_by_key(|(_, kept)| kept.used);
            let Some(oldest) = oldest.map(|(key, _)| key.clone()) else {
                break;
            };
            self.forget(&oldest);
        }
        self.uses += 1;
        self.bytes += weight;
        let kept = CachedPage {
            page,
            since: Instant::now(),
            weight,
            used: self.uses,
        };
        self.pages.insert(key, kept);
    }

    pub(super) fn forget(&mut self, key: &Key) {
        if let Some(kept) = self.pages.remove(key) {
            self.bytes -= kept.weight;
        }
    }
}
