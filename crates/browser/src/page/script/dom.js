// The properties of nodes, read past what a page has put before them.

// As functions whose first argument is the object: the quickest form, and these are called for every node of a page.
const unbound = Function.prototype.bind.bind(Function.prototype.call);
const getter = (prototype, name) => unbound(Reflect.getOwnPropertyDescriptor(prototype, name).get);
const setter = (prototype, name) => unbound(Reflect.getOwnPropertyDescriptor(prototype, name).set);
const method = (prototype, name) => unbound(prototype[name]);
const N = Node.prototype;
const E = Element.prototype;
const H = HTMLElement.prototype;
const D = Document.prototype;
const page = document;
const nodeType = getter(N, 'nodeType');
const nodeValue = getter(N, 'nodeValue');
const firstChild = getter(N, 'firstChild');
const nextSibling = getter(N, 'nextSibling');
const parentNode = getter(N, 'parentNode');
const isConnected = getter(N, 'isConnected');
const textContent = getter(N, 'textContent');
const rootNode = method(N, 'getRootNode');
const dispatch = method(EventTarget.prototype, 'dispatchEvent');
const listen = method(EventTarget.prototype, 'addEventListener');
const unlisten = method(EventTarget.prototype, 'removeEventListener');
const plainName = getter(E, 'localName');
const namespaceOf = getter(E, 'namespaceURI');
const HTML = 'http://www.w3.org/1999/xhtml';
const SVG = 'http://www.w3.org/2000/svg';
const MATH = 'http://www.w3.org/1998/Math/MathML';
// An element of another namespace that is called `input` is none.
const nameIn = (space, name) => {
  if (space === HTML) return name;
  if (space === MATH) return `math:${name}`;
  if (space !== SVG) return `x-${name}`;
  return name === 'svg' || name === 'title' || name === 'style' || name === 'script' ? name : `svg:${name}`;
};
const shadowRoot = getter(E, 'shadowRoot');
const assignedSlot = getter(E, 'assignedSlot');
const attribute = method(E, 'getAttribute');
const setAttribute = method(E, 'setAttribute');
const hasAttribute = method(E, 'hasAttribute');
const hasAttributes = method(E, 'hasAttributes');
const attributeNames = method(E, 'getAttributeNames');
const firstElement = getter(E, 'firstElementChild');
const nextElement = getter(E, 'nextElementSibling');
const matches = method(E, 'matches');
const closest = method(E, 'closest');
const queryAll = method(E, 'querySelectorAll');
const query = method(E, 'querySelector');
const queryDocument = method(D, 'querySelectorAll');
const queryFirst = method(D, 'querySelector');
const queryRoot = method(DocumentFragment.prototype, 'querySelectorAll');
const boxOf = method(E, 'getBoundingClientRect');
const boxesOf = method(E, 'getClientRects');
const isRendered = method(E, 'checkVisibility');
const scrollTo = method(E, 'scrollIntoView');
const clientLeft = getter(E, 'clientLeft');
const clientTop = getter(E, 'clientTop');
const clientWidth = getter(E, 'clientWidth');
const offsetWidth = getter(H, 'offsetWidth');
const offsetHeight = getter(H, 'offsetHeight');
const innerText = getter(H, 'innerText');
const isEditableContent = getter(H, 'isContentEditable');
const assignedNodes = method(HTMLSlotElement.prototype, 'assignedNodes');
const documentElement = getter(D, 'documentElement');
const scrollingElement = getter(D, 'scrollingElement');
const titleOf = getter(D, 'title');
const addressOf = getter(D, 'URL');
const scrollWidth = getter(E, 'scrollWidth');
const scrollHeight = getter(E, 'scrollHeight');
const clientHeight = getter(E, 'clientHeight');
const scrollLeft = getter(E, 'scrollLeft');
const scrollTop = getter(E, 'scrollTop');
const bodyOf = getter(D, 'body');
const designMode = getter(D, 'designMode');
const byPoint = method(D, 'elementFromPoint');
const shadowByPoint = method(ShadowRoot.prototype, 'elementFromPoint');
const hostOf = getter(ShadowRoot.prototype, 'host');
const activeIn = getter(D, 'activeElement');
const shadowActive = getter(ShadowRoot.prototype, 'activeElement');
const byId = method(D, 'getElementById');
const newElement = method(D, 'createElement');
const shadowById = method(DocumentFragment.prototype, 'getElementById');
const inputType = getter(HTMLInputElement.prototype, 'type');
const inputValue = getter(HTMLInputElement.prototype, 'value');
const isChecked = getter(HTMLInputElement.prototype, 'checked');
const isMixed = getter(HTMLInputElement.prototype, 'indeterminate');
const fileName = getter(File.prototype, 'name');
const naturalWidth = getter(HTMLImageElement.prototype, 'naturalWidth');
const inputFiles = getter(HTMLInputElement.prototype, 'files');
const areaValue = getter(HTMLTextAreaElement.prototype, 'value');
const selectOptions = getter(HTMLSelectElement.prototype, 'options');
const meterValue = getter(HTMLMeterElement.prototype, 'value');
const meterMax = getter(HTMLMeterElement.prototype, 'max');
const progressPosition = getter(HTMLProgressElement.prototype, 'position');
const isMultiple = getter(HTMLSelectElement.prototype, 'multiple');
const shownOptions = getter(HTMLSelectElement.prototype, 'size');
const optionSelected = getter(HTMLOptionElement.prototype, 'selected');
const selectOption = setter(HTMLOptionElement.prototype, 'selected');
const optionLabel = getter(HTMLOptionElement.prototype, 'label');
const optionValue = getter(HTMLOptionElement.prototype, 'value');
const setInputValue = setter(HTMLInputElement.prototype, 'value');
const selectInput = method(HTMLInputElement.prototype, 'select');
const selectArea = method(HTMLTextAreaElement.prototype, 'select');
const labelControl = getter(HTMLLabelElement.prototype, 'control');
const pathOf = method(Event.prototype, 'composedPath');
const prevent = method(Event.prototype, 'preventDefault');
const stop = method(Event.prototype, 'stopImmediatePropagation');
/** What stays with an element for as long as it lives: its name, and the style that says what holds now. One object serves every look. */
class Known {
  constructor(element) {
    const name = plainName(element);
    this.name = nameIn(namespaceOf(element), name);
    /** Whether it may have a shadow root, and with it show something else instead of its own text, which has no place then. */
    this.mayKeepRoot = HOSTS.has(name) || name.includes('-');
    this.style = null;
  }

  styleOf(element) {
    return this.style ??= getComputedStyle(element);
  }
}
const knownElements = new WeakMap();
const knownOf = (element) => {
  let known = knownElements.get(element);
  if (known === undefined) knownElements.set(element, known = new Known(element));
  return known;
};
// Only what is walked is kept: a page may have a hundred thousand rows of which eight are.
const localName = (element) => knownElements.get(element)?.name ?? nameIn(namespaceOf(element), plainName(element));
const styleOf = (element) => knownOf(element).styleOf(element);
const generatedStyleOf = (element, place) => getComputedStyle(element, place);
const styleSheets = getter(D, 'styleSheets');
const adoptedSheets = getter(D, 'adoptedStyleSheets');
const compatMode = getter(D, 'compatMode');
const animationsOf = method(D, 'getAnimations');
const newRange = method(D, 'createRange');
const rangeAll = method(Range.prototype, 'selectNodeContents');
const rangeBox = method(Range.prototype, 'getBoundingClientRect');
const isElement = (node) => node !== null && nodeType(node) === 1;
