use std::fs;

use tenon_contract::CancellationToken;

use super::*;

struct Scene {
    directory: tempfile::TempDir,
}

impl Scene {
    fn new(files: &[(&str, &str)]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir_all(directory.path().join("work")).unwrap();
        for (path, text) in files {
            let path = directory.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Self { directory }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.directory.path().canonicalize().unwrap().join(name)
    }

    fn find(&self) -> FoundSkills {
        let workspace = Workspace::open(self.path("work"), &[] as &[&str]).unwrap();
        let directories = vec![
            SkillDirectory::Inside(".a/skills".to_owned()),
            SkillDirectory::Inside(".b/skills".to_owned()),
            SkillDirectory::OfUser(self.path("home")),
        ];
        let context = ToolContext::new("1", CancellationToken::new());
        SkillDirectories::new(workspace, directories)
            .find(&context)
            .unwrap()
    }

    fn list(&self) -> ListedSkills {
        self.find().listed()
    }
}

fn skill(name: &str, purpose: &str) -> String {
    format!("---\nname: {name}\ndescription: {purpose}\n---\n# {name}\n")
}

fn facts(listed: &ListedSkills) -> Vec<(&str, &str, &str)> {
    let skills = listed.skills.iter();
    skills
        .map(|skill| {
            (
                skill.name.as_str(),
                skill.description.as_str(),
                skill.path.as_str(),
            )
        })
        .collect()
}

#[test]
fn skills_are_listed_by_name_and_the_first_directory_wins() {
    let scene = Scene::new(&[
        ("work/.b/skills/pdf/SKILL.md", &skill("pdf", "second")),
        ("work/.a/skills/forms/SKILL.md", &skill("pdf", "first")),
        ("home/deploy/SKILL.md", &skill("deploy", "of the user")),
        ("home/pdf/SKILL.md", &skill("pdf", "third")),
        ("home/plain/SKILL.md", "just text"),
        ("home/none/other.md", "no skill"),
        ("home/file.md", "no skill"),
    ]);
    let listed = scene.list();
    let home = |name: &str| scene.path(name).display().to_string();
    assert_eq!(
        facts(&listed),
        [
            (
                "deploy",
                "of the user",
                home("home/deploy/SKILL.md").as_str()
            ),
            ("pdf", "first", ".a/skills/forms/SKILL.md"),
            ("plain", "", home("home/plain/SKILL.md").as_str()),
        ]
    );
    let hidden = |path: &str| {
        format!("`{path}` is hidden by `.a/skills/forms/SKILL.md`, which has the same name, `pdf`")
    };
    assert_eq!(
        listed.remarks,
        [
            hidden(".b/skills/pdf/SKILL.md"),
            hidden(&home("home/pdf/SKILL.md"))
        ]
    );
}

#[test]
fn loading_answers_the_whole_text_and_where_its_instructions_begin() {
    let text = skill("pdf", "x");
    let scene = Scene::new(&[("work/.a/skills/pdf/SKILL.md", &text)]);
    let loaded = scene.find().load("pdf").unwrap();
    assert_eq!(loaded.content.get(loaded.body_at..), Some("# pdf\n"));
    assert_eq!(
        (loaded.content, loaded.path),
        (text, ".a/skills/pdf/SKILL.md".to_owned())
    );
}

#[test]
fn an_unknown_skill_is_an_error_that_names_those_that_there_are() {
    let scene = Scene::new(&[("work/.a/skills/pdf/SKILL.md", &skill("pdf", "x"))]);
    let error = scene.find().load("pd").unwrap_err();
    assert_eq!(error.message, "There is no skill `pd`. Available: `pdf`.");
    let empty = Scene::new(&[]);
    let error = empty.find().load("pdf").unwrap_err();
    assert_eq!(error.message, "There is no skill `pdf`. None is available.");
}

#[test]
fn a_directory_that_cannot_be_read_is_named_whatever_skill_is_wanted() {
    let scene = Scene::new(&[("work/.a/skills", "a file")]);
    let found = scene.find();
    let [why] = found.unread.as_slice() else {
        panic!("{:?}", found.unread);
    };
    let why = why.clone();
    for name in ["y", "zz"] {
        assert_eq!(
            scene.find().load(name).unwrap_err().message,
            format!("There is no skill `{name}`. None is available. {why}.")
        );
    }
}

#[test]
fn what_cannot_be_read_is_left_out_and_said() {
    let large = "x".repeat(usize::try_from(limits::SKILL_MAX_BYTES).unwrap() + 1);
    let scene = Scene::new(&[
        ("work/.a/skills/large/SKILL.md", &large),
        ("work/.a/skills/binary/SKILL.md", "\u{0}\u{1}\u{2}"),
        ("work/.a/skills/directory/SKILL.md/x", ""),
        ("work/.b/skills", "a file in the place of a directory"),
    ]);
    let listed = scene.list();
    assert_eq!(facts(&listed), []);
    assert_eq!(listed.remarks.len(), 4, "{:?}", listed.remarks);
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_workspace_is_no_skill_and_one_of_the_user_is() {
    use std::os::unix::fs::symlink;
    let scene = Scene::new(&[
        ("elsewhere/far/SKILL.md", &skill("far", "x")),
        ("work/.a/skills/near/SKILL.md", &skill("near", "x")),
        ("home/own/SKILL.md", &skill("own", "x")),
    ]);
    let far = scene.path("elsewhere/far");
    symlink(&far, scene.path("work/.a/skills/far")).unwrap();
    fs::create_dir(scene.path("work/.a/skills/secret")).unwrap();
    symlink(
        far.join("SKILL.md"),
        scene.path("work/.a/skills/secret/SKILL.md"),
    )
    .unwrap();
    symlink(&far, scene.path("home/linked")).unwrap();
    let listed = scene.list();
    let names: Vec<&str> = facts(&listed)
        .into_iter()
        .map(|(name, _, _)| name)
        .collect();
    assert_eq!(names, ["far", "near", "own"]);
    let linked = scene.path("home/linked/SKILL.md").display().to_string();
    assert_eq!(facts(&listed)[0].2, linked);
}
