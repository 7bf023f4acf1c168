//! Keys that carry the mark of their issuer in the middle or at the end, as those of Azure do.

use crate::borders::is_inside_word;
use crate::find::Secret;
use crate::letters::{ALNUM, BASE64, BASE64BODY, HEX, Letters, URLSAFE, URLSAFEPAD, WORD};

/// A form of keys with a text inside that all of them have.
pub(crate) struct Inner {
    kind: &'static str,
    /// What all of them have.
    pub(crate) mark: &'static str,
    /// What stands before it, and how many letters.
    before: Letters,
    ahead: usize,
    /// What stands behind it, and how many letters.
    behind: Letters,
    least: usize,
    most: usize,
}

const fn inner(
    kind: &'static str,
    (before, ahead): (Letters, usize),
    mark: &'static str,
    (behind, least, most): (Letters, usize, usize),
) -> Inner {
    Inner {
        kind,
        mark,
        before,
        ahead,
        behind,
        least,
        most,
    }
}

/// As issuers document them.
pub(crate) const INNER: &[Inner] = &[
    inner("Azure Batch key", (BASE64BODY, 76), "+ABa", (BASE64, 8, 8)),
    inner(
        "Azure storage key",
        (BASE64BODY, 76),
        "+ASt",
        (BASE64, 8, 8),
    ),
    inner(
        "Azure Cosmos DB key",
        (BASE64BODY, 76),
        "ACDb",
        (BASE64, 8, 8),
    ),
    inner("Azure DevOps token", (ALNUM, 76), "AZDO", (ALNUM, 4, 4)),
    inner(
        "Azure Functions key",
        (URLSAFE, 44),
        "AzFu",
        (URLSAFEPAD, 8, 8),
    ),
    inner("Azure IoT key", (BASE64BODY, 33), "AIoT", (BASE64, 7, 7)),
    inner(
        "Azure Event Hubs key",
        (BASE64BODY, 33),
        "+AEh",
        (BASE64, 7, 7),
    ),
    inner("Azure relay key", (BASE64BODY, 33), "+ARm", (BASE64, 7, 7)),
    inner(
        "Azure Service Bus key",
        (BASE64BODY, 33),
        "+ASb",
        (BASE64, 7, 7),
    ),
    inner(
        "Azure machine learning key",
        (BASE64BODY, 33),
        "+AMC",
        (BASE64, 6, 6),
    ),
    inner("Azure Redis key", (BASE64BODY, 33), "AzCaA", (BASE64, 6, 6)),
    inner("Azure search key", (ALNUM, 42), "AzSe", (ALNUM, 6, 6)),
    inner(
        "Azure container registry key",
        (BASE64BODY, 42),
        "+ACR",
        (BASE64, 6, 6),
    ),
    inner("Azure AI key", (ALNUM, 52), "JQQJ99", (ALNUM, 26, 26)),
    inner(
        "Firebase messaging key",
        (URLSAFE, 11),
        ":APA91b",
        (URLSAFE, 134, 134),
    ),
    inner("Mailchimp key", (HEX, 32), "-us", (ALNUM, 1, 2)),
    inner("MaxMind license key", (WORD, 36), "_mmk", (WORD, 0, 0)),
    inner("New Relic license key", (HEX, 36), "NRAL", (WORD, 0, 0)),
    inner(
        "Terraform Cloud token",
        (ALNUM, 14),
        ".atlasv1.",
        (URLSAFE, 60, 80),
    ),
];

impl Inner {
    /// The bytes of the shortest key.
    #[cfg(test)]
    pub(crate) const fn shortest(&self) -> usize {
        self.ahead + self.mark.len() + self.least
    }

    /// The key whose mark stands at this place.
    pub(crate) fn around(&self, text: &str, at: usize) -> Option<Secret> {
        let bytes = text.as_bytes();
        let start = at.checked_sub(self.ahead)?;
        let ahead = bytes.get(start..at)?;
        let end = at + self.mark.len();
        let run = self.behind.run(bytes.get(end..)?, self.most + 1);
        let is_open =
            is_inside_word(text, start) || bytes.get(end + run).is_some_and(|&byte| WORD.has(byte));
        let fits = !is_open
            && (self.least..=self.most).contains(&run)
            && self.before.run(ahead, self.ahead) == self.ahead;
        fits.then(|| Secret {
            range: start..end + run,
            kind: self.kind,
        })
    }
}
