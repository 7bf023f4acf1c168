//! Lists of words: written by `cargo xtask codegen` from `catalogue/words.toml`, which says what each is.

/// `[archives]` of `catalogue/words.toml`.
pub mod archives {
    /// `PACKED` there.
    pub const PACKED: &[&str] = &[".gz", "-gz", "_gz", ".z", "-z", "_z", ".Z", ".tgz", ".taz", ".bz2", ".bz", ".tbz2", ".tbz", ".xz", ".txz", ".lzma", ".tlz", ".zst", ".tzst", ".lz4", ".lz", ".br"];
    /// `TAR_CHANGING` there.
    pub const TAR_CHANGING: &[&str] = &["--anchored", "--no-wildcards", "--no-ig", "--no-un", "--no-wi"];
    /// `TAR_FLAGS` there.
    pub const TAR_FLAGS: &[&str] = &["--bzip2", "--create", "--gzip", "--verbose", "--xz", "--zstd", "--preserve-permissions", "--exclude-vcs", "--exclude-vcs-ignores", "--exclude-backups", "--exclude-caches"];
}

/// `[awk]` of `catalogue/words.toml`.
pub mod awk {
    /// `BEFORE_PATTERN` there.
    pub const BEFORE_PATTERN: &[&str] = &["print", "printf", "return", "in", "else", "do", "delete", "case", "exit"];
    /// `STREAMS` there.
    pub const STREAMS: &[&str] = &["/dev/stderr", "/dev/stdout", "/dev/null", "/dev/fd/1", "/dev/fd/2"];
}

/// `[cargo]` of `catalogue/words.toml`.
pub mod cargo {
    /// `OF_PROFILE` there.
    pub const OF_PROFILE: &[&str] = &["opt-level", "debug", "strip", "lto", "panic", "incremental", "codegen-units", "debug-assertions", "overflow-checks"];
}

/// `[clients]` of `catalogue/words.toml`.
pub mod clients {
    /// `CLIENTS` there.
    pub const CLIENTS: &[&str] = &["sqlite3 sqlite litecli | -cmd", "duckdb | -c -s -f", "clickhouse clickhouse-client clickhouse-local | -q --query --queries-file", "yq | | data files", "psql pgcli usql | -c -f -l --command --file --list", "mongosh mongo | --eval | | require process load( import fs. run( eval( Function", "mysql mariadb mycli | -e --execute", "ed red | | input files", "ex | | input files", "nvim vi view vim | | input files text_by_dash any", "ftp | | input", "lftp | -c -e -f | input", "sftp | -b | input", "smbclient", "dc | -e -f --expression --file | operand | !", "gnuplot | -e | operand", "gpg-connect-agent", "luatex lualatex | | | directlua latelua", "m4 | | operand | syscmd include", "sed | | input files", "mlr | | data files", "mail mailx s-nail | | input data", "terraform tofu packer | | input console | file template"];
    /// `DUCKDB` there.
    pub const DUCKDB: &[&str] = &["glob(", "parquet_scan(", "read_blob(", "read_csv(", "read_csv_auto(", "read_json(", "read_json_auto(", "read_ndjson(", "read_parquet(", "read_text(", "sniff_csv("];
    /// `EX_RUNNING` there.
    pub const EX_RUNNING: &[&str] = &["system", "call", "exec", "so ", "source", "lua", "py", "perl", "ruby", "tcl", "write ", "read ", "sav", "edit "];
    /// `MYSQL_FILES` there.
    pub const MYSQL_FILES: &[&str] = &["into outfile", "into dumpfile", "load_file", "load data", "load xml", "sys_exec"];
    /// `SQLITE_VALUES` there.
    pub const SQLITE_VALUES: &[&str] = &["-c", "-s", "-f", "-cmd", "-init", "-separator", "-newline", "-nullvalue", "-escape", "-heap", "-lookaside", "-maxsize", "-mmap", "-pagecache", "-vfs"];
    /// `YQ` there.
    pub const YQ: &[&str] = &["load(", "load_str(", "load_xml(", "load_props(", "load_base64("];
}

/// `[compilers]` of `catalogue/words.toml`.
pub mod compilers {
    /// `WRITING` there.
    pub const WRITING: &[&str] = &["callgraph-info", "crash-diagnostics-dir", "diagnostics-add-output", "dump-", "modules-cache-path", "opt-info", "optimization-record-file", "profile-dir", "profile-generate", "profile-instr-generate", "save-optimization-record", "time-trace"];
}

/// `[containers]` of `catalogue/words.toml`.
pub mod containers {
    /// `CAPABILITIES` there.
    pub const CAPABILITIES: &[&str] = &["all", "dac_read_search", "sys_admin", "sys_module", "sys_rawio"];
    /// `IGNORE_FILES` there.
    pub const IGNORE_FILES: &[&str] = &[".dockerignore", ".containerignore", "Dockerfile.dockerignore", "Containerfile.dockerignore"];
}

/// `[fetching]` of `catalogue/words.toml`.
pub mod fetching {
    /// `DATA` there.
    pub const DATA: &[&str] = &["d", "data", "data-ascii", "data-binary", "json", "url-query", "H", "header", "proxy-header", "w", "write-out", "b", "cookie"];
    /// `OTHER_NAMES` there.
    pub const OTHER_NAMES: &[&str] = &["content-disposition", "trust-server-names", "i", "input-file", "metalink-file", "input-metalink"];
    /// `REACHING` there.
    pub const REACHING: &[&str] = &["connect-to", "resolve", "proxy", "preproxy", "socks", "doh-url", "url", "dns-servers"];
    /// `SAVING_NOTHING` there.
    pub const SAVING_NOTHING: &[&str] = &["O", "output-document", "spider", "version", "help", "V", "h"];
    /// `SCHEMES` there.
    pub const SCHEMES: &[&str] = &["http", "https", "ftp", "ftps", "sftp", "scp", "ws", "wss", "socks4", "socks4a", "socks5", "socks5h", "telnet", "gopher", "gophers", "dict", "ldap", "ldaps", "smb", "smbs", "rtsp", "imap", "imaps", "pop3", "pop3s", "smtp", "smtps", "tftp", "mqtt"];
    /// `TREES` there.
    pub const TREES: &[&str] = &["r", "recursive", "m", "mirror", "p", "page-requisites", "x", "force-directories"];
}

/// `[find]` of `catalogue/words.toml`.
pub mod find {
    /// `BETWEEN` there.
    pub const BETWEEN: &[&str] = &["-H", "-L", "-P", "-E", "-S", "-X", "-s", "-x", "-f", "-a", "-and", "-o", "-or", "-not", "!", "(", ")", ","];
}

/// `[git]` of `catalogue/words.toml`.
pub mod git {
    /// `CHANGES` there.
    pub const CHANGES: &[&str] = &["p", "u", "patch", "patch-with-stat", "patch-with-raw", "U", "unified", "c", "cc", "W", "function-context", "word-diff", "color-words", "binary", "remerge-diff"];
    /// `FORMATS` there.
    pub const FORMATS: &[&str] = &["%H", "%h", "%ct", "%at", "%cs", "%as", "%cI", "%aI", "%T", "%t"];
    /// `KEEPING` there.
    pub const KEEPING: &[&str] = &["u", "update", "p", "patch", "e", "edit", "n", "dry-run", "refresh", "renormalize"];
    /// `LISTING` there.
    pub const LISTING: &[&str] = &["-c", "--cached", "-z", "-m", "--modified", "-d", "--deleted"];
    /// `OF_REV_PARSE` there.
    pub const OF_REV_PARSE: &[&str] = &["--show-toplevel", "--short", "--abbrev-ref", "--verify", "--git-dir", "--show-prefix", "--symbolic-full-name", "-q", "--quiet", "--is-inside-work-tree", "--show-cdup", "--absolute-git-dir", "--git-common-dir", "--symbolic"];
    /// `SUMMARY` there.
    pub const SUMMARY: &[&str] = &["s", "no-patch", "stat", "numstat", "shortstat", "dirstat", "summary", "compact-summary", "name-only", "name-status", "quiet", "check", "raw"];
    /// `TAKING_ALL` there.
    pub const TAKING_ALL: &[&str] = &["A", "all", "no-ignore-removal", "pathspec-from-file", "i", "interactive"];
}

/// `[java]` of `catalogue/words.toml`.
pub mod java {
    /// `RUNNING` there.
    pub const RUNNING: &[&str] = &["@", "-agentpath", "-javaagent", "-XX:OnError", "-XX:OnOutOfMemoryError", "-XX:Flags", "-XX:VMOptionsFile"];
    /// `WITH_VALUE` there.
    pub const WITH_VALUE: &[&str] = &["-cp", "-classpath", "--class-path", "-p", "--module-path", "--add-modules", "--add-opens", "--add-exports", "--upgrade-module-path"];
}

/// `[kubernetes]` of `catalogue/words.toml`.
pub mod kubernetes {
    /// `RESOURCES` there.
    pub const RESOURCES: &[&str] = &["pods/pod/po", "services/service/svc", "deployments/deployment/deploy", "namespaces/namespace/ns", "nodes/node/no", "configmaps/configmap/cm", "secrets/secret", "ingresses/ingress/ing", "statefulsets/statefulset/sts", "daemonsets/daemonset/ds", "replicasets/replicaset/rs", "replicationcontrollers/replicationcontroller/rc", "persistentvolumes/persistentvolume/pv", "persistentvolumeclaims/persistentvolumeclaim/pvc", "serviceaccounts/serviceaccount/sa", "jobs/job", "cronjobs/cronjob/cj", "endpoints/ep", "events/event/ev", "horizontalpodautoscalers/horizontalpodautoscaler/hpa", "customresourcedefinitions/customresourcedefinition/crd/crds", "resourcequotas/resourcequota/quota", "limitranges/limitrange/limits", "networkpolicies/networkpolicy/netpol", "poddisruptionbudgets/poddisruptionbudget/pdb", "priorityclasses/priorityclass/pc", "storageclasses/storageclass/sc", "roles/role", "rolebindings/rolebinding", "clusterroles/clusterrole", "clusterrolebindings/clusterrolebinding"];
}

/// `[loading]` of `catalogue/words.toml`.
pub mod loading {
    /// `ADDING` there.
    pub const ADDING: &[&str] = &["add", "enable", "import", "install", "link", "update", "upgrade"];
    /// `CODE` there.
    pub const CODE: &[&str] = &["bash", "bat", "cjs", "class", "cmd", "cts", "dll", "dylib", "el", "exe", "groovy", "jar", "js", "kts", "lua", "mjs", "mts", "node", "php", "pl", "pm", "ps1", "py", "rb", "scm", "sh", "so", "tcl", "ts", "vim", "wasm", "zsh"];
    /// `HARMLESS` there.
    pub const HARMLESS: &[&str] = &["allow", "disable", "except", "exclude", "help", "ignore", "in", "input", "list", "no", "only", "out", "output", "print", "show", "skip", "without"];
    /// `INFORMATIONAL` there.
    pub const INFORMATIONAL: &[&str] = &["exec", "exec-before", "exec-after", "init-hook", "load-plugins", "lua-filter", "netrc-cmd", "password-command", "post-renderer", "pre-exec", "post-exec", "rsh", "run-under", "ssh-cmd", "strip-program"];
    /// `LIBRARIES` there.
    pub const LIBRARIES: &[&str] = &["dll", "dylib", "jar", "node", "so", "wasm"];
    /// `LOADING` there.
    pub const LOADING: &[&str] = &["addon", "addons", "agentlib", "agentpath", "dlopen", "hook", "hooks", "javaagent", "plugin", "plugins", "preload", "rulesdir"];
    /// `MODULES` there.
    pub const MODULES: &[&str] = &["adapter", "formatter", "loader", "loaders", "middleware", "middlewares", "parser", "parsers", "preset", "presets", "processor", "processors", "reporter", "reporters", "require", "resolver", "runner", "transformer"];
    /// `NAMING` there.
    pub const NAMING: &[&str] = &["backend", "bootstrap", "conf", "config", "configuration", "custom", "driver", "engine", "environment", "ext", "extends", "extension", "extensions", "filter", "filters", "handler", "helper", "import", "init", "lib", "library", "listener", "load", "macro", "macros", "module", "modules", "options", "postprocessor", "prelude", "preprocessor", "provider", "rules", "ruleset", "script", "scripts", "settings", "setup", "source", "startup", "template", "theme", "transform", "use"];
    /// `PARTS` there.
    pub const PARTS: &[&str] = &["addon", "addons", "extension", "extensions", "plugin", "plugins"];
    /// `PLACED` there.
    pub const PLACED: &[&str] = &["extension", "extensions", "module", "modules", "rules"];
    /// `PLACES` there.
    pub const PLACES: &[&str] = &["dir", "dirs", "directory", "path", "paths", "root"];
    /// `RUNNING` there.
    pub const RUNNING: &[&str] = &["before", "browser", "cc", "cmd", "command", "compiler", "editor", "engine", "gcc", "ghc", "interpreter", "launcher", "linker", "pager", "shell", "wrapper"];
    /// `SAID` there.
    pub const SAID: &[&str] = &["", "0", "1", "auto", "false", "never", "no", "none", "off", "on", "true", "yes"];
    /// `SETTINGS_ELSEWHERE` there.
    pub const SETTINGS_ELSEWHERE: &[&str] = &["config", "configuration", "conf", "settings", "preset", "extends"];
}

/// `[make]` of `catalogue/words.toml`.
pub mod make {
    /// `LOADING_FLAGS` there.
    pub const LOADING_FLAGS: &[&str] = &["plugin", "wrapper", "-specs", "-B", "-X", "-Wl,", "linker", "--require", "--import", "exec", "@", "eval"];
    /// `PROGRAMS` there.
    pub const PROGRAMS: &[&str] = &["AR", "AS", "AWK", "BASH", "BUN", "CARGO", "CC", "CLANG", "CMAKE", "CP", "CPP", "CTEST", "CURL", "CXX", "DENO", "DOCKER", "ESLINT", "FC", "FIND", "GCC", "GIT", "GO", "GOTEST", "GRADLE", "GREP", "HOSTCC", "HOSTCXX", "INSTALL", "JAVA", "JAVAC", "JEST", "LD", "LEX", "LIBTOOL", "LINK", "LN", "MKDIR", "MV", "MVN", "NINJA", "NM", "NODE", "NPM", "NPX", "OBJCOPY", "PERL", "PHP", "PIP", "PNPM", "PODMAN", "PYTEST", "PYTHON", "PYTHON3", "RANLIB", "RM", "RUBY", "RUSTC", "RUSTUP", "SED", "SH", "STRIP", "SUDO", "TAR", "TSC", "UV", "YACC", "YARN"];
    /// `STEERING` there.
    pub const STEERING: &[&str] = &["MAKE", "MAKEFLAGS", "GNUMAKEFLAGS", "MFLAGS", "MAKEFILES", ".SHELLFLAGS", "MAKEOVERRIDES", "PATH"];
}

/// `[operands]` of `catalogue/words.toml`.
pub mod operands {
    /// `FIXING` there.
    pub const FIXING: &[&str] = &["-A", "-a", "-o", "-w", "--apply", "--autocorrect", "--fix", "--in-place", "--out", "--output", "--write", "--write-changes"];
    /// `LISTS` there.
    pub const LISTS: &[&str] = &["files0-from", "files-from", "files", "files0", "filelist", "config"];
    /// `TEXTS` there.
    pub const TEXTS: &[&str] = &["exclude", "include", "ignore", "hide", "glob", "regexp", "expression", "label", "suffix", "separator", "delimiter", "format", "pattern", "message"];
}

/// `[outputs]` of `catalogue/words.toml`.
pub mod outputs {
    /// `JOINED` there.
    pub const JOINED: &[&str] = &["cachedir", "cpuprofile", "destdir", "jsonfile", "junitfile", "logdir", "logfile", "memprofile", "outputdir", "outputfile", "outputpath", "reportdir", "reportfile"];
    /// `KEPT` there.
    pub const KEPT: &[&str] = &["artifact", "cache", "dump", "log", "report", "reporter", "results", "target", "trace"];
    /// `MADE_IN` there.
    pub const MADE_IN: &[&str] = &["dir", "directory", "path", "project-dir", "workdir"];
    /// `MAKERS` there.
    pub const MAKERS: &[&str] = &["bootstrap", "create", "generate", "init", "new", "scaffold", "start", "startapp", "startproject"];
    /// `OUTPUTS` there.
    pub const OUTPUTS: &[&str] = &["artifacts", "dest", "destination", "export", "out", "outdir", "outfile", "output", "outputs", "save"];
    /// `PLACES` there.
    pub const PLACES: &[&str] = &["dir", "directory", "file", "folder", "location", "path", "section"];
    /// `RUNNERS` there.
    pub const RUNNERS: &[&str] = &["dlx", "exec", "run", "tool", "x"];
}

/// `[packages]` of `catalogue/words.toml`.
pub mod packages {
    /// `FLAGS` there.
    pub const FLAGS: &[&str] = &["-y", "--yes", "--no", "-n", "--no-install", "-q", "--quiet", "-s", "--silent", "-r", "--recursive", "--parallel", "--ws", "--workspaces", "--offline", "--prefer-offline", "--prefer-online", "--bun", "--if-present", "--no-bail", "--ignore-scripts", "--verbose", "-d", "--json", "--include-workspace-root", "--all-extras", "--frozen", "--isolated", "--locked", "--no-project", "--no-sync", "--no-dev"];
    /// `FOREACH_WITH_VALUE` there.
    pub const FOREACH_WITH_VALUE: &[&str] = &["-j", "--jobs", "--include", "--exclude", "--from", "--since"];
    /// `IN_EACH` there.
    pub const IN_EACH: &[&str] = &["-r", "-ws", "--ws", "--workspaces", "--recursive", "--filter", "-F", "-w", "--workspace", "recursive", "multi", "m", "foreach", "workspaces", "workspace", "lerna", "nx", "bolt", "ultra", "wsrun"];
    /// `OPENED` there.
    pub const OPENED: &[&str] = &["npx", "pnpx", "pnx", "bunx", "npm", "pnpm", "yarn", "bun", "corepack", "docker-compose", "podman-compose", "cmake", "lerna", "nx", "bolt", "ultra", "wsrun", "uvx"];
    /// `RUNNING` there.
    pub const RUNNING: &[&str] = &["userconfig", "globalconfig", "script-shell", "node-options", "git", "shell", "editor", "viewer", "browser", "init-module", "onload-script", "node-gyp", "pnpmfile", "global-pnpmfile", "use-yarnrc"];
    /// `WITH_VALUE` there.
    pub const WITH_VALUE: &[&str] = &["-p", "--package", "-w", "--workspace", "--prefix", "-C", "--registry", "--cache", "--loglevel", "--filter", "-F", "--dir", "--cwd", "--allow-build", "--reporter", "--tag", "--directory", "--env-file", "--extra", "--group", "--project", "--python", "--spec", "--with", "--with-editable", "--with-requirements"];
}

/// `[processes]` of `catalogue/words.toml`.
pub mod processes {
    /// `OWN` there.
    pub const OWN: &[&str] = &["cwd", "root", "fd", "fdinfo", "map_files", "environ", "mem", "exe", "task", "cmdline", "pagemap"];
}

/// `[project_code]` of `catalogue/words.toml`.
pub mod project_code {
    /// `FILES` there.
    pub const FILES: &[&str] = &["js", "cjs", "mjs", "ts", "cts", "mts", "json", "yml", "yaml", "toml", "gradle", "py", "rb", "php", "ini", "cfg", "xml", "neon", "wasm", "so", "dylib", "dll", "jar", "node", "lua", "sh", "kts"];
    /// `NAMING_FILES` there.
    pub const NAMING_FILES: &[&str] = &["rcfile", "append-config", "noxfile", "config", "config-file", "config-path", "configuration", "conf", "config-dir"];
    /// `REGISTERS` there.
    pub const REGISTERS: &[&str] = &["ts-node/register", "ts-node/register/transpile-only", "tsconfig-paths/register", "esbuild-register", "source-map-support/register", "dotenv/config"];
    /// `RUN_CONTROLS` there.
    pub const RUN_CONTROLS: &[&str] = &[".eslintrc", ".prettierrc", ".mocharc", ".babelrc", ".stylelintrc"];
    /// `SETTINGS` there.
    pub const SETTINGS: &[&str] = &["package.json", "pyproject.toml", "setup.cfg", "tox.ini", "noxfile.py", "mypy.ini", ".mypy.ini", ".pylintrc", "pylintrc", ".flake8", ".coveragerc", ".pre-commit-config.yaml", "alembic.ini", "mkdocs.yml", "Rakefile", ".rubocop.yml", ".rspec", "phpunit.xml", "phpunit.xml.dist", "phpstan.neon", "phpstan.neon.dist", "psalm.xml", "vendor/autoload.php", ".php-cs-fixer.php", ".php-cs-fixer.dist.php", "schema.prisma", "prisma/schema.prisma", "knexfile.js", "knexfile.ts", "codegen.yml", "codegen.ts", "typedoc.json", "jsdoc.json", "tsconfig.json", ".nycrc", ".nycrc.json", ".swcrc", ".lintstagedrc", ".commitlintrc", "gunicorn.conf.py", "vitest.workspace.ts", "vitest.workspace.js", "deno.json", "deno.jsonc", "import_map.json", "nodemon.json", ".storybook", "Taskfile.yml", "Taskfile.yaml", "Taskfile.dist.yml"];
}

/// `[projects]` of `catalogue/words.toml`.
pub mod projects {
    /// `CMAKE` there.
    pub const CMAKE: &[&str] = &["CMAKE_HOME_DIRECTORY", "CMAKE_MODULE_PATH", "CMAKE_USER_MAKE_RULES_OVERRIDE", "TOOLCHAIN_FILE"];
    /// `CMAKE_PROGRAMS` there.
    pub const CMAKE_PROGRAMS: &[&str] = &["_COMPILER", "_LAUNCHER", "_PROGRAM", "_LINKER", "_EMULATOR", "_RULE_LAUNCH_COMPILE", "_RULE_LAUNCH_LINK", "_CLANG_TIDY", "_CPPCHECK"];
    /// `DOTNET` there.
    pub const DOTNET: &[&str] = &["build", "clean", "msbuild", "pack", "publish", "restore", "run", "test", "watch"];
}

/// `[restraints]` of `catalogue/words.toml`.
pub mod restraints {
    /// `SAYING_HOW` there.
    pub const SAYING_HOW: &[&str] = &["git | --no-pager -P --no-optional-locks --no-advice --literal-pathspecs | -C -c", "cargo | -q --quiet -v --verbose --offline --locked --frozen | --color", "npm pnpm | -s --silent -r --recursive -ws --workspaces --if-present | --prefix -C --dir -w --workspace --filter -F", "kubectl oc | | -n --namespace"];
    /// `TAKEN_BACK` there.
    pub const TAKEN_BACK: &[&str] = &["git apply | --check --stat --numstat --summary | --apply", "git branch | -a -l -r -v -vv --all --list --remotes --show-current --verbose | -C -D -M -c -d -f -m -u --copy --delete --edit-description --force --move --set-upstream-to --unset-upstream", "git push | --force-if-includes --force-with-lease | -f --force", "git remote | -v --verbose | add prune remove rename rm set-branches set-head set-url update", "git reset | -N -q --intent-to-add --keep --mixed --quiet --soft | --hard --keep --merge", "git tag | -l -n --list | -a -d -f -m -s -u --annotate --delete --force --message --sign", "curl | -X --request | -X --request", "curl | -G -I --get --head | -F -T -X --form --request --upload-file", "gh api | -X --method | -X --method"];
}

/// `[scripts]` of `catalogue/words.toml`.
pub mod scripts {
    /// `ENDINGS` there.
    pub const ENDINGS: &[&str] = &["bash", "cjs", "cts", "fish", "js", "ksh", "lua", "mjs", "mts", "php", "pl", "ps1", "py", "r", "rb", "sh", "tcl", "ts", "zsh"];
}

/// `[searching]` of `catalogue/words.toml`.
pub mod searching {
    /// `AG_NARROW` there.
    pub const AG_NARROW: &[&str] = &["-nocolor", "-nogroup", "-noheading", "-column", "-vimgrep", "-count", "-literal", "-ignore-case", "-smart-case", "-case-sensitive", "-word-regexp", "-files-with-matches"];
    /// `RG_PRINTING_MORE` there.
    pub const RG_PRINTING_MORE: &[&str] = &["c", "count", "count-matches", "json", "V", "color", "colors", "path-separator", "q", "pretty", "p", "stats", "vimgrep"];
    /// `TYPES` there.
    pub const TYPES: &[&str] = &["ts typescript | *.ts *.tsx *.cts *.mts", "js | *.js *.jsx *.vue *.cjs *.mjs", "py python | *.py *.pyi", "rust | *.rs", "go | *.go", "java | *.java *.jsp *.jspx *.properties", "css | *.css *.scss", "html | *.htm *.html *.ejs", "md markdown | *.markdown *.md *.mdown *.mdwn *.mkd *.mkdn *.mdx", "yaml | *.yaml *.yml", "toml | *.toml Cargo.lock", "swift | *.swift"];
}

/// `[shells]` of `catalogue/words.toml`.
pub mod shells {
    /// `CHANGING_OPTIONS` there.
    pub const CHANGING_OPTIONS: &[&str] = &["GREP_OPTIONS", "POSIXLY_CORRECT", "nullglob", "dotglob", "extglob"];
    /// `CONTROL` there.
    pub const CONTROL: &[&str] = &[":", "true", "false", "test", "[", "[[", "exit", "return", "break", "continue", "shift", "set", "shopt", "export", "readonly", "declare", "typeset", "local", "unset", "wait", "read", "let", "umask", "pwd", "type", "jobs"];
    /// `OTHER_LANGUAGES` there.
    pub const OTHER_LANGUAGES: &[&str] = &["cmd", "csh", "elvish", "es", "fish", "ion", "murex", "ngs", "nu", "powershell", "pwsh", "rc", "scsh", "tcsh", "xonsh", "ysh"];
    /// `PATTERN_OPTIONS` there.
    pub const PATTERN_OPTIONS: &[&str] = &["dotglob", "nullglob", "failglob", "globstar", "nocaseglob", "extglob"];
    /// `UNREAD` there.
    pub const UNREAD: &[&str] = &["bash-static", "hush", "ksh", "ksh93", "lksh", "loksh", "mksh", "oksh", "osh", "posh", "rksh", "rzsh", "sash", "yash", "zsh", "zsh-static"];
}

/// `[variables]` of `catalogue/words.toml`.
pub mod variables {
    /// `ENDINGS` there.
    pub const ENDINGS: &[&str] = &["_PATH", "_DIR", "_DIRS", "_HOME", "_ROOT", "_CONFIG", "_CONF", "_FILE", "_BROWSER", "_EDITOR", "_PAGER", "_PROG", "_PROGRAM", "_COMMAND", "_CMD", "_SHELL", "_SSH", "RC", "_ADDON", "_ADDONS", "_ARGS", "_EXTENSION", "_EXTENSIONS", "_FLAGS", "_HOOK", "_HOOKS", "_INIT", "_INTERPRETER", "_LAUNCHER", "_LOADER", "_OPTIONS", "_OPTS", "_PLUGIN", "_PLUGINS", "_PRELOAD", "_PRESET", "_SCRIPT", "_SETTINGS", "_STARTUP"];
    /// `NUMBERS` there.
    pub const NUMBERS: &[&str] = &["?", "#", "$", "!", "LINENO", "RANDOM", "SECONDS", "UID", "EUID", "PPID"];
    /// `OF_SHELLS` there.
    pub const OF_SHELLS: &[&str] = &["_", "PWD", "OLDPWD", "REPLY", "MAPFILE", "RANDOM", "SRANDOM", "SECONDS", "LINENO", "OPTARG", "OPTIND", "PIPESTATUS", "DIRSTACK", "FUNCNAME", "GROUPS", "HISTCMD", "COLUMNS", "LINES", "COPROC", "UID", "EUID", "PPID", "SHLVL", "HOSTNAME", "HOSTTYPE", "MACHTYPE", "OSTYPE"];
    /// `OUTPUTS` there.
    pub const OUTPUTS: &[&str] = &["CARGO_TARGET_DIR", "COVERAGE_FILE", "GOCACHE", "GOTMPDIR"];
    /// `PLAIN` there.
    pub const PLAIN: &[&str] = &["?", "#", "$", "!", "HOME", "PWD", "OLDPWD", "USER", "LOGNAME", "HOSTNAME", "UID", "EUID", "PPID", "RANDOM", "SECONDS", "LINENO", "TMPDIR", "SHLVL", "BASHPID", "EPOCHSECONDS", "SHELL", "LANG", "BASH_VERSION"];
    /// `WITHOUT_CONSEQUENCE` there.
    pub const WITHOUT_CONSEQUENCE: &[&str] = &["CI", "COLUMNS", "DATABASE_URL", "DEBUG", "DISPLAY", "FORCE_COLOR", "HISTFILE", "LANG", "LANGUAGE", "LC_ALL", "LC_COLLATE", "LC_CTYPE", "LC_MESSAGES", "LC_NUMERIC", "LC_TIME", "LINES", "LOGNAME", "LS_COLORS", "PREFIX", "DESTDIR", "NODE_ENV", "NO_COLOR", "OLDPWD", "PWD", "RUST_BACKTRACE", "RUST_LOG", "SRC", "TEMP", "TERM", "TMP", "TMPDIR", "TZ", "USER"];
}

/// `[wrappers]` of `catalogue/words.toml`.
pub mod wrappers {
    /// `MANAGEMENT` there.
    pub const MANAGEMENT: &[&str] = &["builder", "buildx", "compose", "config", "container", "context", "image", "manifest", "network", "node", "plugin", "pod", "secret", "service", "stack", "volume"];
    /// `RUNNING` there.
    pub const RUNNING: &[&str] = &["exec", "dlx", "each", "foreach", "ws", "workspaces", "workspace"];
    /// `STARTING_SHELLS` there.
    pub const STARTING_SHELLS: &[&str] = &["zsh", "ksh", "ssh", "mosh", "at", "batch", "nix-shell", "shell", "develop"];
}
