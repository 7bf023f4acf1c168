//! Files in and out, console and network.

use std::time::Duration;

use tenon_browser::{ActionOptions, FileChooser, Target, Upload};

use crate::web::{Answer, Stage, allow, never, reference, scripting};

#[tokio::test(flavor = "multi_thread")]
async fn files_are_uploaded_as_private_copies() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    let text = stage.open("<input type=file multiple aria-label=Files><input type=file aria-label=One><button>B</button>").await.snapshot.text;
    let file = |name: &str, text: &str| Upload {
        name: name.to_owned(),
        bytes: text.into(),
    };
    let options = ActionOptions::default();
    let two = [file("a.txt", "Hello"), file("../a.txt", "Again")];
    let result = stage
        .session
        .upload(
            Some(&reference(&text, "\"Files\"")),
            &two,
            &options,
            &never(),
        )
        .await
        .unwrap();
    assert_eq!(
        result.snapshot.unwrap().text,
        "file \"Files\" [e1] =\"a.txt\", \"a.txt\""
    );
    let read = "Promise.all([...document.querySelector('input').files].map(async (file) => file.name + ':' + await file.text()))";
    assert_eq!(
        stage.script(read).await,
        "[\"a.txt:Hello\",\"a.txt:Again\"]"
    );
    let error = stage
        .session
        .upload(Some(&reference(&text, "\"One\"")), &two, &options, &never())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), "not_editable");
    let error = stage
        .session
        .upload(
            Some(&reference(&text, "\"B\"")),
            &two[..1],
            &options,
            &never(),
        )
        .await
        .unwrap_err();
    assert_eq!(error.kind(), "not_editable");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_chooser_is_answered_whatever_opens_it() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    let shown = "<p id=out></p><script>const show = (field) => { field.onchange = () => { out.textContent = [...field.files].map((file) => file.name).join() } }</script>";
    // One that is hidden, one that is in no document, one in a frame of another site.
    stage.web.page("other.test/frame", &format!("{shown}<button onclick=\"const it = document.createElement('input'); it.type = 'file'; show(it); it.click()\">Frame</button>"));
    let page = format!(
        "{shown}<input type=file id=f style='display:none'><script>show(f)</script><button onclick=\"f.click()\">Hidden</button><button onclick=\"const it = document.createElement('input'); it.type = 'file'; it.multiple = true; show(it); it.click()\">Loose</button><iframe src='http://other.test/frame'></iframe>"
    );
    let text = stage.open(&page).await.snapshot.text;
    let file = |name: &str| Upload {
        name: name.to_owned(),
        bytes: name.into(),
    };
    let options = ActionOptions::default();
    for (name, files) in [
        ("Hidden", vec![file("a.txt")]),
        ("Loose", vec![file("b.txt"), file("c.txt")]),
        ("Frame", vec![file("d.txt")]),
    ] {
        let target = reference(&text, &format!("\"{name}\""));
        let result = stage
            .session
            .upload(Some(&target), &files, &options, &never())
            .await
            .unwrap();
        let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
        let shown = result.snapshot.unwrap().text;
        assert!(shown.contains(&names.join(",")), "{name}: {shown}");
        assert_eq!(result.file_chooser, None);
    }
    let target = reference(&text, "\"Hidden\"");
    let two = [file("a.txt"), file("b.txt")];
    let error = stage
        .session
        .upload(Some(&target), &two, &options, &never())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), "not_editable");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_click_that_opens_a_file_chooser_says_so_and_it_waits_for_an_upload() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let text = stage
        .open("<input type=file multiple id=f style='display:none' onchange=\"out.textContent = f.files[0].name\"><button onclick=\"f.click(); this.remove()\">Pick</button><p id=out></p>")
        .await
        .snapshot
        .text;
    let options = ActionOptions::default();
    let file = [Upload {
        name: "a.txt".to_owned(),
        bytes: Vec::new(),
    }];
    let going = never();
    let upload = || stage.session.upload(None, &file, &options, &going);
    let error = upload().await.unwrap_err();
    assert_eq!(error.kind(), "invalid");
    let target = Target::Ref(reference(&text, "\"Pick\""));
    let clicked = stage
        .session
        .click(&target, &Default::default(), &options, &never())
        .await
        .unwrap();
    assert_eq!(clicked.file_chooser, Some(FileChooser::Multiple));
    let result = upload().await.unwrap();
    assert!(result.snapshot.unwrap().text.contains("a.txt"));
    assert_eq!(upload().await.unwrap_err().kind(), "invalid");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_page_offers_is_taken_only_when_asked_for() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let mut file = Answer::new(
        "200 OK",
        "Content-Type: text/csv\r\nContent-Disposition: attachment; filename=\"../report.csv\"",
        "a,b\n1,2\n",
    );
    stage.web.put("app.test/report", file.clone());
    file.endless = 1024 * 1024 * 1024;
    stage.web.put("app.test/huge", file);
    let text = stage
        .open("<a href=/report>Report</a><a href=/huge>Huge</a><a href=/gone download>Gone</a>")
        .await
        .snapshot
        .text;
    let target = Target::Ref(reference(&text, "\"Report\""));
    let options = ActionOptions::default();
    let result = stage
        .session
        .click(&target, &Default::default(), &options, &never())
        .await
        .unwrap();
    let offered: Vec<&str> = result.downloads.iter().map(|it| it.url.as_str()).collect();
    assert_eq!(offered, ["http://app.test/report"]);
    let opened = stage.go("http://app.test/report").await;
    assert_eq!((opened.downloads.len(), opened.is_file), (1, true));
    // The page is as it was, and is shown so.
    assert_eq!(
        opened.snapshot.text,
        "link \"Report\" [e1] (focused) link \"Huge\" [e2] link \"Gone\" [e3]"
    );
    let taken = stage
        .session
        .download(&reference(&text, "\"Report\""), &options, &never())
        .await
        .unwrap();
    assert_eq!(std::fs::read_to_string(&taken.path).unwrap(), "a,b\n1,2\n");
    assert_eq!(taken.size, 8);
    assert!(
        !taken.suggested_name.contains('/'),
        "{}",
        taken.suggested_name
    );
    let path = taken.path.clone();
    drop(taken);
    assert!(!path.exists());
    let slow = ActionOptions {
        timeout: Some(Duration::from_secs(30)),
        ..ActionOptions::default()
    };
    let error = stage
        .session
        .download(&reference(&text, "\"Huge\""), &slow, &never())
        .await
        .unwrap_err();
    assert!(
        error.to_string().contains("larger than 52428800 bytes"),
        "{error}"
    );
    let error = stage
        .session
        .download(&reference(&text, "\"Gone\""), &options, &never())
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "`http://app.test/gone` was not downloaded: nothing of it came, as where the server answers with an error such as 404."
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn console_and_network_are_kept_within_bounds() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    stage.open("<script>console.log('one', { a: 1 }, [2]); console.warn('x'.repeat(5000)); for (let i = 0; i < 1000; i++) console.debug(i); fetch('/missing'); throw new Error('uncaught')</script>").await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    let all = stage
        .session
        .console(None, None, 10_000, &never())
        .await
        .unwrap();
    assert_eq!(all.entries.len(), 500);
    assert!(all.total >= 1003, "{}", all.total);
    let errors = stage
        .session
        .console(None, Some("uncaught"), 50, &never())
        .await
        .unwrap();
    assert_eq!(errors.entries.len(), 1);
    assert_eq!(errors.entries[0].level, "error");
    let missing = stage
        .session
        .network(None, Some("404"), 50, &never())
        .await
        .unwrap();
    assert!(
        missing
            .entries
            .iter()
            .any(|entry| entry.url == "http://app.test/missing" && entry.kind == "fetch"),
        "{missing:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_finds_no_file_chooser_that_nothing_could_answer_and_uses_a_field() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    let text = stage
        .open("<input type=file id=field hidden><button onclick=\"'showOpenFilePicker' in window ? showOpenFilePicker() : field.click()\">Open</button>")
        .await
        .snapshot
        .text;
    for name in [
        "showOpenFilePicker",
        "showSaveFilePicker",
        "showDirectoryPicker",
    ] {
        assert_eq!(stage.script(&format!("'{name}' in window")).await, "false");
    }
    let target = Target::Ref(reference(&text, "\"Open\""));
    let clicked = stage
        .session
        .click(
            &target,
            &Default::default(),
            &ActionOptions::default(),
            &never(),
        )
        .await
        .unwrap();
    assert_eq!(clicked.file_chooser, Some(FileChooser::Single));
}
