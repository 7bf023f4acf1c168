//! Where secrets stand in a text.
//!
//! - Keys of known formats: rows of how they begin, of which letters they are, and how long they are; and rows of those that
//!   carry the mark of their issuer in the middle.
//! - Private keys, signed tokens (JWT), passwords in addresses, and a few forms that have no beginning of their own.
//! - Values of names that announce a secret (`api_key = "…"`, `TOKEN=…`, `--token …`, `Authorization: …`), where the value
//!   looks random, and the values of Secrets of Kubernetes.
//!
//! Nothing is looked up and no check sum is computed: a key that was made up in the form of its issuer is found like a
//! real one. What looks like a word, a path, a placeholder or a reference to a variable is not found.
//!
//! ```
//! let text = format!("export GITHUB_TOKEN=ghp_{}", "a1B2c3D4e".repeat(4));
//! let found = tenon_secrets::find(&text);
//! assert_eq!((found[0].kind, found[0].range.clone()), ("GitHub token", 20..60));
//! ```
//!
//! A [`Redactor`] puts marks in the place of secrets and keeps which mark stands for which.
//!
//! ```
//! let redactor = tenon_secrets::Redactor::default();
//! let key = format!("ghp_{}", "a1B2c3D4e".repeat(4));
//! let shown = redactor.redact(&key).into_owned();
//! assert_eq!(shown, "[redacted: GitHub token, 40 characters]");
//! assert_eq!(redactor.restore(&shown).unwrap(), key);
//! ```

mod anchors;
mod assignments;
mod borders;
mod find;
mod formats;
mod inner;
mod kubernetes;
mod letters;
mod marks;
mod parts;
mod redactor;
mod shapes;
mod stream;
mod variable_values;
mod variables;

pub use find::{Secret, find};
pub use redactor::{Pattern, Redactor, UnknownMark};
pub use stream::Stream;
pub use variable_values::VariableValues;
pub use variables::{is_variable_file, may_name_variable_file, values, variable_file_diffs};
