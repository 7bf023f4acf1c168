//! Sub-commands that have several names.

/// Names of one sub-command, of one word or more.
pub(super) struct Group {
    pub(super) programs: &'static [&'static str],
    pub(super) names: &'static [&'static [&'static str]],
    pub(super) is_same: bool,
}

/// Sub-commands that are the same under each of these names.
const fn same(
    programs: &'static [&'static str],
    names: &'static [&'static [&'static str]],
) -> Group {
    Group {
        programs,
        names,
        is_same: true,
    }
}

/// Sub-commands of which one can do what the other does.
const fn alike(
    programs: &'static [&'static str],
    names: &'static [&'static [&'static str]],
) -> Group {
    Group {
        programs,
        names,
        is_same: false,
    }
}

const NPM: &[&str] = &["npm"];
const PNPM: &[&str] = &["pnpm"];
const BUN: &[&str] = &["bun"];
const CARGO: &[&str] = &["cargo"];
const CONTAINERS: &[&str] = &["docker", "podman", "nerdctl"];
const HELM: &[&str] = &["helm"];
const COMPOSER: &[&str] = &["composer"];
const BREW: &[&str] = &["brew"];
const PIP: &[&str] = &["conda", "mamba"];

/// Sources: the help of each program (npm 11, pnpm 10, bun 1.2, cargo 1.95, docker 28, helm 3, composer 2, brew 4).
/// The commands of npm stand in a table of their own.
pub(super) const GROUPS: &[Group] = &[
    same(
        NPM,
        &[
            &["test"],
            &["t"],
            &["tst"],
            &["run", "test"],
            &["run-script", "test"],
        ],
    ),
    same(
        NPM,
        &[&["start"], &["run", "start"], &["run-script", "start"]],
    ),
    same(NPM, &[&["stop"], &["run", "stop"], &["run-script", "stop"]]),
    same(
        NPM,
        &[
            &["restart"],
            &["run", "restart"],
            &["run-script", "restart"],
        ],
    ),
    same(PNPM, &[&["install"], &["i"]]),
    alike(PNPM, &[&["add"], &["install"], &["i"]]),
    same(
        PNPM,
        &[&["remove"], &["rm"], &["uninstall"], &["un"], &["unlink"]],
    ),
    same(PNPM, &[&["update"], &["up"], &["upgrade"]]),
    same(PNPM, &[&["list"], &["ls"], &["la"], &["ll"]]),
    same(PNPM, &[&["run"], &["run-script"]]),
    same(PNPM, &[&["test"], &["t"], &["tst"], &["run", "test"]]),
    same(PNPM, &[&["start"], &["run", "start"]]),
    same(PNPM, &[&["link"], &["ln"]]),
    same(PNPM, &[&["rebuild"], &["rb"]]),
    same(PNPM, &[&["install-test"], &["it"]]),
    same(PNPM, &[&["config"], &["c"]]),
    same(BUN, &[&["install"], &["i"]]),
    same(BUN, &[&["add"], &["a"]]),
    alike(BUN, &[&["add"], &["install"], &["i"]]),
    same(BUN, &[&["remove"], &["rm"]]),
    same(BUN, &[&["create"], &["c"]]),
    same(CARGO, &[&["build"], &["b"]]),
    same(CARGO, &[&["check"], &["c"]]),
    same(CARGO, &[&["doc"], &["d"]]),
    same(CARGO, &[&["run"], &["r"]]),
    same(CARGO, &[&["test"], &["t"]]),
    same(CARGO, &[&["remove"], &["rm"]]),
    same(
        CONTAINERS,
        &[
            &["ps"],
            &["container", "ls"],
            &["container", "list"],
            &["container", "ps"],
        ],
    ),
    same(
        CONTAINERS,
        &[&["rm"], &["container", "rm"], &["container", "remove"]],
    ),
    same(CONTAINERS, &[&["run"], &["container", "run"]]),
    same(CONTAINERS, &[&["exec"], &["container", "exec"]]),
    same(CONTAINERS, &[&["start"], &["container", "start"]]),
    same(CONTAINERS, &[&["stop"], &["container", "stop"]]),
    same(CONTAINERS, &[&["kill"], &["container", "kill"]]),
    same(CONTAINERS, &[&["restart"], &["container", "restart"]]),
    same(CONTAINERS, &[&["create"], &["container", "create"]]),
    same(CONTAINERS, &[&["logs"], &["container", "logs"]]),
    same(CONTAINERS, &[&["cp"], &["container", "cp"]]),
    same(CONTAINERS, &[&["commit"], &["container", "commit"]]),
    same(CONTAINERS, &[&["export"], &["container", "export"]]),
    same(CONTAINERS, &[&["attach"], &["container", "attach"]]),
    same(CONTAINERS, &[&["rename"], &["container", "rename"]]),
    same(CONTAINERS, &[&["pause"], &["container", "pause"]]),
    same(CONTAINERS, &[&["unpause"], &["container", "unpause"]]),
    same(CONTAINERS, &[&["wait"], &["container", "wait"]]),
    same(CONTAINERS, &[&["top"], &["container", "top"]]),
    same(CONTAINERS, &[&["port"], &["container", "port"]]),
    same(CONTAINERS, &[&["stats"], &["container", "stats"]]),
    same(CONTAINERS, &[&["diff"], &["container", "diff"]]),
    same(CONTAINERS, &[&["update"], &["container", "update"]]),
    same(
        CONTAINERS,
        &[&["images"], &["image", "ls"], &["image", "list"]],
    ),
    same(
        CONTAINERS,
        &[&["rmi"], &["image", "rm"], &["image", "remove"]],
    ),
    same(CONTAINERS, &[&["pull"], &["image", "pull"]]),
    same(CONTAINERS, &[&["push"], &["image", "push"]]),
    same(CONTAINERS, &[&["tag"], &["image", "tag"]]),
    same(CONTAINERS, &[&["save"], &["image", "save"]]),
    same(CONTAINERS, &[&["load"], &["image", "load"]]),
    same(CONTAINERS, &[&["import"], &["image", "import"]]),
    same(CONTAINERS, &[&["history"], &["image", "history"]]),
    same(
        CONTAINERS,
        &[
            &["build"],
            &["image", "build"],
            &["builder", "build"],
            &["buildx", "build"],
            &["buildx", "b"],
        ],
    ),
    same(CONTAINERS, &[&["info"], &["system", "info"]]),
    same(CONTAINERS, &[&["events"], &["system", "events"]]),
    same(CONTAINERS, &[&["volume", "rm"], &["volume", "remove"]]),
    same(CONTAINERS, &[&["network", "rm"], &["network", "remove"]]),
    same(HELM, &[&["uninstall"], &["delete"], &["del"], &["un"]]),
    same(HELM, &[&["list"], &["ls"]]),
    alike(HELM, &[&["install"], &["upgrade"]]),
    same(COMPOSER, &[&["install"], &["i"]]),
    same(COMPOSER, &[&["update"], &["u"], &["upgrade"]]),
    same(COMPOSER, &[&["require"], &["r"]]),
    same(COMPOSER, &[&["remove"], &["rm"], &["uninstall"]]),
    same(BREW, &[&["uninstall"], &["remove"], &["rm"]]),
    same(BREW, &[&["list"], &["ls"]]),
    same(PIP, &[&["remove"], &["uninstall"]]),
];

/// Kinds of resources of kubectl. Source: `kubectl api-resources`, 1.32.
pub(super) const RESOURCES: &[&[&str]] = &[
    &["pods", "pod", "po"],
    &["services", "service", "svc"],
    &["deployments", "deployment", "deploy"],
    &["namespaces", "namespace", "ns"],
    &["nodes", "node", "no"],
    &["configmaps", "configmap", "cm"],
    &["secrets", "secret"],
    &["ingresses", "ingress", "ing"],
    &["statefulsets", "statefulset", "sts"],
    &["daemonsets", "daemonset", "ds"],
    &["replicasets", "replicaset", "rs"],
    &["replicationcontrollers", "replicationcontroller", "rc"],
    &["persistentvolumes", "persistentvolume", "pv"],
    &["persistentvolumeclaims", "persistentvolumeclaim", "pvc"],
    &["serviceaccounts", "serviceaccount", "sa"],
    &["jobs", "job"],
    &["cronjobs", "cronjob", "cj"],
    &["endpoints", "ep"],
    &["events", "event", "ev"],
    &["horizontalpodautoscalers", "horizontalpodautoscaler", "hpa"],
    &[
        "customresourcedefinitions",
        "customresourcedefinition",
        "crd",
        "crds",
    ],
    &["resourcequotas", "resourcequota", "quota"],
    &["limitranges", "limitrange", "limits"],
    &["networkpolicies", "networkpolicy", "netpol"],
    &["poddisruptionbudgets", "poddisruptionbudget", "pdb"],
    &["priorityclasses", "priorityclass", "pc"],
    &["storageclasses", "storageclass", "sc"],
    &["roles", "role"],
    &["rolebindings", "rolebinding"],
    &["clusterroles", "clusterrole"],
    &["clusterrolebindings", "clusterrolebinding"],
];

/// Commands of yarn 1 and 4; another word is a script or a program of a package.
pub(super) const YARN: &[&str] = &[
    "access",
    "add",
    "audit",
    "autoclean",
    "bin",
    "cache",
    "check",
    "config",
    "constraints",
    "create",
    "dedupe",
    "dlx",
    "exec",
    "explain",
    "generate-lock-entry",
    "global",
    "help",
    "import",
    "info",
    "init",
    "install",
    "licenses",
    "link",
    "list",
    "login",
    "logout",
    "node",
    "npm",
    "outdated",
    "owner",
    "pack",
    "patch",
    "patch-commit",
    "plugin",
    "policies",
    "publish",
    "rebuild",
    "remove",
    "run",
    "search",
    "set",
    "stage",
    "tag",
    "team",
    "unlink",
    "unplug",
    "up",
    "upgrade",
    "upgrade-interactive",
    "version",
    "versions",
    "why",
    "workspace",
    "workspaces",
];

/// Commands of bun 1.2.
pub(super) const BUN_COMMANDS: &[&str] = &[
    "run", "test", "x", "repl", "exec", "install", "i", "add", "a", "remove", "rm", "update",
    "audit", "outdated", "link", "unlink", "publish", "patch", "pm", "info", "build", "init",
    "create", "c", "upgrade", "why",
];
