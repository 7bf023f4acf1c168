//! What is raised, struck or numbered: without a sign of it other values would be read.

use crate::web::{Stage, allow, never, scripting};

const VALUES: &str = "<p>Price: <del>$100</del> <ins>$80</ins>, was <s>$120</s>. 10<sup>6</sup> people, x<sup>2n</sup>, Name<sup>®</sup>, note<sup>[1]</sup><s><i style='opacity:0'>gone</i></s></p>
 <ol start=5><li>five<li>six</ol><ol reversed><li>c<li>b<li>a</ol><ol><li value=10>ten<li>eleven</ol><ol style='list-style:none'><li>bare</ol><ul><li>point</ul>";

#[tokio::test(flavor = "multi_thread")]
async fn powers_struck_prices_and_numbers_of_lists_are_shown_as_what_they_are() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let page = stage.open(VALUES).await;
    assert_eq!(
        (page.snapshot.text.as_str(), page.snapshot.hidden_characters),
        (
            "Price: ~~$100~~ $80, was ~~$120~~. 10^6 people, x^(2n), Name®, note[1]\n5. five\n6. six\n3. c\n2. b\n1. a\n10. ten\n11. eleven\n- bare\n- point",
            4
        )
    );
    let text = stage
        .session
        .text(None, None, 0, None, None, &never())
        .await;
    assert_eq!(
        text.unwrap().text.trim(),
        "Price: ~~$100~~ $80, was ~~$120~~. 10^6 people, x^(2n), Name®, note[1]\n\n5. five\n6. six\n\n3. c\n2. b\n1. a\n\n10. ten\n11. eleven\n\n1. bare\n\n- point"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn options_with_the_same_label_are_named_with_their_group() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let page = stage
        .open("<select aria-label=Place><optgroup label=Countries><option value=c>Georgia<option value=n>Norway<optgroup label=States><option value=s selected>Georgia</select>")
        .await;
    assert_eq!(
        page.snapshot.text,
        "combobox \"Place\" [e1] =\"States: Georgia\" (options: Countries: Georgia | Countries: Norway | States: Georgia)"
    );
    let select = async |value: &str| {
        let values = [value.to_owned()];
        let options = Default::default();
        let chosen = stage
            .session
            .select("e1", &values, &options, &never())
            .await;
        chosen.unwrap().snapshot.unwrap().text
    };
    assert_eq!(
        select("Countries: Georgia").await,
        "combobox \"Place\" [e1] =\"Countries: Georgia\" (options: Countries: Georgia | Countries: Norway | States: Georgia)"
    );
    assert_eq!(
        select("Norway").await,
        "combobox \"Place\" [e1] =\"Norway\" (options: Countries: Georgia | Countries: Norway | States: Georgia)"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_searched_for_is_no_secret() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let page = stage
        .open("<input role=combobox autocomplete=new-password value=abc aria-label=A><input autocomplete=new-password value=abc aria-label=B><input type=password role=combobox autocomplete=new-password value=abc aria-label=C>")
        .await;
    assert_eq!(
        page.snapshot.text,
        "combobox \"A\" [e1] =\"abc\"\ntextbox \"B\" [e2] =\"••••••\"\ncombobox \"C\" [e3] =\"••••••\""
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn readings_stand_beside_their_words_and_formulas_in_a_line() {
    let Some(stage) = Stage::new().await else {
        return;
    };
    let page = stage
        .open("<p>これは<ruby>漢<rp>(</rp><rt>かん</rt><rp>)</rp>字<rt>じ</rt></ruby>です。</p><p>Let <math><mfrac><mi>a</mi><mrow><mi>b</mi><mo>+</mo><mn>1</mn></mrow></mfrac><mo>=</mo><msup><mi>x</mi><mrow><mo>-</mo><msup><mi>z</mi><mn>2</mn></msup></mrow></msup><msub><mi>y</mi><mi>i</mi></msub><msqrt><mn>2</mn><mi>q</mi></msqrt></math> be.</p>")
        .await;
    assert_eq!(
        page.snapshot.text,
        "これは漢(かん)字(じ)です。\nLet a/(b+1)=x^(-z^2)y_i√(2q) be."
    );
    let text = stage
        .session
        .text(None, None, 0, None, None, &never())
        .await;
    assert_eq!(
        text.unwrap().text.trim(),
        "これは漢(かん)字(じ)です。\n\nLet (a)/(b+1)=x^(-z^2)y_(i)√(2q) be."
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_look_after_another_one_shows_every_line_as_it_is_now() {
    let Some(stage) = Stage::with(allow(), scripting()).await else {
        return;
    };
    stage
        .open("<ul id=list></ul><script>const add = (at, text) => { const it = document.createElement('li'); it.innerHTML = `${text} <button>B</button>`; list.insertBefore(it, list.children[at] ?? null) }; const keep = (at) => list.children[at]; for (let i = 0; i < 9; i++) add(i, `Item ${i}`)</script>")
        .await;
    let mut lines: Vec<String> = (0..9).map(|number| format!("Item {number}")).collect();
    let mut random = 7_usize;
    for step in 0..60 {
        random = random.wrapping_mul(1_103_515_245).wrapping_add(12_345) % 2_147_483_648;
        let (at, other) = ((random >> 8) % lines.len(), (random >> 16) % lines.len());
        let text = format!("Step {step}");
        let script = match random % 5 {
            0 if lines.len() < 10 => {
                lines.insert(at, text.clone());
                format!("add({at}, '{text}')")
            }
            1 if lines.len() > 2 => {
                lines.remove(at);
                format!("keep({at}).remove()")
            }
            2 => {
                lines.swap(at, other);
                let (low, high) = (at.min(other), at.max(other));
                format!(
                    "{{ const [a, b] = [keep({low}), keep({high})]; const rest = b.nextSibling; a.before(b); list.insertBefore(a, rest === a ? null : rest) }}"
                )
            }
            3 => "1".to_owned(),
            _ => {
                lines[at].clone_from(&text);
                format!("keep({at}).firstChild.data = '{text} '")
            }
        };
        stage.script(&format!("{script}; 1")).await;
        let shown = stage.look().await.text;
        // Their buttons stand in lines of their own.
        let shown = shown.lines().filter(|line| !line.starts_with("button"));
        let shown: Vec<&str> = shown
            .map(|line| line.trim_start_matches("- ").trim_end_matches(" [new]"))
            .collect();
        assert_eq!(shown, lines, "after {script}");
    }
}
