//! Which sites results may come from, compared by label and never as text.

use url::{Host, Url};

/// An entry that is no domain.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{entry}` is not a domain. Use one such as `example.com`; subdomains are included.")]
pub struct DomainError {
    entry: String,
}

/// Sites that results may come from, and sites that they may not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Domains {
    allowed: Vec<Site>,
    blocked: Vec<Site>,
}

/// A domain with all below it, perhaps only from a path on.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Site {
    host: String,
    path: String,
}

impl Domains {
    /// Reads both lists. An empty list of allowed domains allows all that are not blocked.
    ///
    /// # Errors
    /// An entry that is no domain.
    pub fn new(allowed: &[String], blocked: &[String]) -> Result<Self, DomainError> {
        let read = |entries: &[String]| -> Result<Vec<Site>, DomainError> {
            entries.iter().map(|entry| Site::new(entry)).collect()
        };
        Ok(Self {
            allowed: read(allowed)?,
            blocked: read(blocked)?,
        })
    }

    /// Whether a result of this address may be shown.
    #[must_use]
    pub fn admit(&self, url: &Url) -> bool {
        (self.allowed.is_empty() || self.allowed.iter().any(|site| site.contains(url)))
            && !self.blocked.iter().any(|site| site.contains(url))
    }

    /// Whether anything is restricted.
    #[must_use]
    pub fn is_restricted(&self) -> bool {
        !self.allowed.is_empty() || !self.blocked.is_empty()
    }

    pub(super) fn allowed(&self) -> Vec<&str> {
        hosts(&self.allowed)
    }

    pub(super) fn blocked(&self) -> Vec<&str> {
        // To block part of a site at the provider would block all of it.
        self.blocked
            .iter()
            .filter(|site| site.path.is_empty())
            .map(|site| site.host.as_str())
            .collect()
    }

    /// The words with the restriction in the form that most search engines read, within `most` characters.
    pub(super) fn spelled_out(&self, words: &str, most: usize) -> String {
        let mut query = words.to_owned();
        let allowed: Vec<String> = self
            .allowed()
            .iter()
            .map(|host| format!("site:{host}"))
            .collect();
        let clause = match allowed.as_slice() {
            [] => String::new(),
            [only] => format!("{only} "),
            several => format!("({}) ", several.join(" OR ")),
        };
        if clause.chars().count() + query.chars().count() <= most {
            query.insert_str(0, &clause);
        }
        for host in self.blocked() {
            let clause = format!(" -site:{host}");
            if query.chars().count() + clause.len() <= most {
                query.push_str(&clause);
            }
        }
        query
    }
}

fn hosts(sites: &[Site]) -> Vec<&str> {
    let mut hosts: Vec<&str> = Vec::new();
    for site in sites {
        if !hosts.contains(&site.host.as_str()) {
            hosts.push(&site.host);
        }
    }
    hosts
}

impl Site {
    fn new(entry: &str) -> Result<Self, DomainError> {
        let wrong = || DomainError {
            entry: crate::visible::line(entry, 100),
        };
        let text = entry.trim().trim_start_matches("*.");
        let has_scheme = text.starts_with("http://") || text.starts_with("https://");
        let text = if has_scheme {
            text.to_owned()
        } else {
            format!("https://{text}")
        };
        let url = Url::parse(&text).map_err(|_| wrong())?;
        let host = match url.host() {
            Some(Host::Domain(host)) => host.trim_end_matches('.').to_owned(),
            Some(host) => host.to_string(),
            None => return Err(wrong()),
        };
        let is_plain = url.username().is_empty()
            && url.password().is_none()
            && url.query().is_none()
            && url.port().is_none();
        let is_name =
            !host.is_empty() && !host.contains('*') && !host.split('.').any(str::is_empty);
        if !is_plain || !is_name {
            return Err(wrong());
        }
        Ok(Self {
            host,
            path: url.path().trim_end_matches('/').to_owned(),
        })
    }

    fn contains(&self, url: &Url) -> bool {
        let Some(host) = url.host_str() else {
            return false;
        };
        let host = host.trim_end_matches('.');
        let is_host = host == self.host
            || host
                .strip_suffix(&self.host)
                .is_some_and(|below| below.ends_with('.'));
        let is_path = self.path.is_empty()
            || url
                .path()
                .strip_prefix(&self.path)
                .is_some_and(|below| below.is_empty() || below.starts_with('/'));
        is_host && is_path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn admitted(allowed: &[&str], blocked: &[&str], url: &str) -> bool {
        let owned = |list: &[&str]| {
            list.iter()
                .map(|entry| (*entry).to_owned())
                .collect::<Vec<_>>()
        };
        let domains = Domains::new(&owned(allowed), &owned(blocked)).unwrap();
        domains.admit(&Url::parse(url).unwrap())
    }

    #[test]
    fn domains_compare_by_label_in_every_spelling() {
        for entry in [
            "example.com",
            "EXAMPLE.com.",
            "https://example.com/",
            "*.example.com",
            " example.com ",
        ] {
            assert!(admitted(&[entry], &[], "https://example.com/x"), "{entry}");
            assert!(
                admitted(&[entry], &[], "https://Docs.Example.com:8443/x"),
                "{entry}"
            );
            for other in [
                "https://evilexample.com/",
                "https://example.com.evil.net/",
                "https://example.co/",
                "https://evil.net/example.com",
            ] {
                assert!(!admitted(&[entry], &[], other), "{entry} {other}");
            }
            assert!(
                !admitted(&[], &[entry], "https://a.example.com/"),
                "{entry}"
            );
        }
        assert!(admitted(
            &["bücher.example"],
            &[],
            "https://xn--bcher-kva.example/"
        ));
        assert!(!admitted(
            &["example.com"],
            &["private.example.com"],
            "https://private.example.com/"
        ));
        assert!(admitted(
            &["example.com/docs"],
            &[],
            "https://example.com/docs/a"
        ));
        assert!(!admitted(
            &["example.com/docs"],
            &[],
            "https://example.com/docs2"
        ));
        assert!(admitted(&[], &[], "https://anything.example/"));
    }

    #[test]
    fn what_is_no_domain_is_refused_by_name() {
        for entry in [
            "",
            "*",
            "*.*",
            "a b",
            "user@example.com",
            "example.com:80",
            "example.com?x",
            "http://",
            "a..b",
            "ex*mple.com",
        ] {
            assert!(Domains::new(&[entry.to_owned()], &[]).is_err(), "{entry}");
        }
    }

    #[test]
    fn a_restriction_is_spelled_out_where_there_is_room() {
        let list = |entries: &[&str]| {
            entries
                .iter()
                .map(|entry| (*entry).to_owned())
                .collect::<Vec<_>>()
        };
        let domains =
            Domains::new(&list(&["a.com", "b.org/x"]), &list(&["c.net", "d.net/y"])).unwrap();
        assert_eq!(
            domains.spelled_out("rust async", 400),
            "(site:a.com OR site:b.org) rust async -site:c.net"
        );
        assert_eq!(domains.spelled_out("rust async", 20), "rust async");
    }
}
