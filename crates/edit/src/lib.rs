//! Edits and patches on text: the matcher, the patch formats, diffs. Pure.
