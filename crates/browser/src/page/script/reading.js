// The text for reading, as simple HTML.

const KEPT = new Set(['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'p', 'ul', 'ol', 'li', 'table', 'thead', 'tbody', 'tr', 'td', 'th', 'caption', 'pre', 'code', 'blockquote',
  'a', 'em', 'strong', 'b', 'i', 'del', 's', 'strike', 'sup', 'br', 'hr', 'dl', 'dt', 'dd', 'img', 'main', 'article', 'section', 'nav', 'aside', 'header', 'footer', 'figure', 'figcaption']);
const OWN_ATTRIBUTES = { __proto__: null, td: ['colspan'], th: ['colspan'], ol: ['start', 'reversed'], li: ['value'] };
const VOID = new Set(['br', 'hr', 'img']);
const escape = (text) => text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);
const readable = (id, most) => {
  const look = new Look({});
  let html = '';
  const readPart = ([before = '', marks = null] = [], read) => {
    html += before + (marks === RAISED ? '<sup>' : marks === GROUPED ? '(' : '');
    read();
    html += marks === RAISED ? '</sup>' : marks === GROUPED ? ')' : '';
  };
  const visit = (node, around) => {
    if (html.length > most || look.isFull()) return;
    if (nodeType(node) === 3) {
      const raw = nodeValue(node);
      if (/\S/.test(raw) && !around.shows(node)) return;
      html += escape(raw.replace(INVISIBLE, ''));
      return;
    }
    if (!isElement(node)) return;
    if (around !== null && around.depth >= MAX_DEPTH) {
      look.isLeftOut = true;
      return;
    }
    const name = localName(node);
    if (SKIPPED.has(name)) return;
    const style = styleOf(node);
    const { display } = style;
    if (display === 'none') return;
    if (display === '') {
      if (isElement(parentNode(node))) suspect(parentNode(node));
      return;
    }
    suspectHost(node, name);
    const sight = new Sight(node, name, style, display, around);
    if (name === 'input' || name === 'select' || name === 'textarea') return;
    const tag = KEPT.has(name) ? name : standsInLine(name, display) || display === 'contents' ? '' : 'div';
    if (tag !== '') {
      const href = name === 'a' ? attribute(node, 'href') : null;
      const alt = name === 'img' && sight.showsPicture() ? attribute(node, 'alt') : null;
      const given = [['href', href], ['alt', alt], ...(OWN_ATTRIBUTES[name] ?? []).map((own) => [own, attribute(node, own)])];
      html += `<${tag}${given.map(([own, value]) => (value === null ? '' : ` ${own}="${escape(value)}"`)).join('')}>`;
    }
    const put = (place) => { if (closest(node, 'pre') === null) html += escape(generatedText(sight, place).replace(INVISIBLE, '')); };
    put('::before');
    if (name === 'rt') html += '(';
    if (name === 'math:msqrt') html += '√(';
    const formula = FORMULAS.get(name);
    if (formula === undefined) for (const child of childrenIn(node, name)) visit(child, sight);
    else childrenIn(node, name).filter(isElement).forEach((child, at) => readPart(formula[at], () => visit(child, sight)));
    if (name === 'rt' || name === 'math:msqrt') html += ')';
    put('::after');
    if (tag !== '' && !VOID.has(tag)) html += `</${tag}>`;
  };
  const element = id === 0 ? documentElement(page) : elements.get(id);
  if (element === undefined || element === null || !isConnected(element)) return JSON.stringify({ gone: true });
  visit(element, id === 0 ? null : sightAround(element));
  return JSON.stringify({ html, cut: html.length > most || look.cut || look.isLeftOut, suspects: asked(), title: clean(titleOf(page)).trim() });
};
