//! The vocabulary of tenon: what a tool is, what it touches, what it answers. No input or output happens here.
