//! What the host says about one server.

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A server as the facade hands it over, complete and checked.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ServerSpec {
    /// Its name in `mcpServers`.
    pub id: String,
    /// How it is reached.
    #[serde(flatten)]
    pub way: Way,
    /// Which era of the protocol it speaks.
    #[serde(default)]
    pub protocol: Protocol,
    /// Longest time until it can be asked.
    pub start_ms: u64,
    /// Longest silence of a call; progress begins it again.
    pub call_ms: u64,
    /// Longest time of a call, whatever progress it reports.
    pub max_call_ms: u64,
    /// Whether it may ask the user by a form.
    #[serde(default)]
    pub elicits: bool,
    /// Whether it may send the user to an address.
    #[serde(default)]
    pub opens_urls: bool,
    /// Whether it may ask for completions of the host's model.
    #[serde(default)]
    pub samples: bool,
    /// The directories that it learns of.
    #[serde(default)]
    pub roots: Vec<String>,
}

/// How a server is reached.
#[derive(Debug, Clone, Deserialize, Serialize)]
#[serde(untagged)]
pub enum Way {
    /// A program, over its standard streams.
    Program {
        /// The program: a name that is searched in `PATH`, or a path.
        command: String,
        /// Its arguments.
        #[serde(default)]
        args: Vec<String>,
        /// Its variables, over the filtered environment of commands.
        #[serde(default)]
        env: BTreeMap<String, String>,
        /// The directory it starts in, absolute.
        cwd: String,
        /// Its sandbox, as the option of commands has it.
        #[serde(default)]
        sandbox: Option<Value>,
    },
    /// An address, by streamable HTTP.
    Address {
        /// The address.
        url: String,
        /// Headers of every request.
        #[serde(default)]
        headers: BTreeMap<String, String>,
        /// Whether it is authorised by OAuth, and how.
        #[serde(default)]
        oauth: Option<Oauth>,
    },
}

/// How the toolkit is authorised at a server.
#[derive(Debug, Clone, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Oauth {
    /// A client that was registered beforehand.
    pub client_id: Option<String>,
    /// Its secret.
    pub client_secret: Option<String>,
    /// The address of a metadata document that names the client.
    pub client_metadata_url: Option<String>,
    /// Where the user is led back to. Default: `http://127.0.0.1:33418/callback`.
    pub redirect_uri: Option<String>,
    /// Scopes instead of those that the server names.
    #[serde(default)]
    pub scopes: Vec<String>,
    /// The file with the credentials, where the host keeps them in one. Absolute.
    pub file: Option<String>,
    /// Whether the host keeps the credentials itself.
    #[serde(default)]
    pub host: bool,
}

/// Which era of the protocol a server speaks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    /// Found out.
    #[default]
    Auto,
    /// With a handshake: up to 2025-11-25.
    Legacy,
    /// Without: 2026-07-28.
    Modern,
}

impl ServerSpec {
    pub(crate) fn start_limit(&self) -> Duration {
        Duration::from_millis(self.start_ms)
    }

    pub(crate) fn call_limit(&self) -> Duration {
        Duration::from_millis(self.call_ms)
    }

    pub(crate) fn max_call_limit(&self) -> Duration {
        Duration::from_millis(self.max_call_ms)
    }

    /// Names what is started or asked, wherever it runs: what is known of a server holds for exactly this one.
    pub(crate) fn key(&self) -> String {
        let way = match &self.way {
            Way::Program {
                command, args, env, ..
            } => serde_json::to_vec(&(command, args, env)),
            Way::Address { url, headers, .. } => serde_json::to_vec(&(url, headers)),
        };
        let way = way.unwrap_or_default();
        blake3::hash(&way).to_hex().to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_program_is_distinguished_from_an_address() {
        let read = |mut given: Value| {
            for (name, value) in [
                ("id", json!("a")),
                ("startMs", json!(1)),
                ("callMs", json!(1)),
                ("maxCallMs", json!(1)),
            ] {
                given[name] = value;
            }
            serde_json::from_value::<ServerSpec>(given).unwrap()
        };
        let program =
            read(json!({"command": "x", "args": ["y"], "cwd": "/", "protocol": "legacy"}));
        assert!(matches!(&program.way, Way::Program { command, .. } if command == "x"));
        assert_eq!(program.protocol, Protocol::Legacy);
        let address = read(json!({"url": "http://x/", "oauth": {"clientId": "c"}}));
        assert!(matches!(&address.way, Way::Address { oauth: Some(_), .. }));
        assert_ne!(program.key(), address.key());
    }
}
