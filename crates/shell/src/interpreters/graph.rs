//! Which values can come where.

use hashbrown::HashMap;

/// What is known of the values of a name or of a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Class {
    /// No letters: nothing but numbers and signs, wherever it stands.
    Number,
    /// Letters too, but nothing that a shell expands; every name in it is harmless itself. It is not when it is put
    /// together with other text, since that makes another name.
    Text,
    /// Anything.
    Unknown,
}

/// How the value of one node comes to another.
#[derive(Debug, Clone, Copy)]
enum ValueSource {
    /// As it is.
    Whole,
    /// Together with other text, or a piece of it.
    Joined,
    /// By its name, which stands in the text: it is evaluated in turn.
    Named,
}

#[derive(Debug)]
struct Node {
    class: Class,
    ways: Vec<(usize, ValueSource)>,
    /// Whether the text assigns it.
    assigned: bool,
    /// Whether it has its value from the text before it is used anywhere.
    begins_here: bool,
}

/// Names and places, and how values come from one to the other.
#[derive(Debug, Default)]
pub(super) struct Graph {
    nodes: Vec<Node>,
    names: HashMap<String, usize>,
    changed: Vec<usize>,
}

/// Variables that the shell sets to what the text says elsewhere, or to names of files.
const UNKNOWN: &[&str] = &[
    "_",
    "PWD",
    "OLDPWD",
    "DIRSTACK",
    "BASH_REMATCH",
    "REPLY",
    "OPTARG",
    "MAPFILE",
    "BASH_COMMAND",
    "BASH_EXECUTION_STRING",
    "BASH_ARGV",
    "FUNCNAME",
    "BASH_SOURCE",
    "READLINE_LINE",
    "COMP_LINE",
    "COMP_WORDS",
    "BASH_ALIASES",
    "BASH_CMDS",
    "COPROC_NAME",
];

/// Variables that hold numbers unless the text gives them something else.
const NUMBERS: &[&str] = &[
    "RANDOM",
    "SRANDOM",
    "SECONDS",
    "LINENO",
    "HISTCMD",
    "BASHPID",
    "PPID",
    "UID",
    "EUID",
    "OPTIND",
    "EPOCHSECONDS",
    "EPOCHREALTIME",
    "SHLVL",
    "COLUMNS",
    "LINES",
    "BASH_SUBSHELL",
    "PIPESTATUS",
    "GROUPS",
    "?",
    "#",
    "$",
    "!",
];

impl Graph {
    /// A new node about which nothing is known yet, so it holds nothing.
    pub(super) fn node(&mut self) -> usize {
        self.nodes.push(Node {
            class: Class::Number,
            ways: Vec::new(),
            assigned: false,
            begins_here: false,
        });
        self.nodes.len() - 1
    }

    /// Whether the name was met before.
    pub(super) fn knows(&self, name: &str) -> bool {
        self.names.contains_key(name)
    }

    /// The node of a name.
    pub(super) fn name(&mut self, name: &str) -> usize {
        let name = match name.as_bytes() {
            [b'0'..=b'9', ..] if name != "0" => "@",
            b"*" => "@",
            _ => name,
        };
        if let Some(node) = self.names.get(name) {
            return *node;
        }
        let node = self.node();
        self.names.insert(name.to_owned(), node);
        if UNKNOWN.contains(&name) {
            self.raise(node, Class::Unknown);
        }
        node
    }

    /// The node of a name that is assigned.
    pub(super) fn assigned(&mut self, name: &str) -> usize {
        let node = self.name(name);
        if let Some(own) = self.nodes.get_mut(node) {
            own.assigned = true;
        }
        node
    }

    /// Notes that nothing comes before what the text assigns to the name.
    pub(super) fn begins_here(&mut self, name: &str) {
        let node = self.assigned(name);
        if let Some(own) = self.nodes.get_mut(node) {
            own.begins_here = true;
        }
    }

    /// Notes that a name can have a value of this class.
    pub(super) fn known(&mut self, name: &str, class: Class) {
        let node = self.name(name);
        self.raise(node, class);
    }

    pub(super) fn class(&self, node: usize) -> Class {
        self.nodes
            .get(node)
            .map_or(Class::Unknown, |node| node.class)
    }

    pub(super) fn raise(&mut self, node: usize, class: Class) {
        if let Some(own) = self.nodes.get_mut(node)
            && own.class < class
        {
            own.class = class;
            self.changed.push(node);
        }
    }

    fn way(&mut self, from: usize, to: usize, way: ValueSource) {
        if let Some(own) = self.nodes.get_mut(from) {
            own.ways.push((to, way));
            let class = own.class;
            self.go(class, to, way);
        }
    }

    /// The value of one node can be that of the other.
    pub(super) fn copies(&mut self, from: usize, to: usize) {
        self.way(from, to, ValueSource::Whole);
    }

    /// The value of one node can be a piece of that of the other.
    pub(super) fn joins(&mut self, from: usize, to: usize) {
        self.way(from, to, ValueSource::Joined);
    }

    /// The name of one node stands in the value of the other.
    pub(super) fn names(&mut self, from: usize, to: usize) {
        self.raise(to, Class::Text);
        self.way(from, to, ValueSource::Named);
    }

    fn go(&mut self, class: Class, to: usize, way: ValueSource) {
        let class = match (way, class) {
            (_, Class::Number) => return,
            (ValueSource::Named, Class::Text) => Class::Text,
            (ValueSource::Joined, Class::Text) => Class::Unknown,
            (_, class) => class,
        };
        self.raise(to, class);
    }

    /// Adds what comes from outside: the environment of the host can hold any name, and what is `given` anything.
    pub(super) fn surround(&mut self, given: &dyn Fn(&str) -> bool) {
        let host = self.node();
        self.raise(host, Class::Text);
        let names: Vec<(String, usize)> = self.names.drain().collect();
        for (name, node) in &names {
            let Some((assigned, begins)) = self
                .nodes
                .get(*node)
                .map(|own| (own.assigned, own.begins_here))
            else {
                continue;
            };
            if assigned {
                self.names(*node, host);
            }
            // What is written in capitals can come from the environment, what is not is set by the text itself.
            let from_outside = name.starts_with("npm_")
                || name.bytes().any(|byte| byte.is_ascii_uppercase())
                || matches!(name.as_str(), "0" | "-");
            let inherits = if assigned {
                from_outside && !begins
            } else {
                name != "@"
            };
            if inherits && !NUMBERS.contains(&name.as_str()) {
                self.copies(host, *node);
            }
            if given(name) {
                self.raise(*node, Class::Unknown);
            }
        }
        self.names.extend(names);
    }

    /// Carries everything on until nothing changes. Each node rises twice at most.
    pub(super) fn settle(&mut self) {
        while let Some(node) = self.changed.pop() {
            let Some(own) = self.nodes.get_mut(node) else {
                continue;
            };
            let class = own.class;
            let ways = std::mem::take(&mut own.ways);
            for (to, way) in &ways {
                self.go(class, *to, *way);
            }
            if let Some(own) = self.nodes.get_mut(node) {
                own.ways = ways;
            }
        }
    }
}
