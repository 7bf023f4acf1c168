//! Command texts of about 10 kB, each of another shape: what a model writes on a good day, and what a hostile one
//! could write to keep a decision waiting.

#[path = "hostile.rs"]
mod hostile;

/// How long each text is at least, in bytes.
pub(crate) const LENGTH: usize = 10_000;

/// An everyday script: a loop, a substitution, redirections, a here-document, a pipeline.
const SCRIPT: &str = include_str!("../../../../benchmark/cases/everyday.sh");

/// Pieces that are put one behind the other until the text is long enough. Each `@` becomes the number of the piece,
/// so that no two commands are the same.
const PIECES: &[(&str, &str)] = &[
    ("script", SCRIPT),
    ("ls && ", "ls -la src && "),
    ("echo $()", "echo \"$(git status -s)\"; "),
    ("cat |", "cat a | "),
    ("echo >", "echo x > build/a; "),
    ("cd", "cd src; "),
    ("bash -c", "bash -c 'ls'; "),
    ("(ls;", "(ls; "),
    (
        "numbered pipeline",
        "grep -n word@ src/f@.rs | sort -u > build/out@\n",
    ),
    ("numbered cat |", "cat a@ | "),
    ("numbered cd", "cd s@; cd ..; "),
    ("numbered bash -c", "bash -c 'ls d@'; "),
    ("numbered echo >", "echo x > b@; "),
    ("eval", "eval \"cd s@ && ls\"; "),
    ("functions", "f@() { ls -l d@; }\n"),
    ("assignments", "V@=value@; "),
    ("assignments before", "A@=1 B@=2 ls; "),
    ("export", "export V@=\"x$V\"; "),
    (
        "for and case",
        "for i in a b c@; do case $i in a|b) echo one;; *) ls \"$i\";; esac; done\n",
    ),
    (
        "while read",
        "while read -r line; do echo \"$line\" >> build/@.txt; done < src/@.txt\n",
    ),
    (
        "if test",
        "if [ -f a@ ] && ! grep -q x a@; then rm -f b@; else mv a@ b@; fi\n",
    ),
    ("[[ ]]", "[[ -f a@ ]] && cat a@ > b@\n"),
    ("braces", "cp src/{a,b}@.rs build/; "),
    (
        "find -exec",
        "find src -name '*.r@' -exec grep -n foo {} +; ",
    ),
    ("xargs", "git ls-files | xargs -n 1 grep -l w@; "),
    ("sudo env", "sudo env X=1 Y=@ timeout 5 nice -n 3 ls d@; "),
    ("unicode", "echo 'größe 漢字@' > build/ü@; "),
    ("arithmetic", "n@=$((n + @ * 2)); "),
    (
        "parameters",
        "echo \"${HOME:-/x}/${f@%.txt}\" ${#x} ${y//a/b}; ",
    ),
    (
        "comments",
        "# what the next line does, and why it does it @\nls\n",
    ),
    ("sed and awk", "sed -i 's/a@/b/' f@; awk '{print $@}' g@; "),
    ("unknown programs", "tool@ --one=a,b -x file@ other:c@ d; "),
    ("git", "git -C sub log --oneline -n @ -- f@; "),
    ("curl", "curl -sL https://h@.example.com/a?b=c -o build/@; "),
    ("denied", "rm -rf build@; git push origin b@; "),
    ("backticks", "echo `cat f@`; "),
    ("process substitution", "diff <(sort a@) <(sort b@); "),
    ("background", "sleep @ & "),
    ("here-documents", "cat <<E > b@\n$x\nE\n"),
    ("copies", "cp -r a@ b@ c@ build; "),
    ("python -c", "python3 -c 'print(@)'; "),
    ("interpreter", "sh <<'E'\nls d@\nE\n"),
    ("and or", "a@ && b@ || c@; "),
    ("bang and time", "! time ls d@; "),
    ("split names", "l\\\ns d@\n"),
    ("bare comments", "#@\n"),
    ("bare redirections", "> b@; "),
    ("globs", "ls *.a@ b?[c-d]@; "),
    ("arrays", "a@=(x y z); "),
    ("array elements", "a[@]=x; "),
    ("opaque commands", "$c@ x; "),
    ("opaque words of a rule", "rm $x@; git $y@; "),
    ("unicode names", "größe@ ñ 漢字@; "),
    ("directory in a subshell", "(cd s@ && ls d@); "),
    ("protected files", "cat secrets/k@ .env; "),
    ("addresses", "curl http://h@.example.com $u@; "),
    ("env -S", "env -S 'ls d@'; "),
    ("xargs sh -c", "xargs sh -c 'ls d@'; "),
    ("tar and dd", "tar czf t@.tgz d@; dd if=a@ of=b@; "),
    ("here-strings", "cat <<< \"$x@\"; "),
    (
        "select and coproc",
        "select x in a@; do ls; done; coproc ls; ",
    ),
];

/// Texts that begin with one thing, continue with another and end with a third.
const FRAMED: &[(&str, &str, &str, &str)] = &[
    (
        "one here-document",
        "cat > build/x <<'EOF'\n",
        "a line of text with `marks` and $names @\n",
        "EOF\n",
    ),
    (
        "one open here-document",
        "cat > build/x <<EOF\n",
        "a line of text with marks and $names @\n",
        "EOF\n",
    ),
    (
        "one quoted word",
        "echo '",
        "text of one very long word @ ",
        "'",
    ),
    (
        "one double-quoted word",
        "echo \"",
        "text of $one very long word @ ",
        "\"",
    ),
    ("one plain word", "echo ", "abcdefghij", ""),
    ("echo with many words", "echo", " w@", ""),
    ("cat with many files", "cat", " f@", ""),
    ("ls with many files", "ls -l", " d@/f", ""),
    ("cp with many files", "cp", " f@", " build"),
    ("unknown with many words", "tool", " f@", ""),
    ("one list of for", "for i in", " w@", "; do ls $i; done"),
    ("one array", "a=(", " w@", ")"),
    ("one case", "case $x in\n", "w@) ls d@;;\n", "esac"),
    ("one function", "f() {\n", "  ls d@\n", "}\nf"),
    ("one loop", "while true; do\n", "  cd d@ && ls\n", "done"),
    ("one if", "if a; then ls\n", "elif b@; then ls\n", "fi"),
    ("one substitution", "x=$(\n", "ls d@\n", ")"),
    ("one arithmetic", "x=$((0", " + n@", "))"),
    ("one bash -c", "bash -c '", "ls d@; ", "'"),
    ("one env", "env", " V@=1", " ls"),
    ("one sed script", "sed -n '", "s/a@/b/;", "' f"),
    ("here-documents on a line", "cat", " <<E@", " > b\n"),
    ("one command with redirections", "ls", " > b@", ""),
    ("one list of globs", "cat", " *f@", ""),
    ("one list of opaque words", "cat", " $f@", ""),
    ("one word of stars", "cat ", "*", ""),
    ("one word of brackets", "cat ", "[a]", ""),
    ("one word of braces", "echo ", "{a,b}", ""),
    ("one word of quotes", "echo ", "''\"\"", ""),
    ("one word of changing quotes", "echo ", "'a'\"b\"c", ""),
    ("one word of backslashes", "echo ", "\\a", ""),
    ("one word of parameters", "echo ", "$x", ""),
    ("one word of substitutions", "echo ", "$(a)", ""),
    ("one path", "cat ", "a/", "x"),
    ("one path of parents", "cat ", "../", "x"),
    ("one line of continuations", "ls", " \\\n", ""),
    ("one line of blanks", "ls", " \t", ""),
    ("one find", "find .", " -exec ls {} +", ""),
    ("one git", "git", " -c a.b@=c", " status"),
    ("one sed with scripts", "sed", " -e s/a@/b/", " f"),
    ("one line of sudo", "", "sudo ", "ls"),
    ("one line of bangs", "", "! ", "ls"),
    ("open (", "", "(", ""),
    ("open {", "", "{ ", ""),
    ("open $(", "echo ", "$(", ""),
    ("open $((", "echo ", "$((", ""),
    ("open ${", "echo ", "${x:-", ""),
    ("open [[", "[[ ", "( ", ""),
    ("open if", "", "if ", ""),
    ("open case", "", "case x in x) ", ""),
    ("open double quotes", "echo ", "\"$(", ""),
    ("open backticks", "", "`", ""),
    ("open here-documents", "", "cat <<E@\n", ""),
    ("open functions", "", "f() {\n", ""),
    ("open array", "", "a=(", ""),
    ("only ;", "", ";", ""),
    ("only &", "", "ls&", ""),
    ("only quotes", "", "'", ""),
    ("only line ends", "", "\n", ""),
];

/// Openings and closings that are put 50 deep into each other.
const NESTED: &[(&str, &str)] = &[
    ("echo $(", ")"),
    ("echo \"$(", ")\""),
    ("(", ")"),
    ("{ ", "; }"),
    ("if a; then ", "; fi"),
    ("while a; do ", "; done"),
    ("for i in a; do ", "; done"),
    ("case x in x) ", ";; esac"),
    ("f() { ", "; }"),
    ("cat <(", ")"),
    ("echo ${x:-$(", ")}"),
    ("echo $((1 + $(", ")))"),
    ("[[ -n $(", ") ]]"),
    ("! ( ", " )"),
];

/// The texts of at least so many bytes, each with its name.
pub(crate) fn texts(length: usize) -> Vec<(String, String)> {
    let pieces = PIECES.iter().chain(hostile::PIECES);
    let framed = FRAMED.iter().chain(hostile::FRAMED);
    let nested = NESTED.iter().chain(hostile::NESTED);
    let pieces = pieces.map(|(name, piece)| ((*name).to_owned(), filled("", piece, "ls", length)));
    let framed = framed
        .map(|(name, head, piece, tail)| ((*name).to_owned(), filled(head, piece, tail, length)));
    let nested = nested.map(|(open, close)| {
        let piece = format!("{}ls{}; ", open.repeat(50), close.repeat(50));
        (format!("50 deep {open}"), filled("", &piece, "ls", length))
    });
    pieces.chain(framed).chain(nested).collect()
}

fn filled(head: &str, piece: &str, tail: &str, length: usize) -> String {
    let mut text = head.to_owned();
    let mut number = 0;
    while text.len() + tail.len() < length {
        text.push_str(&piece.replace('@', &number.to_string()));
        number += 1;
    }
    text + tail
}
