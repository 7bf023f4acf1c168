//! A reader of POSIX sh and bash text: every command, word and redirection with its span. Pure.
