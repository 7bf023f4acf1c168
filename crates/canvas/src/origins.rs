//! The origins that a canvas may use.

use serde::Serialize;
use tenon_contract::{ErrorCode, HostClaim, ToolError, limits, parameter};
use tenon_web::WebUrl;

/// An origin such as `https://api.example.com`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct Origin(String);

/// What a canvas may connect to, and from where it may load scripts, styles, images, fonts and media.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Origins {
    /// For `fetch`, `EventSource` and `WebSocket`.
    pub connect: Vec<Origin>,
    /// For everything that a page loads.
    pub resources: Vec<Origin>,
}

impl Origin {
    /// Reads an origin of the parameter `name`.
    ///
    /// # Errors
    /// What is not `https://host`, with or without a port.
    pub fn parse(text: &str, name: &'static str) -> Result<Self, ToolError> {
        let wrong = || {
            let shown: String = text.chars().take(100).collect();
            let message = format!(
                "{}: `{}` is not an origin. Use `https://` and a host, such as `https://api.example.com`.",
                parameter(name),
                shown.escape_debug()
            );
            ToolError::new(ErrorCode::InvalidParams, message)
        };
        let url = WebUrl::parse(text).map_err(|_| wrong())?;
        let parsed = url.as_url();
        let is_bare =
            parsed.path() == "/" && parsed.query().is_none() && parsed.fragment().is_none();
        // What separates the words of a policy must not come in by a name.
        let is_plain = !url.host().contains([';', ',', ' ', '\'', '"', '*']);
        if !url.is_secure() || !is_bare || !is_plain || url.host().is_empty() {
            return Err(wrong());
        }
        Ok(Self(parsed.origin().ascii_serialization()))
    }

    /// As a text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    fn claim(&self) -> Option<HostClaim> {
        WebUrl::parse(&self.0).ok().map(|url| url.claim())
    }

    fn host(&self) -> Option<String> {
        self.claim().map(|claim| claim.host)
    }
}

impl Origins {
    /// Reads both lists.
    ///
    /// # Errors
    /// What is not an origin, and a list that is too long.
    pub fn new(connect: &[String], resources: &[String]) -> Result<Self, ToolError> {
        let read = |texts: &[String], name: &'static str| {
            if texts.len() > limits::CANVAS_ORIGINS_MAX {
                let message = format!(
                    "{} has {} origins; the limit is {}.",
                    parameter(name),
                    texts.len(),
                    limits::CANVAS_ORIGINS_MAX
                );
                return Err(ToolError::new(ErrorCode::InvalidParams, message));
            }
            let mut origins = Vec::new();
            for text in texts {
                let origin = Origin::parse(text, name)?;
                if !origins.contains(&origin) {
                    origins.push(origin);
                }
            }
            Ok(origins)
        };
        Ok(Self {
            connect: read(connect, "connect")?,
            resources: read(resources, "resources")?,
        })
    }

    /// Whether the canvas may use nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.connect.is_empty() && self.resources.is_empty()
    }

    /// All of them, each once, as policy judges them.
    #[must_use]
    pub fn claims(&self) -> Vec<HostClaim> {
        let mut claims: Vec<HostClaim> = Vec::new();
        for claim in self.all().filter_map(Origin::claim) {
            if !claims.contains(&claim) {
                claims.push(claim);
            }
        }
        claims
    }

    /// The hosts of all of them.
    pub(crate) fn hosts(&self) -> Vec<String> {
        self.all().filter_map(Origin::host).collect()
    }

    fn all(&self) -> impl Iterator<Item = &Origin> {
        self.connect.iter().chain(&self.resources)
    }

    /// What is in both.
    pub(crate) fn with(&self, others: &Self) -> Self {
        let joined = |own: &[Origin], others: &[Origin]| {
            let mut all = own.to_vec();
            all.extend(others.iter().filter(|other| !own.contains(other)).cloned());
            all
        };
        Self {
            connect: joined(&self.connect, &others.connect),
            resources: joined(&self.resources, &others.resources),
        }
    }

    /// What is not in the others.
    #[must_use]
    pub fn without(&self, others: &Self) -> Self {
        let rest = |own: &[Origin], others: &[Origin]| {
            own.iter()
                .filter(|origin| !others.contains(origin))
                .cloned()
                .collect()
        };
        Self {
            connect: rest(&self.connect, &others.connect),
            resources: rest(&self.resources, &others.resources),
        }
    }

    /// The policy of a page with these origins.
    pub(crate) fn policy(&self) -> String {
        let words = |origins: &[Origin]| {
            origins
                .iter()
                .map(|origin| format!(" {}", origin.0))
                .collect::<String>()
        };
        let (connect, load) = (words(&self.connect), words(&self.resources));
        let connect = if connect.is_empty() {
            " 'none'".to_owned()
        } else {
            connect
        };
        format!(
            "default-src 'none'; script-src 'unsafe-inline'{load}; style-src 'unsafe-inline'{load}; img-src data: blob:{load}; \
             font-src data:{load}; media-src data: blob:{load}; connect-src{connect}; frame-src 'none'; worker-src 'none'; \
             object-src 'none'; base-uri 'none'; form-action 'none'"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Option<String> {
        Origin::parse(text, "connect").ok().map(|origin| origin.0)
    }

    #[test]
    fn an_origin_is_a_secure_host_and_nothing_else() {
        assert_eq!(
            read("https://API.example.com/"),
            Some("https://api.example.com".to_owned())
        );
        assert_eq!(
            read("https://a.test:8443"),
            Some("https://a.test:8443".to_owned())
        );
        for text in [
            "",
            "a.test",
            "http://a.test",
            "https://a.test/x",
            "https://a.test?x",
            "https://u@a.test",
            "https://*.a.test",
            "https://a.test; script-src *",
            "https://a.test 'unsafe-eval'",
            "data:",
            "'self'",
            "*",
            "https://",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn a_policy_names_the_origins_where_they_count() {
        let list = |text: &str| vec![text.to_owned()];
        let origins = Origins::new(&list("https://a.test"), &list("https://b.test")).unwrap();
        assert_eq!(
            origins.policy(),
            "default-src 'none'; script-src 'unsafe-inline' https://b.test; style-src 'unsafe-inline' https://b.test; \
             img-src data: blob: https://b.test; font-src data: https://b.test; media-src data: blob: https://b.test; \
             connect-src https://a.test; frame-src 'none'; worker-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'"
        );
        assert!(Origins::default().policy().contains("connect-src 'none';"));
        assert_eq!(origins.claims().len(), 2);
        assert!(Origins::new(&vec!["https://a.test".to_owned(); 21], &[]).is_err());
    }
}
