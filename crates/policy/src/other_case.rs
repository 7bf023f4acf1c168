//! Names in another case than rules write them. Disks that ignore case (exFAT, directories with casefold, those of Windows and
//! macOS behind a mount) find `.env` by `.ENV`. Who looks at the disk asks here whether the spelling matters, which is seldom so.

use std::cell::LazyCell;
use std::path::{Path, PathBuf};

use tenon_contract::posix_path;

use crate::engine::Engine;
use crate::glob::{Place, fold};
use crate::paths::Root;
use crate::rule::Pattern;

impl Engine {
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
        let below = path.strip_prefix(&self.root).ok();
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
        let verdict = |text: &str| {
            let access = Access {
                commands: vec![CommandClaim {
                    text: text.to_owned(),
                    directory: PathClaim {
                        name: ".".to_owned(),
                        target: "/W".into(),
                    },
                    environment: Vec::new(),
                }],
                ..Access::default()
            };
            let question = Question {
                operation: Operation::Execute,
                effect: Effect::Execute,
                tool: "Bash",
                access: &access,
            };
            engine()
                .decide(&question, &Small(LexicalPaths::new("/W")))
                .verdict
        };
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
