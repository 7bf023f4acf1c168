// Text that style sheets write before and after the content of elements.

// Signs of an icon font say nothing.
const PRIVATE = /[\ue000-\uf8ff\u{f0000}-\u{10ffff}]/gu;
/** The letters of a value of `content`; the alternative text where there is one. Numbers of counters are not known. */
const generatedLetters = (element, content) => {
  const words = content.replace(/(?:url|counters?)\((?:"(?:[^"\\]|\\.)*"|[^()"])*\)/g, '');
  const [letters, alternative] = words.split(/ \/ (?=["a])/);
  let text = '';
  for (const [, string, name] of (alternative ?? letters).matchAll(/"((?:[^"\\]|\\.)*)"|attr\(([\w-]+)[^()]*\)/g)) {
    text += string === undefined ? attribute(element, name) ?? '' : string.replace(/\\(.)/g, '$1');
  }
  return text.replace(PRIVATE, '');
};
/** What a style sheet writes before or after the content of an element, where it stands in the flow and can be seen. */
const generatedText = (sight, place) => {
  if (memory !== null && !(sight.isWrittenAround ??= memory.generators().mayConcern(sight))) return '';
  const style = generatedStyleOf(sight.element, place);
  const { content } = style;
  if (content === 'none' || content === 'normal' || !/["(]/.test(content)) return '';
  const text = generatedLetters(sight.element, content);
  if (!/\S/.test(text)) return text === '' ? '' : ' ';
  const { display } = style;
  if (display === 'none' || style.position === 'absolute' || style.position === 'fixed' || parseFloat(style.fontSize) < 2) return '';
  if (!new Sight(sight.element, sight.name, style, display, sight).isPainted() || sight.isGone()) return '';
  return display === 'inline' ? text : ` ${text} `;
};

// To ask the browser takes its time, twice for every element that is shown. The rules of the page say of most of them that there is nothing.

/** More rules than these take longer to read than what they spare. */
const RULES_MAX = 4000;
const WRITES_NOTHING = /^(?:none|normal|""|url\("(?:\\.|[^"\\])*"\))?$/;
/** Rules that say nothing of elements. Others that are not known here may. */
const SILENT_RULES = ['CSSFontFaceRule', 'CSSKeyframesRule', 'CSSPropertyRule', 'CSSLayerStatementRule', 'CSSNamespaceRule', 'CSSCounterStyleRule', 'CSSPageRule',
  'CSSFontFeatureValuesRule', 'CSSFontPaletteValuesRule', 'CSSViewTransitionRule', 'CSSPositionTryRule'].filter((name) => Object.hasOwn(globalThis, name)).map((name) => globalThis[name]);
/** Where a selector names the place before or after, and what such a name may be a part of. */
const IN_SELECTOR = /\\.|"(?:\\.|[^"\\])*"|::?(?:before|after)(?![\w-])|::|[()[\],]/g;
/** Selectors of the elements before or after whose content something of a rule stands. */
const ownersIn = remembered((selector) => {
  const owners = [];
  let depth = 0;
  let start = 0;
  // What stands around a part of an element does not stand around the element.
  let isOfPart = false;
  for (const { 0: part, index } of selector.matchAll(IN_SELECTOR)) {
    if (part === '(' || part === '[') depth++;
    else if (part === ')' || part === ']') depth--;
    else if (depth > 0) continue;
    else if (part === ',') {
      start = index + 1;
      isOfPart = false;
    } else if (part === '::') isOfPart = true;
    else if (part[0] === ':' && !isOfPart) {
      const owner = selector.slice(start, index).trimStart();
      owners.push(owner === '' || /[\s>+~]$/.test(owner) ? `${owner}*` : owner);
    }
  }
  return owners;
});
/** What every element of a selector has: `#id`, `.class` or a name; nothing where it is not easily said. */
const keyOf = remembered((selector) => {
  if (/[\\|]/.test(selector)) return '';
  let plain = selector.replace(/"[^"]*"/g, '');
  for (let before = ''; before !== plain;) {
    before = plain;
    plain = plain.replace(/\([^()]*\)|\[[^[\]]*\]/g, '');
  }
  const [last] = /[^\s>+~]*$/.exec(plain);
  const [key] = /#[^.#:]+/.exec(last) ?? /\.[^.#:]+/.exec(last) ?? /^[^.#:*]*/.exec(last);
  return key[0] === '#' || key[0] === '.' ? key : key.toLowerCase();
});
/** Whether declarations may write something. Those of `all` are given for `content` as well. */
const mayWrite = (style) => !WRITES_NOTHING.test(style.content);

/** Which elements of a document may have text of style sheets around their content. */
class Generators {
  constructor() {
    /** Lists of selectors by what their elements have. */
    this.lists = new Map();
    this.rules = 0;
    /** Whether names of classes differ by the case of their letters. */
    this.isExact = compatMode(page) !== 'BackCompat';
    try {
      for (const sheet of [...styleSheets(page), ...adoptedSheets(page)]) this.read(sheet.cssRules, false);
      for (const list of this.lists.values()) matches(documentElement(page), list);
      this.isKnown = true;
    } catch {
      // A sheet of another origin, or what is not understood.
      this.isKnown = false;
    }
  }

  read(rules, isNested) {
    const { length } = rules;
    this.rules += length;
    if (this.rules > RULES_MAX) throw new RangeError();
    for (let at = 0; at < length; at++) {
      const rule = rules[at];
      if (rule instanceof CSSStyleRule) this.readStyle(rule, isNested);
      else if (rule instanceof CSSGroupingRule) this.read(rule.cssRules, isNested);
      else if (rule instanceof CSSImportRule) this.read(rule.styleSheet?.cssRules ?? [], isNested);
      else if (!(isNested && rule.cssRules === undefined) && !SILENT_RULES.some((kind) => rule instanceof kind)) throw new TypeError();
    }
  }

  readStyle(rule, isNested) {
    const { cssRules } = rule;
    const isOuter = cssRules.length > 0;
    // To have a selector written takes the browser longer than the declaration, which few rules have.
    if (isOuter || mayWrite(rule.style)) {
      const { selectorText } = rule;
      if (selectorText.includes(':before') || selectorText.includes(':after')) {
        // For whom it holds hangs on what is around it.
        if (isNested || /&|:scope/.test(selectorText)) throw new TypeError();
        for (const owner of ownersIn(selectorText)) this.add(this.isExact ? keyOf(owner) : '', owner);
      }
    }
    if (isOuter) this.read(cssRules, true);
  }

  add(key, selector) {
    const list = this.lists.get(key);
    this.lists.set(key, list === undefined ? selector : `${list},${selector}`);
  }

  mayConcern(sight) {
    if (!this.isKnown || sight.isInShadow()) return true;
    if (this.lists.size === 0) return false;
    const { element } = sight;
    const isAmong = (key) => this.lists.has(key) && matches(element, this.lists.get(key));
    if (isAmong('') || isAmong(plainName(element).toLowerCase())) return true;
    if (!hasAttributes(element)) return false;
    const classes = attribute(element, 'class');
    if (classes !== null && classes.split(/\s+/).some((name) => isAmong(`.${name}`))) return true;
    return isAmong(`#${attribute(element, 'id')}`);
  }
}
