//! Pictures of canvases.

use std::sync::Arc;

use tenon_canvas::{BrowserChoice, Canvases, Picture, picture};
use tenon_contract::ToolError;
use tenon_web::SystemResolver;

use crate::stage::{canvases, is_missing, never, page, processes};

async fn taken(
    canvases: &Canvases,
    key: &str,
    width: u32,
    choice: &BrowserChoice,
) -> Result<Picture, ToolError> {
    let processes = processes();
    picture(
        canvases,
        key,
        Some(width),
        choice,
        (&processes, Arc::new(SystemResolver)),
        &never(),
    )
    .await
}

const USUAL: BrowserChoice = BrowserChoice {
    executable: None,
    sandbox: true,
    of_host: None,
};

#[tokio::test]
async fn a_picture_says_what_does_not_fit_and_what_went_wrong() {
    let canvases = canvases();
    let html = "<p style='width: 900px; background: red'>wide</p><div style='height: 1500px'></div><script>console.error('my error'); missing()</script><img src='https://a.test/x.png'>";
    canvases.present(page("Wide", html)).await.unwrap();
    canvases.present(page("Fits", "<p>fits</p>")).await.unwrap();
    let wide = match taken(&canvases, "c1", 400, &USUAL).await {
        Err(error) if is_missing(&error.message) => return,
        other => other.unwrap(),
    };
    assert!(wide.overflow.is_some());
    assert!(
        wide.height > 1_500 && wide.mime_type == "image/png",
        "{}x{}",
        wide.width,
        wide.height
    );
    let errors = wide.console_errors.join("\n");
    assert!(
        errors.contains("my error") && errors.contains("missing is not defined"),
        "{errors}"
    );
    assert!(
        errors.contains("at line 1:") && !errors.contains("/v/"),
        "{errors}"
    );
    assert_eq!(std::fs::read(&wide.path).unwrap(), wide.bytes);
    let fits = taken(&canvases, "c2", 400, &USUAL).await.unwrap();
    assert_eq!(
        (fits.width, fits.overflow, fits.console_errors),
        (400, None, Vec::new())
    );
    canvases.close();
    assert!(!wide.path.exists());
}

#[tokio::test]
async fn without_a_browser_the_command_that_installs_one_is_named() {
    let canvases = canvases();
    canvases.present(page("One", "x")).await.unwrap();
    let choice = BrowserChoice {
        executable: Some("/nowhere/chrome".into()),
        ..USUAL
    };
    let error = taken(&canvases, "c1", 400, &choice).await.unwrap_err();
    assert_eq!(error.code.as_str(), "unavailable", "{error}");
    assert!(error.message.contains("/nowhere/chrome"), "{error}");
    assert_eq!(
        taken(&canvases, "c9", 400, &choice)
            .await
            .unwrap_err()
            .code
            .as_str(),
        "not_found"
    );
}
