//! What common commands do to files, directories and names.

use tenon_shell::{
    AccessScope, DirectoryChange, Invocation, Names, ShellGrammar, assigned_names,
    directory_change, examine, file_operands, redefined_names,
};

fn first(text: &str) -> Invocation {
    let examination = examine(text, ShellGrammar::Bash);
    let first = examination
        .texts
        .iter()
        .flat_map(|text| &text.invocations)
        .next();
    first
        .map(|(_, invocation)| invocation.clone())
        .expect("a command")
}

fn files(text: &str) -> String {
    let command = first(text);
    let files = file_operands(command.program(), command.normalized_words());
    let files: Vec<String> = files
        .iter()
        .map(|file| {
            let access = format!("{:?}", file.access).to_lowercase();
            let reach = match file.reach {
                AccessScope::Named | AccessScope::Entry => "",
                AccessScope::Patterns => " for patterns",
                AccessScope::Below => " and below",
                AccessScope::Emptied => " and all below",
                AccessScope::Mounted => " and below, for a container",
                AccessScope::BelowFromTop => " and below, from the top",
                AccessScope::Unpacked => " and below, of unknown names",
                AccessScope::Made => " in part",
                AccessScope::Tracked => " as tracked",
                AccessScope::Brought => " as tracked, or brought",
                AccessScope::TrackedFromTop => " as tracked from the top",
                AccessScope::TrackedOrAll => " as tracked, or all",
                AccessScope::All => " all",
                AccessScope::Shown => " as shown",
                AccessScope::NamedOrShown => " if named, or as shown",
                AccessScope::Repository => " as a repository",
                AccessScope::Untracked => " as untracked",
                AccessScope::UntrackedFromTop => " as untracked from the top",
                AccessScope::UntrackedOrIgnored => " as untracked or ignored",
                AccessScope::UntrackedOrIgnoredFromTop => " as untracked or ignored from the top",
            };
            format!("{access} {}{reach}", file.word.literal().unwrap_or("?"))
        })
        .collect();
    files.join(", ")
}

#[test]
fn operands_of_common_programs() {
    let table = [
        ("cat a b", "read a, read b"),
        ("cat - a", "read a"),
        ("cat -- -a", "read -a"),
        ("cat $x", "read ?"),
        ("/bin/cat a", "read a"),
        ("head -n 5 a", "read a"),
        ("tail -n5 -f a", "read a"),
        ("head -5 a", "read a"),
        ("grep x a b", "read a, read b"),
        ("grep -e x a", "read a"),
        ("grep -f p a", "read p for patterns, read a"),
        ("grep -rn --include='*.rs' x src", "read src"),
        ("rg -t rust x src", "read src"),
        ("rg --files src", "read src"),
        ("sed s/a/b/ f", "read f"),
        ("sed -i s/a/b/ f g", "read f, read g, write f, write g"),
        ("sed -i.bak -e s/a/b/ f", "read f, write f, write f.bak"),
        ("sed -n 1,5p f", "read f"),
        ("awk -F: '{print}' f", "read f"),
        ("tee -a a b", "write a, write b"),
        ("cp a b", "read a, write b"),
        ("cp -r a b c/", "read a, read b, write c/"),
        ("cp -t d a b", "write d, read a, read b"),
        ("mv a b", "read a, delete a, write b"),
        ("mv --target-directory=d a", "write d, read a, delete a"),
        ("rm -rf a b", "delete a, delete b"),
        ("rm -- -rf", "delete -rf"),
        ("touch -r a b", "read a, write b"),
        ("ln -s a b", "read a, write b"),
        ("dd if=a of=b bs=1M", "read a, write b"),
        ("install -m 755 a /usr/bin/b", "read a, write /usr/bin/b"),
        ("rsync -a --delete a/ b/", "read a/, write b/, delete b/"),
        ("mkdir -p -m 700 a", "write a"),
        ("chmod -R 755 a", "write a"),
        ("chown u:g a b", "write a, write b"),
        ("sort -o out in", "write out, read in"),
        ("uniq in out", "read in, write out"),
        ("tar -czf a.tgz b c", "write a.tgz, read b, read c"),
        (
            "tar xzf a.tgz -C d",
            "read a.tgz, write d and below, of unknown names",
        ),
        ("zip -r out.zip a", "write out.zip, read a"),
        (
            "unzip a.zip -d d",
            "read a.zip, write d and below, of unknown names",
        ),
        ("gzip a", "read a, write a, delete a"),
        ("cp --targ=d a", "write d, read a"),
        ("cp -fvtd a", "write d, read a"),
        ("sort --outp=out in", "write out, read in"),
        ("sort -uoout in", "write out, read in"),
        ("sort --output=\"$x\" in", "write ?, read in"),
        ("column -t a b", "read a, read b"),
        ("od -w4 -w a", "read a"),
        ("tar cfC x.tar d k", "write x.tar, read d/k"),
        (
            "tar xf a.tar",
            "read a.tar, write . and below, of unknown names",
        ),
        ("tar xf a.tar m", "read a.tar, write m"),
        ("tar tf a.tar m", "read a.tar"),
        ("unzip -l a.zip", "read a.zip"),
        ("wc --files0-from=l", "read ?, read l"),
        ("curl -d @a -F x=@b http://x", "read a, read b"),
        ("curl -d x=@a http://x", ""),
        ("curl file://localhost/a", "read /a"),
        ("curl 'fil{e,x}:///a'", "read ?"),
        ("curl 'http://x/[1-3]'", ""),
        ("git archive -oa HEAD", "write a, read . as shown"),
        ("git archive HEAD a", "read a as tracked"),
        ("git diff", "read . as shown"),
        (
            "git diff x a",
            "read x as tracked, read a as tracked, read a if named, or as shown",
        ),
        ("git diff --stat x", "read x as tracked"),
        ("git log -p", "read . as shown"),
        (
            "git show x",
            "read x as tracked, read x if named, or as shown",
        ),
        ("git stash show -p", "read . as shown"),
        ("git ls-files -o a", ""),
        ("git clone https://x/a/b.git", "write b"),
        ("git clone https://x/a/b.git c", "write c"),
        ("git checkout x -- a", "write a as tracked, or brought"),
        ("git checkout HEAD -- a", "write a as tracked"),
        ("git checkout x", "write x as tracked, or all"),
        (
            "git checkout x a",
            "write x as tracked, write a as tracked, or brought",
        ),
        ("git checkout -b x", ""),
        ("git checkout -b x y", "write . all"),
        ("git checkout -- ':!a'", "write . all"),
        ("git restore ':(top)a'", "write a as tracked from the top"),
        ("git restore -S a", ""),
        ("git reset --hard x", "write . all"),
        (
            "git stash -u",
            "write . all, read . as untracked from the top, delete . as untracked from the top",
        ),
        (
            "git stash push -u -m x -- a",
            "write a as tracked, read a as untracked, delete a as untracked",
        ),
        (
            "git stash push -a -- a",
            "write a as tracked, read a as untracked, read a and below, delete a as untracked or ignored",
        ),
        ("git stash list", ""),
        ("git clean -fd", "delete . as untracked"),
        (
            "git clean -fdx a",
            "delete a as untracked or ignored, delete a",
        ),
        ("git clean -ffd", "delete . and below"),
        ("git clean -fd -n", ""),
        ("git clean -fd -n --no-dry-run", "delete . as untracked"),
        ("git rm --cached a", ""),
        ("git rm --cached --no-cached a", "delete a as tracked"),
        ("git restore -S --no-staged a", "write a as tracked"),
        (
            "git show x:a/b",
            "read a/b as tracked from the top, read x:a/b as tracked",
        ),
        (
            "git show x:./b",
            "read ./b as tracked, read x:./b as tracked",
        ),
        ("git log -p x -- a", "read a as tracked"),
        ("git log -L1,2:a", "read a as tracked"),
        ("git push -o x origin a:b", "read origin as a repository"),
        ("git commit -o a -m 'x: y'", ""),
        ("git grep x", "read . as tracked"),
        ("git grep x a", "read a as tracked, or all"),
        ("git grep --untracked x -- a", "read a and below"),
        (
            "git checkout-index --prefix=a/ b",
            "write a/ and below, read b as tracked, write a/b",
        ),
        ("go build -o=a ./...", "write a"),
        ("go test -c -o a -coverprofile b", "write a, write b"),
        ("gcc -MD -MF a -ob c.c", "write a, write b"),
        ("openssl enc -in a -out b", "read a, write b"),
        ("npm pack --pack-destination a", "write a, read . and below"),
        // The module is a program of its own, which is looked at by itself.
        ("python3 -m venv a", ""),
        ("venv a", "write a"),
        (
            "7z x a.7z -ob",
            "read a.7z, write b and below, of unknown names",
        ),
        ("prettier --write a", "write a as tracked"),
        ("prettier --check a", ""),
        ("curl -O https://x/a/b?c", "write b"),
        ("curl -O --output-dir a https://x/b", "write a, write a/b"),
        (
            "curl -OJ https://x/b",
            "write ?, write . and below, of unknown names",
        ),
        ("curl -b a https://x/b", "read a"),
        ("wget https://x/a/b", "write b"),
        ("wget https://x", "write index.html"),
        ("wget -P a https://x/b", "write a, write a/b"),
        ("wget -qO- https://x/b", ""),
        ("wget -r https://x/", "write . and below, of unknown names"),
        ("npm config set a b", "write .npmrc"),
        ("npm config get a", ""),
        ("awk '{getline x < \"f\"}' a", "read a, read f"),
        ("curl -o out http://x", "write out"),
        ("curl -T up http://x", "read up"),
        ("wget -O out http://x", "write out"),
        ("find a b -name x", "read a, read b"),
        ("find a -delete", "read a, delete a"),
        ("find a -fprint out", "read a, write out"),
        ("patch -i p f", "read p, write f, read f"),
        ("truncate -s 0 a", "write a"),
        ("jq .a f", "read f"),
        ("python3 -c 'x' ", ""),
        ("python3 run.py", "read run.py"),
        ("echo a b", ""),
        ("xargs -a list rm", "read list"),
        ("diff a b", "read a, read b"),
    ];
    for (text, expected) in table {
        assert_eq!(files(text), expected, "{text}");
    }
}

#[test]
fn changes_of_the_working_directory() {
    let change = |text: &str| match directory_change(&first(text).words) {
        None => "none".to_owned(),
        Some(DirectoryChange::Home) => "home".to_owned(),
        Some(DirectoryChange::Unknown) => "unknown".to_owned(),
        Some(DirectoryChange::To(word)) => format!("to {}", word.literal().unwrap_or("?")),
    };
    let table = [
        ("cd", "home"),
        ("cd a", "to a"),
        ("cd -P -- a", "to a"),
        ("cd -- -a", "to -a"),
        ("cd -", "unknown"),
        ("cd a b", "unknown"),
        ("cd \"$x\"", "to ?"),
        ("cd --", "home"),
        ("pushd a", "to a"),
        ("pushd", "unknown"),
        ("pushd +1", "unknown"),
        ("popd", "unknown"),
        ("ls a", "none"),
    ];
    for (text, expected) in table {
        assert_eq!(change(text), expected, "{text}");
    }
}

#[test]
fn names_that_built_ins_assign_or_redefine() {
    let shown = |names: Names<'_>| {
        let names: Vec<&str> = names
            .iter()
            .map(|name| name.as_deref().unwrap_or("?"))
            .collect();
        names.join(" ")
    };
    let assigned = |text: &str| shown(assigned_names(&first(text).words));
    let table = [
        ("read x y", "x y"),
        ("read -r -p 'a b' PATH", "PATH"),
        ("read -rd '' PATH", "PATH"),
        ("read -a arr", "arr"),
        ("read \"$x\"", "?"),
        ("printf -v PATH x", "PATH"),
        ("printf '%s' x", ""),
        ("export A B=1", "A B"),
        ("export \"$x=1\"", "?"),
        ("declare -x A=1", "A"),
        ("unset -v A", "A"),
        ("mapfile -t PATH", "PATH"),
        ("getopts ab: o", "o OPTARG OPTIND"),
        ("let x=1 y+=2", "x y"),
        ("ls PATH", ""),
    ];
    for (text, expected) in table {
        assert_eq!(assigned(text), expected, "{text}");
    }
    let redefined = |text: &str| shown(redefined_names(&first(text).words));
    let table = [
        ("alias ls=rm x='a b'", "ls x"),
        ("alias ls", ""),
        ("hash -p /x ls", "ls"),
        ("hash ls", ""),
        ("enable -n test", "test"),
        ("unalias ls", "ls"),
        ("unset -f ls", "ls"),
    ];
    for (text, expected) in table {
        assert_eq!(redefined(text), expected, "{text}");
    }
}
