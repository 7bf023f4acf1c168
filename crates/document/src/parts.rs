//! Which parts of a document are wanted.

use std::ops::RangeInclusive;

use tenon_contract::{ErrorCode, ToolError};

/// What `pages` asks for of `total` parts: `3`, `2-5`, `7-` or `-4`; all of them when it is absent.
///
/// # Errors
/// [`ErrorCode::InvalidParams`] for what is no range, or lies beyond the last part.
pub fn parts(
    pages: Option<&str>,
    what: &str,
    total: usize,
) -> Result<RangeInclusive<usize>, ToolError> {
    let Some(asked) = pages.map(str::trim) else {
        return Ok(1..=total);
    };
    let number = |text: &str| {
        text.trim()
            .parse::<usize>()
            .ok()
            .filter(|number| *number > 0)
    };
    let range = match asked.split_once('-') {
        None => number(asked).map(|one| one..=one),
        Some(("", last)) => number(last).map(|last| 1..=last),
        Some((first, "")) => number(first).map(|first| first..=total.max(first)),
        Some((first, last)) => number(first)
            .zip(number(last))
            .map(|(first, last)| first..=last),
    };
    let range = range.filter(|range| range.start() <= range.end());
    let Some(range) = range else {
        let message = format!("`{asked}` is not a range of {what}s. Use `3`, `2-5` or `7-`.");
        return Err(ToolError::new(ErrorCode::InvalidParams, message).with("pages", asked));
    };
    if *range.start() > total {
        let message = format!(
            "There is no {what} {}: there are {total}. Use a range from 1 to {total}.",
            range.start()
        );
        return Err(ToolError::new(ErrorCode::InvalidParams, message)
            .with("pages", asked)
            .with("total", total));
    }
    Ok(*range.start()..=*range.end().min(&total))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn asked(pages: &str) -> Result<RangeInclusive<usize>, &'static str> {
        parts(Some(pages), "page", 9).map_err(|error| error.code.as_str())
    }

    #[test]
    fn ranges_are_read_as_people_write_them() {
        assert_eq!(asked("3"), Ok(3..=3));
        assert_eq!(asked(" 2 - 5 "), Ok(2..=5));
        assert_eq!(asked("7-"), Ok(7..=9));
        assert_eq!(asked("-4"), Ok(1..=4));
        assert_eq!(asked("8-100"), Ok(8..=9));
        assert_eq!(parts(None, "page", 9).unwrap(), 1..=9);
        for wrong in ["", "0", "x", "5-2", "1,2", "-", "10", "1-0"] {
            assert_eq!(asked(wrong), Err("invalid_params"), "{wrong}");
        }
    }
}
