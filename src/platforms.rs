//! What JavaScript may ask about platforms, this one and others, and about texts, without a toolkit.

use napi_derive::napi;
use tenon_border::envelope;
use tenon_runtime::{
    count_tokens, platform_names as names_of, seen_state as state_seen,
    seen_temporary as temporary_seen,
};

/// What does on a platform what the tools of the cross-platform vocabulary do, as JSON; `inverse`: the names of the
/// platform and what they are called in the vocabulary.
#[napi(catch_unwind)]
pub fn platform_names(platform: String, inverse: Option<bool>) -> String {
    envelope(
        "platformNames",
        names_of(&platform, inverse.unwrap_or(false)),
    )
}

/// The state directory and the store in it, as they are found, as JSON. Makes nothing.
#[napi(catch_unwind)]
pub fn seen_state() -> String {
    envelope("doctor", Ok(state_seen()))
}

/// The directory for temporary files that is used, as JSON. Tried by making a directory in it and removing it.
#[napi(catch_unwind)]
pub fn seen_temporary() -> String {
    envelope("doctor", Ok(temporary_seen()))
}

/// How many tokens a text is.
#[napi(catch_unwind)]
pub fn estimate_tokens(text: String) -> String {
    envelope("estimateTokens", Ok(count_tokens(&text)))
}
