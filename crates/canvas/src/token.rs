//! Words that nobody can guess.

use tenon_contract::{ErrorCode, ToolError};

/// 128 bits of the system's random source, in hexadecimal digits.
pub(crate) fn token() -> Result<String, ToolError> {
    let mut bytes = [0_u8; 16];
    getrandom::fill(&mut bytes).map_err(|error| {
        let message =
            format!("The system has no random numbers for the address of the page: {error}.");
        ToolError::new(ErrorCode::Unavailable, message)
    })?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Whether both are the same. Takes as long for every text of the same length.
pub(crate) fn is_same(left: &str, right: &str) -> bool {
    let pairs = left.bytes().zip(right.bytes());
    left.len() == right.len() && pairs.fold(0, |known, (a, b)| known | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_differ_and_have_128_bits() {
        let (one, other) = (token().unwrap(), token().unwrap());
        assert_ne!(one, other);
        assert_eq!(one.len(), 32);
        assert!(is_same(&one, &one.clone()));
        assert!(!is_same(&one, &other));
        assert!(!is_same(&one, &one[..31]));
    }
}
