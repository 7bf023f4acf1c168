//! Labels: what they name, and what a click on them does.

use tenon_browser::{ActionOptions, BrowserError, Target};

use crate::web::{Stage, allow, reference, scripting};

async fn click(stage: &Stage, reference: &str) -> Result<(), BrowserError> {
    let target = Target::Ref(reference.to_owned());
    let options = ActionOptions::default();
    let clicked = stage
        .session
        .click(&target, &Default::default(), &options, &crate::web::never())
        .await;
    clicked.map(drop)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_button_is_called_as_its_label_says_and_by_what_is_in_it() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let page = stage
        .open(
            "<style>button { width: 30px; height: 16px }</style>
             <p><label><button role=checkbox aria-checked=false></button> Accept terms</label>
             <p><label for=s>Power mode</label> <button role=switch aria-checked=true id=s></button>
             <p><label>Country <button role=combobox aria-expanded=false>Norway</button></label>
             <p><label>Photo <button>Browse</button></label><p><label>Out <output>5</output></label>
             <p><div role=combobox tabindex=0 aria-label=Town>Oslo</div>",
        )
        .await;
    assert_eq!(
        page.snapshot.text,
        "checkbox \"Accept terms\" [e1]\nswitch \"Power mode\" [e2] (checked)\ncombobox \"Country\" [e3] =\"Norway\" (collapsed)\nbutton \"Photo Browse\" [e4]\nOut 5\ncombobox \"Town\" [e5] =\"Oslo\""
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_label_of_an_element_of_the_pages_own_making_names_what_can_be_worked_in_it() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let page = stage
        .open(
            "<script>
             const define = (name, inner) => customElements.define(name, class extends HTMLElement {
               static formAssociated = true
               constructor() { super(); this.attachShadow({ mode: 'open' }).innerHTML = inner }
             })
             define('x-box', '<input type=checkbox>')
             define('x-dot', '<i style=\"display:inline-block;width:9px;height:9px\"></i>')
             define('x-none', 'plain')
             </script>
             <p><label><x-box></x-box> Boxed</label><p><label>One <x-dot tabindex=0></x-dot></label><p><label>Said <x-none></x-none></label>",
        )
        .await;
    assert_eq!(
        page.snapshot.text,
        "checkbox \"Boxed\" [e1]\nclickable \"One\" [e2]\nSaid plain"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_click_on_a_label_or_in_it_works_its_control() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    let text = stage
        .open(
            "<style>.b { cursor: pointer }</style><input type=checkbox id=c><label class=b for=c onclick=''>Check</label>
             <p><label><input type=radio id=r style='position:absolute;width:1px;height:1px;clip-path:inset(50%)'><span class=b onclick=''>Large</span></label>",
        )
        .await
        .snapshot
        .text;
    click(&stage, &reference(&text, "clickable \"Check\""))
        .await
        .unwrap();
    click(&stage, &reference(&text, "clickable \"Large\""))
        .await
        .unwrap();
    assert_eq!(stage.script("[c.checked, r.checked]").await, "[true,true]");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_click_that_a_label_sends_on_reaches_no_other_control() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    let text = stage
        .open(
            "<style>label { cursor: pointer }</style><input type=checkbox id=c><input type=checkbox id=d><label id=l for=c onclick=''>Check</label>
             <script>l.onmousedown = () => { l.htmlFor = 'd' }</script>",
        )
        .await
        .snapshot
        .text;
    click(&stage, &reference(&text, "clickable \"Check\""))
        .await
        .unwrap();
    assert_eq!(
        stage.script("[c.checked, d.checked]").await,
        "[false,false]"
    );
}

/// Inputs that are put out of sight in the usual ways, each with its label, at places that belong to others.
const HIDDEN: &str = "<style>.h { position:absolute; width:1px; height:1px; margin:-1px; overflow:hidden; clip-path:inset(50%) } .n { position:absolute; clip:rect(0,0,0,0); pointer-events:none }</style>
 <div style='position:relative;display:inline-flex'><label for=a>1 star</label><input class=h type=radio name=s id=a><label for=b>2 stars</label><input class=h type=radio name=s id=b></div>
 <div style='position:relative;display:inline-flex'><input class=n type=radio name=g id=f><label for=f>First</label><input class=n type=radio name=g id=g><label for=g>Second</label></div>
 <p><label for=l>Left</label><input type=checkbox id=l style='position:absolute;left:-9999px;opacity:0'>
 <p style='position:relative'><input type=radio name=z id=y style='position:absolute;opacity:0'><label for=y>Lower</label><input type=radio name=z id=z style='position:absolute;left:0;opacity:0'><label for=z>Upper</label>
 <p><input class=h type=checkbox id=far><div>over</div><label for=far style='display:block;margin-top:2000px'>Far</label>";

#[tokio::test(flavor = "multi_thread")]
async fn an_input_out_of_sight_is_clicked_at_the_label_that_is_its_own() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    let text = stage.open(HIDDEN).await.snapshot.text;
    for (name, id) in [
        ("2 stars", "b"),
        ("Second", "g"),
        ("Left", "l"),
        ("Lower", "y"),
        ("Upper", "z"),
        ("Far", "far"),
    ] {
        click(&stage, &reference(&text, &format!("\"{name}\"")))
            .await
            .unwrap();
        assert_eq!(
            stage.script(&format!("{id}.checked")).await,
            "true",
            "{name}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_click_that_the_page_lets_nowhere_through_says_so() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    let text = stage
        .open("<body style='height:400px'><style>b { color: red }</style><button>Behind</button>")
        .await
        .snapshot
        .text;
    stage
        .script("document.body.style.pointerEvents = 'none'")
        .await;
    let target = Target::Ref(reference(&text, "\"Behind\""));
    let options = ActionOptions {
        timeout: Some(std::time::Duration::from_millis(300)),
        ..ActionOptions::default()
    };
    let clicked = stage
        .session
        .click(&target, &Default::default(), &options, &crate::web::never())
        .await;
    assert_eq!(
        clicked.unwrap_err().to_string(),
        "`e1` takes no clicks now: the page has turned them off there (`pointer-events: none`), as it does beside an open menu or dialog. Close that first, such as by the key `Escape`."
    );
}
