//! The table of options by which programs run something.

use crate::by_name::{ByName, by_names};

/// Options of a program that run something.
pub(super) struct RunOptions {
    names: &'static [&'static str],
    /// Letters of short options; they count anywhere in a cluster.
    pub(super) letters: &'static str,
    /// Long options, without dashes. Abbreviations count too.
    pub(super) long: &'static [&'static str],
    /// Options of several letters behind one dash, as they are. One that ends in `=` counts with a value only, of one
    /// that ends in `*` what stands before that is enough.
    pub(super) dashed: &'static [&'static str],
    /// Whether a word of which nothing is known counts as such an option.
    pub(super) acts: bool,
}

/// A row for an everyday program: a word of which nothing is known can be one of its options.
const fn acting(
    names: &'static [&'static str],
    letters: &'static str,
    long: &'static [&'static str],
) -> RunOptions {
    RunOptions {
        acts: true,
        ..row(names, letters, long, &[])
    }
}

/// A row of the table.
pub(super) const fn row(
    names: &'static [&'static str],
    letters: &'static str,
    long: &'static [&'static str],
    dashed: &'static [&'static str],
) -> RunOptions {
    RunOptions {
        names,
        letters,
        long,
        dashed,
        acts: false,
    }
}

/// Sources: the manuals of the programs.
const RUN_OPTIONS: &[RunOptions] = &[
    acting(&["rg"], "", &["pre", "hostname-bin"]),
    acting(&["sort"], "", &["compress-program"]),
    acting(&["split"], "", &["filter"]),
    acting(
        &["tar", "bsdtar"],
        "IF",
        &[
            "checkpoint-action",
            "to-command",
            "use-compress-program",
            "info-script",
            "new-volume-script",
            "rsh-command",
            "rmt-command",
        ],
    ),
    acting(&["cpio"], "", &["rsh-command", "to-stdout-command"]),
    acting(&["zip"], "T", &["unzip-command", "test"]),
    acting(
        &["vim", "vi", "nvim", "view", "ex", "gvim", "vimdiff"],
        "cSsuUVl",
        &[
            "cmd",
            "remote-send",
            "remote-expr",
            "server",
            "listen",
            "servername",
        ],
    ),
    acting(
        &["emacs"],
        "flxL",
        &[
            "eval",
            "load",
            "funcall",
            "script",
            "batch",
            "init-directory",
            "directory",
        ],
    ),
    acting(&["ed", "red"], "", &[]),
    acting(&["man"], "PHC", &["pager", "html", "config-file"]),
    acting(
        &["wget", "wget2"],
        "e",
        &["execute", "use-askpass", "config"],
    ),
    acting(&["ssh-add"], "seS", &[]),
    acting(
        &["apt", "apt-get", "aptitude"],
        "oc",
        &["option", "config-file"],
    ),
    acting(
        &["rpm"],
        "E",
        &["eval", "define", "pipe", "macros", "rcfile"],
    ),
    RunOptions {
        dashed: &["K*", "sK*", "sSK*", "fsSLK*"],
        ..acting(&["curl"], "", &["engine", "config"])
    },
    acting(&["bat", "delta"], "", &["pager", "config"]),
    acting(&["pytest"], "c", &["config-file", "rootdir", "confcutdir"]),
    acting(&["pip"], "", &["python"]),
    acting(
        &["kubectl", "oc"],
        "",
        &[
            "kubeconfig",
            "enable-exec",
            "enable-alpha-plugins",
            "helm-command",
            "exec-command",
        ],
    ),
    acting(&["yq"], "", &["security-enable-system-operator"]),
    acting(&["tcpdump"], "z", &[]),
    acting(&["diff", "sdiff"], "", &["diff-program"]),
    acting(&["mapfile", "readarray"], "C", &[]),
    acting(&["compgen", "complete"], "CFW", &[]),
    acting(&["bind"], "xf", &[]),
    acting(&["enable"], "f", &[]),
];

static BY_NAME: ByName<RunOptions> = ByName::new(|| {
    by_names(
        RUN_OPTIONS
            .iter()
            .chain(super::run_table_specialised::SPECIALISED)
            .chain(super::run_table_clients::CLIENTS),
        |options| options.names,
    )
});

/// The options of this program that run something.
pub(super) fn options_of(base: &str) -> Option<&'static RunOptions> {
    BY_NAME.find(base)
}
