//! How names of tools are compared that are in no vocabulary.

/// How the names of tools of servers begin.
const SERVER: &str = "mcp__";

/// The name of a tool that is in no vocabulary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ForeignName {
    /// As it was written.
    pub(super) written: String,
    /// In lower case without separators but those between the parts of a server's tool; with a star at its end it is a
    /// prefix.
    pub(super) plain: String,
}

impl ForeignName {
    pub(super) fn new(written: &str) -> Self {
        let mut plain = plain_tool(written);
        // `mcp__server` means its tools, as in rules.
        let server = plain.strip_prefix(SERVER);
        if server.is_some_and(|server| !server.contains("__") && !server.ends_with('*')) {
            plain.push_str("__*");
        }
        Self {
            written: written.to_owned(),
            plain,
        }
    }

    pub(super) fn means(&self, name: &str) -> bool {
        let name = plain_tool(name);
        match self.plain.strip_suffix('*') {
            Some(prefix) => name.starts_with(prefix),
            None => name == self.plain,
        }
    }

    pub(super) fn is_of_server(&self) -> bool {
        self.plain.starts_with(SERVER)
    }
}

/// The form in which names that only a host knows are compared.
pub(crate) fn plain(name: &str) -> String {
    name.chars()
        .filter(|letter| !matches!(letter, '_' | '-'))
        .flat_map(char::to_lowercase)
        .collect()
}

/// The same of a tool that may be one of a server: its parts stay apart, so that `mcp__a__*` is not about the server `ab`.
fn plain_tool(name: &str) -> String {
    match name.get(..SERVER.len()) {
        Some(start) if start.eq_ignore_ascii_case(SERVER) => {
            let parts: Vec<String> = name.split("__").map(plain).collect();
            parts.join("__")
        }
        _ => plain(name),
    }
}
