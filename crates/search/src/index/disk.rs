//! The form in which an index lies on the disk. It is read as if anybody could have written it: nothing in it is believed that
//! could make an answer wrong without being checked, and nothing can be asked of memory that the file does not have.
//!
//! Two parts, each with its checksum: the tree (directories with their entries, files with their states), which is
//! compared with the disk, and the signatures.

mod bytes;
mod tree;

pub(crate) use bytes::{ByteReader, ByteWriter};
pub(crate) use tree::{StoredDirectory, StoredFile, StoredSign, StoredStamp, StoredTree};

/// What every file begins with; another form has another number.
const HEAD: &[u8; 16] = b"tenon index\0\0\0\0\x02";

/// Another version may read ignore files or hash grams in another way, so it reads nothing of this one. It is in the checksums.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Bytes of a checksum.
const CHECK_BYTES: usize = blake3::OUT_LEN;

/// The bytes of a file with these two parts.
pub(crate) fn seal(tree: &[u8], signatures: &[u8]) -> Vec<u8> {
    let length = HEAD.len() + 8 + tree.len() + signatures.len() + CHECK_BYTES * 2;
    let mut sealed = Vec::with_capacity(length);
    sealed.extend_from_slice(HEAD);
    sealed.extend_from_slice(&(tree.len() as u64).to_le_bytes());
    let tree_check = check(HEAD, tree);
    sealed.extend_from_slice(tree_check.as_bytes());
    sealed.extend_from_slice(tree);
    sealed.extend_from_slice(check(tree_check.as_bytes(), signatures).as_bytes());
    sealed.extend_from_slice(signatures);
    sealed
}

/// The parts of a file. They are whole only once each was [checked](Sealed::tree).
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sealed<'a> {
    tree: &'a [u8],
    tree_check: [u8; CHECK_BYTES],
    signatures: &'a [u8],
    signatures_check: [u8; CHECK_BYTES],
}

impl<'a> Sealed<'a> {
    pub(crate) fn open(file: &'a [u8]) -> Option<Self> {
        let rest = file.strip_prefix(HEAD)?;
        let (length, rest) = rest.split_first_chunk::<8>()?;
        let (tree_check, rest) = rest.split_first_chunk::<CHECK_BYTES>()?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
        let (tree, rest) = rest.split_at_checked(length)?;
        let (signatures_check, signatures) = rest.split_first_chunk::<CHECK_BYTES>()?;
        Some(Self {
            tree,
            tree_check: *tree_check,
            signatures,
            signatures_check: *signatures_check,
        })
    }

    /// The tree, if it is as it was written.
    pub(crate) fn tree(&self) -> Option<StoredTree> {
        if check(HEAD, self.tree) != blake3::Hash::from_bytes(self.tree_check) {
            return None;
        }
        StoredTree::read(&mut ByteReader::new(self.tree))
    }

    /// The signatures, if they are as they were written, and belong to the tree.
    pub(crate) fn signatures(&self) -> Option<&'a [u8]> {
        let written = blake3::Hash::from_bytes(self.signatures_check);
        (check(&self.tree_check, self.signatures) == written).then_some(self.signatures)
    }
}

/// The checksum of a part that belongs to what `before` says.
fn check(before: &[u8], part: &[u8]) -> blake3::Hash {
    check_of(VERSION, before, part)
}

fn check_of(version: &str, before: &[u8], part: &[u8]) -> blake3::Hash {
    let mut hasher = blake3::Hasher::new();
    hasher.update(version.as_bytes());
    hasher.update(before);
    hasher.update(part);
    hasher.finalize()
}

/// Reads what may be a file of an index, for tests with made-up bytes. Whether it is one.
#[cfg(any(test, feature = "fuzz"))]
#[cfg_attr(
    not(feature = "fuzz"),
    expect(unreachable_pub, reason = "only a fuzzer is outside")
)]
pub fn try_to_read(file: &[u8], resealed: bool) -> bool {
    let read = |file: &[u8]| {
        let sealed = Sealed::open(file)?;
        let tree = sealed.tree()?;
        let slots: Vec<_> = tree.files.iter().filter_map(StoredFile::slot).collect();
        let mut reader = ByteReader::new(sealed.signatures()?);
        let most = super::signature::Signatures::read(&mut reader, &slots, usize::MAX)?;
        Some(most.bytes())
    };
    if !resealed {
        return read(file).is_some();
    }
    // With checksums that are right, so that what lies behind them is reached. The first bytes say where the parts meet.
    let Some((half, parts)) = file.split_first_chunk::<4>() else {
        return false;
    };
    let half = u32::from_le_bytes(*half) as usize % (parts.len() + 1);
    let (tree, signatures) = parts.split_at(half);
    read(&seal(tree, signatures)).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn made_up_bytes_are_refused_and_never_a_panic(
            bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..400),
        ) {
            proptest::prop_assert!(!try_to_read(&bytes, false));
            let _ = try_to_read(&bytes, true);
            let _ = try_to_read(&seal(&bytes, &[]), false);
        }
    }

    #[test]
    fn what_another_version_wrote_is_refused() {
        let sealed = seal(b"a tree", b"and signatures");
        let ours = check(HEAD, b"a tree");
        assert!(
            sealed
                .windows(CHECK_BYTES)
                .any(|part| part == ours.as_bytes())
        );
        assert_ne!(ours, check_of("0.0.0", HEAD, b"a tree"));
    }

    /// A change of how grams are made or kept takes another number for the form, and then another hash here.
    #[test]
    fn signatures_are_what_the_number_of_the_form_stands_for() {
        use crate::index::budget::Room;
        use crate::index::signature::{Signatures, Signer};

        let room = Room {
            bytes: usize::MAX,
            bits: 225,
        };
        let (mut signatures, mut slots) = (Signatures::default(), Vec::new());
        for text in ["needle in Alpha", "\u{212a}elvin, na\u{ef}ve\n"] {
            let mut signer = Signer::new();
            signer.take(text.as_bytes());
            let mut positions = signer.finish().positions;
            positions.sort_unstable();
            slots.push(signatures.insert(&positions, room).unwrap());
        }
        let mut written = ByteWriter::default();
        signatures.write(&mut written, &slots);
        let hash = blake3::hash(&written.0).to_hex();
        assert_eq!((HEAD[15], &hash[..16]), (2, "adef5f4f29a62483"));
    }

    #[test]
    fn a_byte_that_changed_and_parts_of_two_files_are_refused() {
        let sealed = seal(b"a tree", b"and signatures");
        let is_whole = |file: &[u8]| {
            Sealed::open(file).is_some_and(|sealed| {
                check(HEAD, sealed.tree) == blake3::Hash::from_bytes(sealed.tree_check)
                    && sealed.signatures().is_some()
            })
        };
        assert!(is_whole(&sealed));
        for at in 0..sealed.len() {
            let mut other = sealed.clone();
            other[at] ^= 1;
            assert!(!is_whole(&other), "{at}");
            assert!(!is_whole(&sealed[..at]), "{at}");
        }
        let another = seal(b"a Tree", b"and signatures");
        let cut = sealed.len() - CHECK_BYTES - b"and signatures".len();
        assert!(!is_whole(&[&sealed[..cut], &another[cut..]].concat()));
    }
}
