//! The policy without the engine: calls and rules as JSON, decisions as JSON. Pure, so that it runs in a browser and on the
//! edge; `scripts/wasm.mjs` builds it for WebAssembly, where `exports` is the way in.
//!
//! - [`Policies`]: compiled rules by number, and what may be asked of them.
//!
//! It sees no disk: names are taken as they are written. Links, patterns over files and what git tracks are known to the
//! engine that runs a call, which therefore decides again.
//!
//! ```
//! use tenon_judge::Policies;
//!
//! let mut policies = Policies::default();
//! let open = r#"{"do": "open", "options": {"permissions": {"deny": ["Bash(git push:*)"]}}}"#;
//! assert_eq!(policies.answer(open), r#"{"policy":1,"remarks":[]}"#);
//! let decide = r#"{"do": "decide", "policy": 1, "tool": "exec", "effects": {"command": "cd a && git push"}}"#;
//! assert!(policies.answer(decide).contains(r#""verdict":"deny""#));
//! ```

mod access;
mod answers;
#[cfg(target_family = "wasm")]
mod exports;
mod names;
mod opened;

pub use answers::Policies;
