//! The file of the option `record`.

use std::path::PathBuf;

use super::within::Within;
use schemars::JsonSchema;
use serde::Deserialize;
use tenon_contract::limits;
use tenon_store::RecordFile;

/// A file that events are appended to.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum RecordOption {
    /// The file.
    File(PathBuf),
    /// The file with its limits.
    Options(RecordOptions),
}

/// The file with its limits.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RecordOptions {
    /// The file. Its directory must exist.
    pub file: PathBuf,
    /// Size at which it is renamed to `FILE.1`, in bytes. Default: 10 485 760.
    pub max_bytes: Option<Within<u64, 1024>>,
    /// How many renamed files are kept. Default: 3.
    pub keep: Option<Within<u32, 0, 1000>>,
    /// Whether parameters and results are recorded whole (without secrets), so that the record can be replayed. Default: `false`.
    #[serde(default)]
    pub replay: bool,
}

/// How many renamed files are kept.
const KEEP: u32 = 3;

impl RecordOption {
    pub(crate) const fn is_whole(&self) -> bool {
        match self {
            Self::File(_) => false,
            Self::Options(options) => options.replay,
        }
    }

    pub(crate) fn file(&self) -> RecordFile {
        match self {
            Self::File(file) => RecordFile::new(file, limits::RECORD_MAX_BYTES, KEEP),
            Self::Options(options) => RecordFile::new(
                &options.file,
                options
                    .max_bytes
                    .map_or(limits::RECORD_MAX_BYTES, Within::get),
                options.keep.map_or(KEEP, Within::get),
            ),
        }
    }
}
