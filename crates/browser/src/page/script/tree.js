// The tree that a user sees: shadow roots in the place of what their hosts hold.

// Roots that pages keep to themselves, by their hosts. The browser says which there are, since no script can.
const closedRoots = new WeakMap();
const rootOf = (element) => shadowRoot(element) ?? closedRoots.get(element) ?? null;
const adopt = (root) => {
  closedRoots.set(hostOf(root), root);
  return '{}';
};

// Whether an element keeps a root to itself is asked of the browser, but only of those that look as if: it takes its time.
const HOSTS = new Set(['article', 'aside', 'blockquote', 'body', 'div', 'footer', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'header', 'main', 'nav', 'p', 'section', 'span']);
const SUSPECTS_MAX = 64;
const cleared = new WeakMap();
const suspects = new Set();
const suspect = (element) => {
  if (suspects.size >= SUSPECTS_MAX || rootOf(element) !== null) return;
  const box = boxOf(element);
  const look = `${Math.round(box.width)}x${Math.round(box.height)}${matches(element, ':defined')}`;
  if (cleared.get(element) === look) return;
  cleared.set(element, look);
  suspects.add(element);
};
/** Elements of its own making, and those that hold nothing but have a size. */
const suspectHost = (element, name) => {
  if (name.includes('-')) {
    if (namespaceOf(element) === HTML) suspect(element);
  } else if (firstChild(element) === null && HOSTS.has(name)) {
    const box = boxOf(element);
    if (box.width > 1 && box.height > 1) suspect(element);
  }
};
const range = newRange(page);
/** Whether letters have a place on the page. Those in a host without a slot have none. */
const hasPlace = (node, raw) => {
  const at = raw.search(/\S/);
  rangeStart(range, node, at);
  rangeEnd(range, node, at + 1);
  return rangeBoxes(range).length > 0;
};
/** The most text of an element for which the browser is asked once for all of it. */
const PLACED_MAX = 20000;
/** As `\s` has it. */
const isSpace = (code) => code === 32 || (code >= 9 && code <= 13) || (code >= 160 && WIDE_SPACES.has(code));
const WIDE_SPACES = new Set([0xa0, 0x1680, 0x2028, 0x2029, 0x202f, 0x205f, 0x3000, 0xfeff, ...Array.from({ length: 11 }, (_, at) => 0x2000 + at)]);
/** Whether two texts have the same letters, spaces aside. */
const isSameButSpace = (one, other) => {
  let at = 0;
  for (let i = 0; i < one.length; i++) {
    const code = one.charCodeAt(i);
    if (isSpace(code)) continue;
    while (at < other.length && isSpace(other.charCodeAt(at))) at++;
    if (at >= other.length || other.charCodeAt(at++) !== code) return false;
  }
  while (at < other.length && isSpace(other.charCodeAt(at))) at++;
  return at === other.length;
};
/** Whether all text of an element has a place: what the browser would copy of it is all that it holds. Quicker than to ask for each. */
const isAllPlaced = (element) => {
  if (!(element instanceof HTMLElement)) return false;
  const all = textContent(element);
  if (all.length > PLACED_MAX) return false;
  const placed = innerText(element);
  return placed === all || placed === all.trim() || isSameButSpace(placed, all);
};

const isCalled = (element, name) => plainName(element) === name && namespaceOf(element) === HTML;
const childrenOf = (node) => {
  if (isElement(node)) {
    const name = plainName(node);
    // No other element can have a root.
    const shadow = HOSTS.has(name) || name.includes('-') ? rootOf(node) : null;
    if (shadow !== null) node = shadow;
    else if (name === 'slot' && isCalled(node, 'slot')) {
      const given = assignedNodes(node, { flatten: true });
      if (given.length > 0) return [...given];
    } else if (name === 'details' && isCalled(node, 'details') && !hasAttribute(node, 'open')) {
      for (let child = firstChild(node); child !== null; child = nextSibling(child)) {
        if (isElement(child) && localName(child) === 'summary') return [child];
      }
      return [];
    }
  }
  const children = [];
  for (let child = firstChild(node); child !== null; child = nextSibling(child)) children.push(child);
  return children;
};
const parentOf = (node) => {
  if (isElement(node)) {
    const slot = assignedSlot(node);
    if (slot !== null) return slot;
  }
  const parent = parentNode(node);
  return parent instanceof ShadowRoot ? hostOf(parent) : parent;
};
const isWithin = (node, ancestor) => {
  for (let at = node; at !== null; at = parentOf(at)) if (at === ancestor) return true;
  return false;
};
const idIn = (element, id) => {
  const root = rootNode(element);
  if (root === page) return byId(page, id);
  return root instanceof ShadowRoot ? shadowById(root, id) : null;
};
