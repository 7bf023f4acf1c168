//! The five providers, by the shapes of their documentation, and the host.

use std::io::Write as _;
use std::sync::Arc;
use std::time::Duration;

use tenon_contract::{ErrorCode, ToolError};
use tenon_web::{
    Domains, HostSearch, HostSearchFuture, HostSearchRequest, ProviderId, ProviderSettings,
    SearchError, SearchQuery, SearchResult, Searcher, Secret,
};
use url::Url;

use crate::server::*;

const KEY: &str = "sk-very-secret-key";

fn searcher(server: &Server, id: ProviderId) -> Searcher {
    let base = Url::parse(&format!("http://127.0.0.1:{}", server.port)).unwrap();
    let key = id.needs_key().then(|| Secret::new(KEY));
    Searcher::at(ProviderSettings::new(id, key, base)).unwrap()
}

fn query(words: &str, count: usize, allowed: &[&str], blocked: &[&str]) -> SearchQuery {
    let owned = |list: &[&str]| {
        list.iter()
            .map(|entry| (*entry).to_owned())
            .collect::<Vec<_>>()
    };
    SearchQuery {
        query: words.to_owned(),
        count,
        domains: Domains::new(&owned(allowed), &owned(blocked)).unwrap(),
    }
}

fn fixture(id: ProviderId) -> &'static str {
    match id {
        ProviderId::Brave => {
            r#"{"type":"search","query":{"original":"rust async","more_results_available":true},"web":{"type":"search","results":[
            {"title":"Async <strong>Rust</strong>","url":"https://docs.rs/a","description":"The <strong>async</strong> book &amp; more","age":"2 days ago","extra_snippets":["extra"]},
            {"title":"Evil","url":"javascript:alert(1)","description":"x"},
            {"title":"Other","url":"https://evildocs.rs/b","description":"y"}]}}"#
        }
        ProviderId::Tavily => {
            r#"{"query":"rust async","answer":null,"images":[],"results":[
            {"title":"Async Rust","url":"https://docs.rs/a","content":"The async book & more extra","score":0.98,"raw_content":null,"favicon":"https://docs.rs/f.ico"},
            {"title":"Other","url":"https://evildocs.rs/b","content":"y","score":0.5}],"response_time":1.2,"request_id":"r"}"#
        }
        ProviderId::Exa => {
            r#"{"requestId":"r","resolvedSearchType":"neural","results":[
            {"title":"Async Rust","url":"https://docs.rs/a","id":"https://docs.rs/a","publishedDate":"2024-01-01","author":null,"highlights":["The async book","more extra"]},
            {"title":null,"url":"https://evildocs.rs/b","id":"b","highlights":[],"text":"y"}],"costDollars":{"total":0.005}}"#
        }
        ProviderId::Searxng => {
            r#"{"query":"rust async","number_of_results":0,"results":[
            {"url":"https://docs.rs/a","title":"Async Rust","content":"The async book & more extra","engine":"duckduckgo","engines":["duckduckgo"],"score":1.0},
            {"url":"https://evildocs.rs/b","title":"Other","engine":"bing"}],"answers":[],"suggestions":[],"infoboxes":[],"unresponsive_engines":[["google","timeout"]]}"#
        }
        ProviderId::Serper => {
            r#"{"searchParameters":{"q":"rust async","type":"search","engine":"google"},"organic":[
            {"title":"Async Rust","link":"https://docs.rs/a","snippet":"The async book & more extra","position":1},
            {"title":"Other","link":"https://evildocs.rs/b","snippet":"y","position":2,"date":"1 Jan 2024"}],"peopleAlsoAsk":[],"relatedSearches":[],"credits":1}"#
        }
    }
}

fn nothing(id: ProviderId) -> &'static str {
    match id {
        ProviderId::Brave => r#"{"type":"search","query":{"original":"x"}}"#,
        ProviderId::Serper => r#"{"searchParameters":{"q":"x"},"credits":1}"#,
        _ => r#"{"results":[]}"#,
    }
}

fn stand_in(body: &'static str) -> Server {
    Server::new(move |_, stream| {
        let _ = stream.write_all(&typed("application/json", body.as_bytes()));
    })
}

#[tokio::test]
async fn every_provider_is_asked_in_its_form_and_reported_in_one() {
    for id in ProviderId::ALL {
        let server = stand_in(fixture(*id));
        let answer = searcher(&server, *id)
            .search(&query("rust async", 5, &[], &[]))
            .await
            .unwrap();
        assert_eq!(answer.provider, id.name());
        let first = &answer.results[0];
        assert_eq!(
            (first.title.as_str(), first.url.as_str()),
            ("Async Rust", "https://docs.rs/a")
        );
        assert!(
            first.snippet.starts_with("The async book"),
            "{}",
            first.snippet
        );
        assert!(
            !first.snippet.contains('<') && first.snippet.contains("extra"),
            "{}",
            first.snippet
        );
        assert_eq!(answer.results.len(), 2, "{}", id.name());
        let seen = &server.seen()[0];
        match id {
            ProviderId::Brave => {
                assert_eq!(
                    seen.line,
                    "GET /res/v1/web/search?q=rust+async&count=5 HTTP/1.1"
                );
                assert_eq!(seen.headers["x-subscription-token"], KEY);
            }
            ProviderId::Tavily => {
                assert_eq!(seen.line, "POST /search HTTP/1.1");
                assert_eq!(seen.headers["authorization"], format!("Bearer {KEY}"));
                assert_eq!(
                    seen.body,
                    r#"{"query":"rust async","max_results":5,"search_depth":"basic"}"#
                );
            }
            ProviderId::Exa => {
                assert_eq!(seen.headers["x-api-key"], KEY);
                assert_eq!(
                    seen.body,
                    r#"{"query":"rust async","numResults":5,"type":"auto","contents":{"highlights":true}}"#
                );
            }
            ProviderId::Searxng => {
                assert_eq!(
                    seen.line,
                    "GET /search?q=rust+async&format=json&pageno=1 HTTP/1.1"
                );
            }
            ProviderId::Serper => {
                assert_eq!(seen.headers["x-api-key"], KEY);
                assert_eq!(seen.body, r#"{"q":"rust async","num":5}"#);
            }
        }
    }
}

#[tokio::test]
async fn filters_hold_whatever_the_provider_does() {
    for id in ProviderId::ALL {
        let server = stand_in(fixture(*id));
        let searcher = searcher(&server, *id);
        let only = searcher
            .search(&query("rust async", 5, &["docs.rs"], &[]))
            .await
            .unwrap();
        let urls: Vec<&str> = only
            .results
            .iter()
            .map(|result| result.url.as_str())
            .collect();
        assert_eq!(urls, ["https://docs.rs/a"], "{}", id.name());
        assert!(only.left_out >= 1);
        let without = searcher
            .search(&query("rust async", 5, &[], &["docs.rs"]))
            .await
            .unwrap();
        let urls: Vec<&str> = without
            .results
            .iter()
            .map(|result| result.url.as_str())
            .collect();
        assert_eq!(urls, ["https://evildocs.rs/b"], "{}", id.name());
    }
}

#[tokio::test]
async fn nothing_found_is_no_error() {
    for id in ProviderId::ALL {
        let server = stand_in(nothing(*id));
        let answer = searcher(&server, *id)
            .search(&query("x", 5, &["a.com"], &[]))
            .await
            .unwrap();
        assert_eq!(answer.results, []);
        assert_eq!(server.seen().len(), 1, "{}", id.name());
    }
}

#[tokio::test]
async fn refusals_are_reported_without_the_key() {
    for id in ProviderId::ALL {
        let server = Server::new(|_, stream| {
            let body = format!("{{\"error\":\"invalid key {KEY}\"}}");
            let _ = stream.write_all(&page(
                "401 Unauthorized",
                &[("content-type", "application/json")],
                body.as_bytes(),
            ));
        });
        let error = searcher(&server, *id)
            .search(&query("x", 5, &[], &[]))
            .await
            .unwrap_err();
        let reported = ToolError::from(error);
        assert_eq!(
            (reported.code, reported.details["status"].as_u64()),
            (ErrorCode::Network, Some(401))
        );
        if id.needs_key() {
            assert!(
                !format!("{reported:?}").contains(KEY),
                "{}",
                reported.message
            );
            assert!(
                reported.message.contains(id.variable()),
                "{}",
                reported.message
            );
        }
        assert_eq!(server.seen().len(), 1, "asking again would not help");
    }
    let server = Server::of(vec![]);
    assert!(!format!("{:?}", searcher(&server, ProviderId::Brave)).contains(KEY));
}

#[tokio::test]
async fn a_busy_provider_is_asked_again_after_the_pause_that_it_wants() {
    let answers = std::sync::Mutex::new(vec![
        typed("application/json", fixture(ProviderId::Brave).as_bytes()),
        page("503 Service Unavailable", &[], b""),
        page("429 Too Many Requests", &[("retry-after", "1")], b""),
    ]);
    let server = Server::new(move |_, stream| {
        let _ = stream.write_all(&answers.lock().unwrap().pop().unwrap());
    });
    let started = std::time::Instant::now();
    let answer = searcher(&server, ProviderId::Brave)
        .search(&query("x", 5, &[], &[]))
        .await
        .unwrap();
    assert_eq!(answer.results.len(), 2);
    assert_eq!(server.seen().len(), 3);
    assert!(started.elapsed() >= Duration::from_secs(1));
}

#[tokio::test]
async fn a_pause_beyond_the_deadline_is_not_waited_for() {
    let server = Server::of(vec![(
        "/search",
        page("429 Too Many Requests", &[("retry-after", "3600")], b""),
    )]);
    let started = std::time::Instant::now();
    let error = searcher(&server, ProviderId::Serper)
        .search(&query("x", 5, &[], &[]))
        .await
        .unwrap_err();
    assert!(
        matches!(
            error,
            SearchError::Status {
                status: 429,
                retry_after: Some(3600),
                ..
            }
        ),
        "{error:?}"
    );
    assert!(started.elapsed() < Duration::from_secs(10));
}

#[tokio::test]
async fn odd_answers_are_reported_and_not_taken() {
    for body in ["", "<html>", "[]", "{\"results\":{}}", "{}"] {
        let server = stand_in(body);
        let error = searcher(&server, ProviderId::Tavily)
            .search(&query("x", 5, &[], &[]))
            .await
            .unwrap_err();
        assert!(
            matches!(error, SearchError::Form { .. }),
            "{body}: {error:?}"
        );
    }
    let server = Server::of(vec![(
        "/search",
        redirect("302 Found", "http://evil.example/"),
    )]);
    let error = searcher(&server, ProviderId::Exa)
        .search(&query("x", 5, &[], &[]))
        .await
        .unwrap_err();
    assert!(
        matches!(error, SearchError::Status { status: 302, .. }),
        "{error:?}"
    );
}

struct Own;

impl HostSearch for Own {
    fn search(&self, request: HostSearchRequest) -> HostSearchFuture {
        assert_eq!(request.allowed_domains, ["a.com"]);
        let result = |url: &str| SearchResult {
            title: "T".to_owned(),
            url: url.to_owned(),
            snippet: "s\u{202e}".to_owned(),
        };
        Box::pin(async move {
            if request.query == "fail" {
                return Err("no index".to_owned());
            }
            Ok(vec![
                result("https://a.com/1"),
                result("https://b.com/2"),
                result("https://a.com/1"),
            ])
        })
    }
}

#[tokio::test]
async fn the_host_may_search_and_is_filtered_like_everybody() {
    let searcher = Searcher::by_host(Arc::new(Own), Duration::from_secs(5));
    let answer = searcher
        .search(&query("x", 5, &["a.com"], &[]))
        .await
        .unwrap();
    assert_eq!(answer.provider, "host");
    assert_eq!(
        answer.results,
        [SearchResult {
            title: "T".to_owned(),
            url: "https://a.com/1".to_owned(),
            snippet: "s\\u{202e}".to_owned()
        }]
    );
    let error = searcher
        .search(&query("fail", 5, &["a.com"], &[]))
        .await
        .unwrap_err();
    assert!(error.to_string().contains("no index"));
}
