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
  } else if (HOSTS.has(name) && firstChild(element) === null) {
    const box = boxOf(element);
    if (box.width > 1 && box.height > 1) suspect(element);
  }
};
const range = newRange(page);
/** Where a text, or all that is in an element, stands. Text in a host without a slot stands nowhere. */
const boxOfContent = (node) => {
  rangeAll(range, node);
  return rangeBox(range);
};

const isCalled = (element, name) => plainName(element) === name && namespaceOf(element) === HTML;
const childrenOf = (node) => childrenIn(node, isElement(node) ? plainName(node) : '');
/** The same of a node whose name is known. */
const childrenIn = (node, name) => {
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
