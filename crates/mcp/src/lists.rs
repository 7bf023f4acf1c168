//! Lists of a server, which come in pages.

use std::collections::HashSet;
use std::future::Future;

use rmcp::ErrorData;
use rmcp::model::PaginatedRequestParams;
use rmcp::service::ServiceError;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::error::{fault_of, words};

/// Most entries of one list.
const ENTRIES_MAX: usize = 20_000;
/// Most pages of one list.
const PAGES_MAX: usize = 1_000;
/// Most entries that are named with their fault.
const FAULTS_MAX: usize = 10;

/// One page.
pub(crate) struct Page<T> {
    pub(crate) entries: Vec<T>,
    pub(crate) next: Option<String>,
    /// How long the list holds, where the server says so.
    pub(crate) ttl_ms: Option<u64>,
    /// A sentence about each entry that is passed over.
    pub(crate) faults: Vec<String>,
}

/// A page of which an entry is not what it is said to be: the others, and a sentence about each that is not. `key` is
/// the member that holds the entries.
pub(crate) fn usable<T: DeserializeOwned>(
    method: &str,
    key: &str,
    answer: &Value,
) -> Result<Page<T>, ServiceError> {
    let Some(given) = answer.get(key).and_then(Value::as_array) else {
        let fault = format!("its answer to `{method}` is not valid: `{key}` is not a list");
        return Err(ServiceError::McpError(ErrorData::internal_error(
            fault, None,
        )));
    };
    let (mut entries, mut faults) = (Vec::new(), Vec::new());
    for (index, entry) in given.iter().enumerate() {
        match serde_json::from_value(entry.clone()) {
            Ok(entry) => entries.push(entry),
            Err(_) => {
                let fault = words(&fault_of::<T>(entry));
                let name = entry.get("name").and_then(Value::as_str);
                let name = name.map_or_else(String::new, |name| format!(" (`{}`)", words(name)));
                faults.push(format!("`{key}[{index}]`{name} was not taken: {fault}."));
            }
        }
    }
    let next = answer.get("nextCursor").and_then(Value::as_str);
    Ok(Page {
        entries,
        next: next.map(str::to_owned),
        ttl_ms: answer.get("ttlMs").and_then(Value::as_u64),
        faults,
    })
}

/// All pages as `{entries, ttlMs, cut}`; `cut` says why it is not all.
pub(crate) async fn all<T: Serialize, F: Future<Output = Result<Page<T>, ServiceError>>>(
    mut page: impl FnMut(Option<PaginatedRequestParams>) -> F,
) -> Result<Value, ServiceError> {
    let mut entries = Vec::new();
    let (mut cursor, mut ttl_ms) = (None, None);
    let mut seen = HashSet::new();
    let mut cut = None;
    let (mut faults, mut count) = (Vec::new(), 0);
    for number in 0.. {
        let params = PaginatedRequestParams::default().with_cursor(cursor);
        let Page {
            entries: more,
            next,
            ttl_ms: ttl,
            faults: more_faults,
        } = page(Some(params)).await?;
        ttl_ms = ttl.map(|ttl| ttl_ms.map_or(ttl, |known: u64| known.min(ttl)));
        entries.extend(more);
        count += more_faults.len();
        let room = FAULTS_MAX.saturating_sub(faults.len());
        faults.extend(more_faults.into_iter().take(room));
        let Some(next) = next else { break };
        if entries.len() > ENTRIES_MAX {
            entries.truncate(ENTRIES_MAX);
            cut = Some(format!("It lists more than {ENTRIES_MAX} entries."));
            break;
        }
        if number + 1 >= PAGES_MAX {
            cut = Some(format!("Its list has more than {PAGES_MAX} pages."));
            break;
        }
        if !seen.insert(next.clone()) {
            cut = Some("Its list does not end: it repeats a page.".to_owned());
            break;
        }
        cursor = Some(next);
    }
    if count > faults.len() {
        faults.push(format!("{} more were not taken.", count - faults.len()));
    }
    faults.extend(cut);
    let cut = (!faults.is_empty()).then(|| faults.join(" "));
    Ok(json!({ "entries": entries, "ttlMs": ttl_ms, "cut": cut }))
}

#[cfg(test)]
mod tests {
    use rmcp::model::Tool;

    use super::*;

    async fn listed(next: impl Fn(usize) -> Option<String>, size: usize) -> (usize, Value) {
        let mut count = 0;
        let list = all(|_| {
            let page = Page {
                entries: vec![count; size],
                next: next(count),
                ttl_ms: None,
                faults: Vec::new(),
            };
            count += 1;
            std::future::ready(Ok(page))
        });
        let list = list.await.unwrap();
        (
            list["entries"].as_array().unwrap().len(),
            list["cut"].clone(),
        )
    }

    #[tokio::test]
    async fn an_entry_that_is_not_valid_is_named_and_the_others_are_taken() {
        let good = json!({ "name": "a", "inputSchema": { "type": "object" } });
        for (entry, fault) in [
            (
                json!({ "name": "x" }),
                "`tools[1]` (`x`) was not taken: missing field `inputSchema`.",
            ),
            (
                Value::Null,
                "`tools[1]` was not taken: invalid type: null, expected an object.",
            ),
            (
                json!({ "name": "x", "inputSchema": {}, "annotations": { "readOnlyHint": "yes" } }),
                "`tools[1]` (`x`) was not taken: invalid type: string \"yes\", expected a boolean.",
            ),
        ] {
            let answer = json!({ "tools": [good, entry, good] });
            let list = all(|_| std::future::ready(usable::<Tool>("tools/list", "tools", &answer)));
            let list = list.await.unwrap();
            assert_eq!(list["entries"], json!([good, good]));
            assert_eq!(list["cut"], fault);
        }
        let Err(error) = usable::<Tool>("tools/list", "tools", &json!({ "tools": 5 })) else {
            panic!("a number is no list");
        };
        assert!(
            error
                .to_string()
                .contains("its answer to `tools/list` is not valid: `tools` is not a list")
        );
    }

    #[tokio::test]
    async fn every_page_is_read_and_a_list_without_end_is_cut() {
        let hundreds = |page: usize| (page < 199).then(|| page.to_string());
        assert_eq!(listed(hundreds, 50).await, (10_000, Value::Null));
        let (count, cut) = listed(|_| Some("again".to_owned()), 3).await;
        assert_eq!(
            (count, cut),
            (6, "Its list does not end: it repeats a page.".into())
        );
        let (count, cut) = listed(|page| Some(page.to_string()), 0).await;
        assert_eq!(
            (count, cut),
            (0, "Its list has more than 1000 pages.".into())
        );
        let (count, cut) = listed(|page| Some(page.to_string()), 1_000).await;
        assert_eq!(
            (count, cut),
            (20_000, "It lists more than 20000 entries.".into())
        );
    }
}
