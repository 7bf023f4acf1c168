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
/** Whether declarations may write something, by their `content`: those of `all` are given for it as well. */
const mayWrite = (content) => content !== '' && !WRITES_NOTHING.test(content);
const ruleAt = method(CSSRuleList.prototype, 'item');
const StyleRule = CSSStyleRule;
const GroupingRule = CSSGroupingRule;
const ImportRule = CSSImportRule;
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
/** All rules of a document, by sheets. */
const rulesOfSheets = () => [...styleSheets(page), ...adoptedSheets(page)].map((sheet) => sheet.cssRules);

/** Which elements of a document may have text of style sheets around their content. */
class Generators {
  constructor() {
    /** Lists of selectors by what their elements have. */
    this.lists = new Map();
    /** Those of them that are for the classes of an attribute. */
    this.byClasses = new Map();
    this.hasIds = false;
    /** What was read: lists, each before its length, and rules with what they may write. */
    this.counts = [];
    this.rules = [];
    this.total = 0;
    this.hasImports = false;
    /** Whether names of classes differ by the case of their letters. */
    this.mode = compatMode(page);
    this.isExact = this.mode !== 'BackCompat';
    this.sheets = [];
    try {
      this.sheets = rulesOfSheets();
      for (const rules of this.sheets) this.read(rules, false);
      for (const list of this.lists.values()) matches(documentElement(page), list);
      this.isKnown = true;
    } catch {
      // A sheet of another origin, or what is not understood.
      this.isKnown = false;
    }
  }

  /** Whether all of it is still the same: scripts change rules without a sign. To look takes less than half of the time of reading. */
  isAsRead() {
    if (!this.isKnown || this.hasImports || compatMode(page) !== this.mode) return false;
    try {
      const sheets = rulesOfSheets();
      if (sheets.length !== this.sheets.length || !sheets.every((rules, at) => rules === this.sheets[at])) return false;
    } catch {
      return false;
    }
    const { counts, rules } = this;
    for (let at = 0; at < counts.length; at += 2) if (counts[at].length !== counts[at + 1]) return false;
    for (let at = 0; at < rules.length; at++) {
      const known = rules[at];
      if (ruleAt(known.list, known.place) !== known.rule) return false;
      if (known.style === null) continue;
      if (known.style.content !== known.content || known.inner.length !== known.count) return false;
      if (known.selector !== null && known.rule.selectorText !== known.selector) return false;
    }
    return true;
  }

  read(list, isNested) {
    const { length } = list;
    this.counts.push(list, length);
    this.total += length;
    if (this.total > RULES_MAX) throw new RangeError();
    for (let place = 0; place < length; place++) {
      const rule = ruleAt(list, place);
      const known = { list, place, rule, style: null, content: '', selector: null, inner: null, count: 0 };
      this.rules.push(known);
      if (rule instanceof StyleRule) this.readStyle(known, isNested);
      else if (rule instanceof GroupingRule) this.read(rule.cssRules, isNested);
      else if (rule instanceof ImportRule) this.readImport(rule, isNested);
      else if (!(isNested && rule.cssRules === undefined) && !SILENT_RULES.some((kind) => rule instanceof kind)) throw new TypeError();
    }
  }

  readImport(rule, isNested) {
    this.hasImports = true;
    const { styleSheet } = rule;
    if (styleSheet !== null) this.read(styleSheet.cssRules, isNested);
  }

  readStyle(known, isNested) {
    const { rule } = known;
    const { cssRules, style } = rule;
    known.style = style;
    known.content = style.content;
    known.inner = cssRules;
    known.count = cssRules.length;
    const isOuter = known.count > 0;
    // To have a selector written takes the browser longer than the declaration, which few rules have.
    if (isOuter || mayWrite(known.content)) {
      const { selectorText } = rule;
      known.selector = selectorText;
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
    this.hasIds ||= key[0] === '#';
  }

  mayConcern(sight) {
    if (!this.isKnown || sight.isInShadow()) return true;
    if (this.lists.size === 0) return false;
    const { element } = sight;
    const isAmong = (key) => this.lists.has(key) && matches(element, this.lists.get(key));
    if (isAmong('') || isAmong(plainName(element).toLowerCase())) return true;
    if (!hasAttributes(element)) return false;
    const classes = attribute(element, 'class');
    if (classes !== null && this.listsOf(classes).some((list) => matches(element, list))) return true;
    return this.hasIds && isAmong(`#${attribute(element, 'id')}`);
  }

  /** The lists for the classes of an attribute. */
  listsOf(classes) {
    let lists = this.byClasses.get(classes);
    if (lists === undefined) {
      lists = classes.split(/\s+/).map((name) => this.lists.get(`.${name}`)).filter((list) => list !== undefined);
      if (this.byClasses.size < RULES_MAX) this.byClasses.set(classes, lists);
    }
    return lists;
  }
}
let lastGenerators = null;
const generatorsNow = () => {
  if (lastGenerators === null || !lastGenerators.isAsRead()) lastGenerators = new Generators();
  return lastGenerators;
};
