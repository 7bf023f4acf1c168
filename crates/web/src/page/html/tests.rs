//! What pages look like as Markdown and as text, whole.

use super::super::print::{markdown, plain};
use super::*;

/// The page of a main part: as Markdown, and as text.
fn read_main(html: &str) -> (String, String) {
    let url = Url::parse("http://site.example/").unwrap();
    let html = format!("<!doctype html><title>T</title><body><main>{html}");
    let blocks = read(&html, &url, Syntax::Html).blocks;
    (markdown(&blocks), plain(&blocks))
}

#[track_caller]
fn assert_read(table: &[(&str, &str, &str)]) {
    for (html, as_markdown, as_text) in table {
        let expected = ((*as_markdown).to_owned(), (*as_text).to_owned());
        assert_eq!(read_main(html), expected, "{html}");
    }
}

#[test]
fn superscripts_are_set_apart_from_what_is_below_them() {
    assert_read(&[
        (
            "<p>10<sup>−9</sup> x<sup>2n+1</sup> f<sup>(n)</sup> e<sup>−x²</sup> 10<sup>-3</sup> 2<sup>32</sup></p>",
            "10^−9 x^(2n+1) f^(n) e^(−x²) 10^-3 2^32",
            "10^−9 x^(2n+1) f^(n) e^(−x²) 10^-3 2^32",
        ),
        (
            "<p>10<b><sup>6</sup></b> or <code>2<sup>2n</sup></code></p><pre>2<sup>64</sup></pre>",
            "10**^6** or `2^(2n)`\n\n```\n2^64\n```",
            "10^6 or 2^(2n)\n\n2^64",
        ),
        (
            "<p>Name<sup>®</sup> word<sup>[1]</sup> said<sup><a href=#n>2</a></sup> <sup>14</sup>C</p>",
            "Name® word[1] said2 14C",
            "Name® word[1] said2 14C",
        ),
    ]);
}

#[test]
fn a_link_stays_one_whatever_brackets_and_signs_are_beside_it() {
    assert_read(&[
        (
            "<p><a href=/x>c[iao</a> <a href=/x>a] [b] `</a> <a href=/x><code>x[</code></a></p>",
            "[c\\[iao](http://site.example/x) [a\\] [b] \\`](http://site.example/x) [`x[`](http://site.example/x)",
            "c[iao a] [b] ` x[",
        ),
        (
            "<p>Look!<a href=/x>here</a></p>",
            "Look\\![here](http://site.example/x)",
            "Look!here",
        ),
    ]);
}

#[test]
fn breaks_at_the_edges_of_marks_still_end_a_line() {
    assert_read(&[
        ("<p>one<b><br></b>two</p>", "one\\\ntwo", "one\ntwo"),
        (
            "<p>one<strong><br>two</strong></p>",
            "one\\\n**two**",
            "one\ntwo",
        ),
        (
            "<p>one<strong>two<br></strong>three</p>",
            "one**two**\\\nthree",
            "onetwo\nthree",
        ),
        ("<p>one<a href=/x><br></a>two</p>", "one\\\ntwo", "one\ntwo"),
        (
            "<p>one<a href=/x><i>two<br></i></a>three</p>",
            "one[*two*](http://site.example/x)\\\nthree",
            "onetwo\nthree",
        ),
        ("<p>one<sup><br></sup>two", "one\\\ntwo", "one\ntwo"),
        ("<p>one<del><br></del>two", "one\\\ntwo", "one\ntwo"),
        ("<p><br>one <br></p>", "one", "one"),
        ("<h2>Two<br>Lines</h2>", "## Two Lines", "Two\nLines"),
    ]);
}

#[test]
fn code_keeps_its_breaks_and_the_spaces_around_it() {
    assert_read(&[
        (
            "<p>use<code> npm </code>now, <code>foo </code>bar, x<kbd> y</kbd></p>",
            "use `npm` now, `foo` bar, x `y`",
            "use npm now, foo bar, x y",
        ),
        ("<p>one<code> </code>two</p>", "one two", "one two"),
        (
            "<p>run <code>npm i<br>npm test</code></p>",
            "run `npm i`\\\n`npm test`",
            "run npm i\nnpm test",
        ),
        (
            "<fieldset><legend>Leg</legend>fs</fieldset>",
            "Leg\n\nfs",
            "Leg\n\nfs",
        ),
        (
            "<pre><table><tr><td>1<td>code1<tr><td>2<td>code2</table></pre>",
            "```\n1\tcode1\n2\tcode2\n```",
            "1\tcode1\n2\tcode2",
        ),
    ]);
}

#[test]
fn items_have_the_numbers_and_boxes_that_readers_see() {
    assert_read(&[
        (
            "<ol start=5><li>a<li value=10>b<li>c</ol><p>and</p><ol reversed><li>x<li>y</ol>",
            "5. a\n10. b\n11. c\n\nand\n\n2. x\n1. y",
            "5. a\n10. b\n11. c\n\nand\n\n2. x\n1. y",
        ),
        ("<ol><li>a<li><li>c</ol>", "1. a\n3. c", "1. a\n3. c"),
        (
            "<ul><li><input type=checkbox checked disabled> done<li><input type=CHECKBOX disabled> open<li>no box</ul>",
            "- [x] done\n- [ ] open\n- no box",
            "- [x] done\n- [ ] open\n- no box",
        ),
        (
            "<table><tr><th>a<th>b<tr><td><ol start=3><li>x<li>y</ol><td>z</table>",
            "| a | b |\n| --- | --- |\n| 3. x<br>4. y | z |",
            "a\tb\n3. x 4. y\tz",
        ),
    ]);
}

#[test]
fn backslashes_before_signs_are_escaped() {
    assert_read(&[
        (
            r"<p>C:\dir\*.txt and \*x\* in C:\dir\sub</p>",
            r"C:\dir\\\*.txt and \\\*x\\\* in C:\dir\sub",
            r"C:\dir\*.txt and \*x\* in C:\dir\sub",
        ),
        (
            r"<p><b>C:\</b><code>x</code> a\<b>c</b> \<br>d\</p>",
            "**C:\\\\**`x` a\\\\**c** \\\\\\\nd\\",
            "C:\\x a\\c \\\nd\\",
        ),
    ]);
}

#[test]
fn a_mark_inside_of_the_same_mark_adds_nothing() {
    assert_read(&[
        (
            "<p><strong><b>Note:</b> text</strong> <b>a <strong>b</strong> c</b> <i>x <b>y <i>z</i></b></i></p>",
            "**Note: text** **a b c** *x **y z***",
            "Note: text a b c x y z",
        ),
        (
            "<dl><dt><b>Term</b> one<dd>Text</dl>",
            "**Term one**\n\nText",
            "Term one\n\nText",
        ),
    ]);
}

#[test]
fn styles_separate_and_colour_what_is_shown() {
    assert_read(&[
        (
            "<span style='display:block'>first</span>second<span style='display:block'>third</span>",
            "first\n\nsecond\n\nthird",
            "first\n\nsecond\n\nthird",
        ),
        (
            "<a href=/a style='display: block'>one</a><a href=/b style='display: block'>two</a>",
            "[one](http://site.example/a)\n\n[two](http://site.example/b)",
            "one\n\ntwo",
        ),
        (
            "<h1 style='background:linear-gradient(90deg,red,blue);-webkit-background-clip:text;color:transparent'>Gradient title</h1><p>x</p>",
            "## Gradient title\n\nx",
            "Gradient title\n\nx",
        ),
    ]);
}

#[test]
fn columns_in_which_no_cell_begins_are_left_out() {
    assert_read(&[(
        "<table><tr><td>a<td>b<tr><td colspan=100>total</table>",
        "| a | b |\n| --- | --- |\n| total |  |",
        "a\tb\ntotal",
    )]);
}

#[test]
fn declared_shadow_roots_are_shown_with_the_children_of_their_hosts() {
    assert_read(&[
        (
            "<my-el><template shadowrootmode=open><style>.a{display:none}</style><p>shadow <slot></slot></p></template><span class=a>light</span></my-el>",
            "shadow light",
            "shadow light",
        ),
        (
            "<div><template shadowrootmode=closed><h2><slot name=t>None</slot></h2><p>before<slot name=none>, fallback</slot></template>\
             <b slot=t>Title</b><i>not in a slot</i></div><p>after <x-a>in <template shadowrootmode=open>a <x-b><template shadowrootmode=open>(<slot></slot>)</template><slot></slot></x-b></template>line</x-a>.</p>",
            "## **Title**\n\nbefore, fallback\n\nafter a (in line).",
            "Title\n\nbefore, fallback\n\nafter a (in line).",
        ),
        (
            "<template><p>no root</p></template><ul><template shadowrootmode=open>no host</template><li>item</ul>",
            "- item",
            "- item",
        ),
    ]);
}

#[test]
fn empty_elements_of_xhtml_end_where_they_begin() {
    let page = "<html xmlns='http://www.w3.org/1999/xhtml'><head><title/><script src='a.js'/><style/></head>\
        <body><h1>Head</h1><p>one<br/>two <textarea/><iframe/><a id='x'/>three <![CDATA[a < b]]></p><div/><p>four</p></body></html>";
    let url = Url::parse("http://site.example/").unwrap();
    let read = |syntax| markdown(&read(page, &url, syntax).blocks);
    assert_eq!(
        read(Syntax::Xhtml),
        "## Head\n\none\\\ntwo three a < b\n\nfour"
    );
    assert_eq!(read(Syntax::Html), "");
}
