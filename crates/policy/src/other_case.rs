//! Names in another case than rules write them. Disks that ignore case (exFAT, directories with casefold, those of Windows and
//! macOS behind a mount) find `.env` by `.ENV`. Who looks at the disk asks here whether the spelling matters, which is seldom so,
//! and where the disk does ignore it, takes the engine whose rules do so too.

use std::cell::LazyCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tenon_contract::{posix_path, way_from};

use crate::engine::Engine;
use crate::glob::{Place, fold};
use crate::paths::Root;
use crate::rule::{Pattern, Rule};
use crate::rules::RuleSet;
use crate::small_letters::SmallLetters;
use crate::verdict::Verdict;

impl Rule {
    /// The same rule for disks that ignore case. One that allows stays as it is written: an allowed name in another case may
    /// be another file.
    fn ignoring_case(&self) -> Self {
        let mut rule = self.clone();
        if let Pattern::Path(glob) = &self.pattern
            && self.list != Verdict::Allow
        {
            rule.pattern = Pattern::Path(glob.ignoring_case());
            rule.small_letters = SmallLetters::default();
        }
        rule
    }
}

impl Engine {
    /// The same engine for disks that ignore case: its deny and ask rules are about the files that they name in any case.
    #[must_use]
    pub fn ignoring_case(&self) -> Self {
        let rules = self.rules.rules.iter().map(Rule::ignoring_case);
        Self {
            rules: Arc::new(RuleSet::indexed(rules.collect())),
            ..self.clone()
        }
    }

    /// Whether a deny or ask rule is about this absolute path, or about something below it, only if the case of letters is
    /// ignored. Then the path has to be spelled as its directories list it.
    #[must_use]
    pub fn knows_in_other_case(&self, path: &Path) -> bool {
        let mut rules = self.rules.strict_on_files().peekable();
        if rules.peek().is_none() {
            return false;
        }
        let path = &*posix_path(path);
        let text = path.to_string_lossy();
        let is_all_small = LazyCell::new(|| is_small(&text));
        // Most rules are about names below the workspace, whatever the names above it are.
        let below = way_from(&self.root, path);
        let is_small_below = match below.map(Path::to_str) {
            Some(below) => below.is_some_and(is_small),
            None => *is_all_small,
        };
        let small = |path: &Path| -> PathBuf {
            let text = path.to_string_lossy();
            text.chars().map(fold).collect::<String>().into()
        };
        let mut places: Option<(PathBuf, Root)> = None;
        rules.any(|rule| {
            let Pattern::Path(glob) = &rule.pattern else {
                return false;
            };
            let folded = rule.small_letters.of(glob);
            let is_clear = if glob.is_absolute() {
                *is_all_small
            } else {
                is_small_below
            };
            if is_clear && !folded.differs {
                return false;
            }
            let (small_path, small_root) =
                places.get_or_insert_with(|| (small(path), Root::new(&small(&self.root))));
            let place = Place::of(path, &self.compared_root);
            let small_place = Place::of(small_path, small_root);
            (folded.glob.matches(&small_place) && !glob.matches(&place))
                || (folded.glob.may_match_below(&small_place) && !glob.may_match_below(&place))
        })
    }
}

/// Whether a text has no capitals.
fn is_small(text: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii() && !byte.is_ascii_uppercase();
    text.bytes().all(is_plain) || text.chars().all(|letter| fold(letter) == letter)
}

#[cfg(test)]
mod tests {
    use tenon_contract::{Access, CommandClaim, Effect, Operation, PathClaim};

    use super::*;
    use crate::paths::There;
    use crate::{
        DefaultMode, LexicalPaths, PathResolver, Permissions, Question, Resolved, RuleSet, Verdict,
    };

    fn engine() -> Engine {
        let deny = [
            "Read(.env)",
            "Read(**/secrets/**)",
            "Read(/home/me/.ssh/**)",
            "Edit(Locked/k[A-Z]y)",
        ];
        let permissions = Permissions {
            deny: deny.map(Into::into).to_vec(),
            ..Permissions::default()
        };
        let named = |name: &str| Operation::from_name(&name.to_lowercase());
        let rules = RuleSet::new(&permissions, &named).unwrap();
        Engine::new(rules, DefaultMode::Allow, "/W")
    }

    #[test]
    fn a_path_that_a_rule_names_in_another_case_is_known() {
        let engine = engine();
        let known = |path: &&str| engine.knows_in_other_case(Path::new(path));
        let all = [
            "/W/.ENV",
            "/W/a/.eNv",
            "/W/SECRETS",
            "/W/a/Secrets/x",
            "/home/me/.SSH/id",
            "/home/ME",
            "/W/locked",
            "/W/locked/kay",
        ];
        assert_eq!(
            all.iter().filter(|path| known(path)).collect::<Vec<_>>(),
            all.iter().collect::<Vec<_>>()
        );
        let none = [
            "/W/.env",
            "/W/secrets/KEY",
            "/W/README.md",
            "/W/src/Env.ts",
            "/home/me/.ssh/ID",
            "/W/Locked/kAy",
            "/W/a",
            "/W",
        ];
        assert_eq!(none.iter().find(|path| known(path)), None);
    }

    #[test]
    fn on_a_disk_that_ignores_case_rules_bind_what_they_name_in_any_case() {
        let permissions = Permissions {
            deny: [
                "Read(Sub/deep/**)",
                "Edit(Locked.txt)",
                "Read(/W/Abs/*.K[A-Z]Y)",
            ]
            .map(Into::into)
            .to_vec(),
            ask: vec!["Read(Asked)".into()],
            allow: ["Read", "Edit(Src/**)", "execute"].map(Into::into).to_vec(),
            default_mode: None,
        };
        let named = |name: &str| Operation::from_name(&name.to_lowercase());
        let rules = RuleSet::new(&permissions, &named).unwrap();
        let exact = Engine::new(rules, DefaultMode::Ask, "/W");
        let engine = exact.ignoring_case();
        let verdict = |engine: &Engine, operation, path: &str| {
            let claim = PathClaim {
                name: path.to_owned(),
                target: Path::new("/W").join(path),
            };
            let mut access = Access::default();
            let (effect, list) = match operation {
                Operation::Read => (Effect::Observe, &mut access.reads),
                _ => (Effect::Mutate, &mut access.writes),
            };
            list.push(claim);
            let question = Question {
                operation,
                effect,
                tool: operation.name(),
                access: &access,
            };
            engine.decide(&question, &LexicalPaths::new("/W")).verdict
        };
        use Operation::{Edit, Read};
        use Verdict::{Allow, Ask, Deny};
        for (operation, path, plain, ignoring) in [
            (Read, "Sub/deep/key", Deny, Deny),
            (Read, "sub/DEEP/key", Allow, Deny),
            (Edit, "locked.TXT", Ask, Deny),
            (Read, "abs/a.key", Allow, Deny),
            (Read, "x/ASKED", Allow, Ask),
            (Read, "other", Allow, Allow),
            (Edit, "Src/a", Allow, Allow),
            // What allows is taken as it is written.
            (Edit, "src/a", Ask, Ask),
        ] {
            let both = [
                verdict(&exact, operation, path),
                verdict(&engine, operation, path),
            ];
            assert_eq!(both, [plain, ignoring], "{path}");
        }
        let of_command = |text: &str| of_command(&engine, &LexicalPaths::new("/W"), text);
        for text in [
            "cat sub/deep/key",
            "cat SUB/d*p/key",
            "cd sub && cat Deep/key",
            "grep -r x SUB",
            "f=sub; cat $f/deep/a",
        ] {
            assert_ne!(of_command(text), Verdict::Allow, "{text}");
        }
        assert_eq!(of_command("cat subs/deep/key"), Verdict::Allow);
        assert!(engine.hides_below(Read, "Read", "SUB/Deep/x"));
        assert!(!engine.knows_in_other_case(Path::new("/W/sub/deep/x")));
    }

    #[test]
    fn of_many_rules_those_in_another_case_are_found() {
        let many = (0..40).map(|number| format!("Read(Secret{number}/**)").as_str().into());
        let permissions = Permissions {
            deny: many.collect(),
            ..Permissions::default()
        };
        let named = |name: &str| Operation::from_name(&name.to_lowercase());
        let rules = RuleSet::new(&permissions, &named).unwrap();
        let engine = Engine::new(rules, DefaultMode::Allow, "/W").ignoring_case();
        let hides = |names: &str| engine.hides_below(Operation::Read, "Read", names);
        assert!(hides("SECRET7/a") && hides("secret39/a") && !hides("secret40/a"));
    }

    /// What an engine says to a command, where names lead as these say.
    fn of_command(engine: &Engine, paths: &dyn PathResolver, text: &str) -> Verdict {
        let command = CommandClaim {
            text: text.to_owned(),
            directory: PathClaim {
                name: ".".to_owned(),
                target: "/W".into(),
            },
            environment: Vec::new(),
        };
        let access = Access {
            commands: vec![command],
            ..Access::default()
        };
        let question = Question {
            operation: Operation::Execute,
            effect: Effect::Execute,
            tool: "Bash",
            access: &access,
        };
        engine.decide(&question, paths).verdict
    }

    /// A disk on which everything is written in small letters, whatever it is named by.
    struct Small(LexicalPaths);

    impl PathResolver for Small {
        fn resolve(&self, directory: &Path, path: &str) -> Resolved {
            match self.0.resolve(directory, path) {
                Resolved::Inside { claim, .. } => Resolved::Inside {
                    claim: PathClaim {
                        target: claim
                            .target
                            .to_string_lossy()
                            .to_lowercase()
                            .replace("/w", "/W")
                            .into(),
                        name: claim.name,
                    },
                    there: There::File(None),
                },
                Resolved::Outside => Resolved::Outside,
            }
        }
    }

    #[test]
    fn a_denied_file_is_denied_by_every_spelling_that_the_disk_knows() {
        let disk = Small(LexicalPaths::new("/W"));
        let verdict = |text: &str| of_command(&engine(), &disk, text);
        for text in [
            "cat .ENV",
            "cat < ./.eNV",
            "x=.ENV; cat $x",
            "cat a/SECRETS/Key",
        ] {
            assert_eq!(verdict(text), Verdict::Deny, "{text}");
        }
        assert_eq!(verdict("cat README.md"), Verdict::Allow);
    }
}
