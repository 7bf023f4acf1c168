//! What can be undone.

use schemars::JsonSchema;
use serde::Deserialize;
use tenon_contract::limits;
use tenon_workspace::JournalOptions;

use super::within::Within;

/// Whether calls can be undone, and how much is kept for that.
#[derive(Debug, Clone, Copy, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum UndoOption {
    /// `false`: changes are kept from the first checkpoint on only, and end with the toolkit. `true`: with `exec.changes`
    /// commands can be undone as well.
    Switch(bool),
    /// How much is kept.
    Options(UndoOptions),
}

/// How much is kept so that calls can be undone and checkpoints be restored.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct UndoOptions {
    /// Bytes of old file contents; beyond, the oldest changes and checkpoints expire. Default: 1 GiB for as long as the
    /// toolkit lives; of a session with an `id` 256 MiB in the state directory, 64 MiB in a store of the host.
    pub max_bytes: Option<Within<u64, 1>>,
    /// How long a change or a checkpoint is kept, in milliseconds, at most 10 years: times
    /// beyond are not known to every file system. Default: 30 days.
    pub max_age_ms: Option<Within<u64, 1, 315_360_000_000>>,
    /// Changes that can be undone call by call. Default: 1000.
    pub max_calls: Option<Within<usize, 1, 10_000>>,
}

impl UndoOption {
    /// What a journal may keep; nothing where calls cannot be undone. `max_bytes` where the host does not say.
    pub(crate) fn journal(option: Option<Self>, max_bytes: u64) -> Option<JournalOptions> {
        let options = match option {
            Some(Self::Switch(false)) => return None,
            Some(Self::Switch(true)) | None => UndoOptions::default(),
            Some(Self::Options(options)) => options,
        };
        Some(JournalOptions {
            commands: option.is_some(),
            max_bytes: options.max_bytes.map_or(max_bytes, Within::get),
            max_age: { options.max_age_ms }.map_or(limits::JOURNAL_MAX_AGE, Within::millis),
            calls: options
                .max_calls
                .map_or(limits::JOURNAL_CALLS_MAX, Within::get),
            parent: None,
        })
    }
}
