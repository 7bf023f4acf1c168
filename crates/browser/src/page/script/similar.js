// What says the same as an element that is gone.

/** Living controls that say what a lost one said. */
const similar = (role, name, most) => {
  active = deepActive();
  const same = [];
  const near = [];
  const until = performance.now() + 300;
  const visit = (root) => {
    for (let at = firstChild(root); at !== null; at = nextSibling(at)) {
      if (!isElement(at) || performance.now() > until) continue;
      if (controlRole(at, localName(at)) === role && isRendered(at)) {
        const now = said(at);
        if (now.name === name) same.push(at);
        else if (near.length < most && now.name !== '' && (now.name.includes(name) || name.includes(now.name))) near.push(at);
      }
      if (same.length >= most) return;
      visit(at);
      if (rootOf(at) !== null) visit(rootOf(at));
    }
  };
  visit(page);
  return JSON.stringify([...same, ...near].slice(0, most).map(lineOf));
};
