// The view's side of MCP Apps (2026-01-26), and `window.tenon` for the content of a canvas.
(() => {
  'use strict'
  const PROTOCOL = '2026-01-26'
  const META = 'tenon/canvas'
  const EVENTS_KEPT = 20
  const given = JSON.parse(document.getElementById('tenon-state').textContent)
  // The content may replace these.
  const { parent, Map, Promise, Error, requestAnimationFrame } = window
  const post = parent === window ? () => {} : parent.postMessage.bind(parent)
  const stringify = JSON.stringify
  const waiting = new Map()
  const listeners = new Set()
  const recent = []
  let shown = given.hash
  let data = given.data
  let hostCapabilities = {}
  let requests = 0
  let isReady = parent === window
  /** @type {(() => void)[]} */
  let later = []

  const send = (message) => post({ jsonrpc: '2.0', ...message }, '*')
  const notify = (method, params) => send({ method, params })
  const request = (method, params) =>
    new Promise((resolve, reject) => {
      if (parent === window) return reject(new Error('This page is not shown by a host.'))
      requests += 1
      waiting.set(requests, { resolve, reject })
      send({ id: requests, method, params })
    })
  const whenReady = (work) => (isReady ? work() : later.push(work))

  function applyData(next) {
    data = next
    for (const listener of [...listeners]) call(listener)
  }
  function call(listener) {
    try {
      listener(data)
    } catch (error) {
      report(error)
    }
  }

  // Renders into this document, not into a frame: hosts differ in what they let a frame do.
  function render(html) {
    listeners.clear()
    document.body.innerHTML = html
    // Scripts that are parsed this way do not run.
    for (const script of [...document.body.querySelectorAll('script')]) {
      const copy = document.createElement('script')
      for (const { name, value } of script.attributes) copy.setAttribute(name, value)
      copy.async = false
      copy.textContent = script.textContent
      script.replaceWith(copy)
    }
  }

  function take(state) {
    if (!state || typeof state !== 'object') return
    if (given.id && state.canvasId && state.canvasId !== given.id) return
    if (typeof state.title === 'string') document.title = state.title
    if (typeof state.html === 'string' && state.hash !== shown) {
      shown = state.hash
      data = state.data
      render(state.html)
    } else if ('data' in state && stringify(state.data) !== stringify(data)) {
      applyData(state.data)
    }
  }

  function applyContext(context) {
    if (!context || typeof context !== 'object') return
    const root = document.documentElement
    if (context.theme === 'light' || context.theme === 'dark') {
      root.dataset.theme = context.theme
      root.style.colorScheme = context.theme
    }
    for (const [name, value] of Object.entries(context.styles?.variables ?? {})) {
      if (name.startsWith('--') && typeof value === 'string') root.style.setProperty(name, value)
    }
  }

  const handlers = {
    'ui/notifications/tool-result': (params) => take(params?._meta?.[META]),
    'ui/notifications/host-context-changed': applyContext,
  }

  window.addEventListener('message', (event) => {
    if (event.source !== parent || parent === window) return
    const message = event.data
    if (!message || message.jsonrpc !== '2.0') return
    const { id, method, params, result, error } = message
    if (method === undefined) {
      const asked = waiting.get(id)
      waiting.delete(id)
      if (error) asked?.reject(new Error(String(error.message)))
      else asked?.resolve(result)
    } else if (id === undefined) {
      handlers[method]?.(params)
    } else if (method === 'ping' || method === 'ui/resource-teardown') {
      send({ id, result: {} })
    } else {
      send({ id, error: { code: -32601, message: `There is no method ${method}.` } })
    }
  })

  function report(error) {
    const text = String(error?.stack ?? error?.message ?? error).slice(0, 1000)
    whenReady(() => {
      if (hostCapabilities.logging) notify('notifications/message', { level: 'error', logger: 'tenon', data: text })
    })
  }
  // Lines of the content, not of this page around it.
  const placeOf = ({ lineno, colno }) => (given.line && lineno > given.line ? ` (line ${lineno - given.line}, column ${colno})` : '')
  window.addEventListener('error', (event) => report(event.message ? event.message + placeOf(event) : event.error))
  window.addEventListener('unhandledrejection', (event) => report(event.reason))

  const api = {
    /** The data of the canvas as it is now. */
    get data() {
      return data
    },
    /** Calls `listener` with the data, now if there are some and whenever they change. Returns what ends that. */
    onData(listener) {
      listeners.add(listener)
      if (data !== undefined && data !== null) call(listener)
      return () => listeners.delete(listener)
    },
    /** Reports what the user did. The model reads it at its next turn. */
    send(type, value = null) {
      const entry = { type: String(type), data: value }
      // A host keeps only the last context that it was given.
      recent.push(entry)
      if (recent.length > EVENTS_KEPT) recent.shift()
      whenReady(() => {
        const content = [{ type: 'text', text: recent.map(({ type, data }) => `${type} ${stringify(data)}`).join('\n') }]
        const structuredContent = { canvasId: given.id, event: entry, events: [...recent] }
        request('ui/update-model-context', { content, structuredContent }).catch(() => {})
      })
    },
    /** Sends a message of the user, to which the model responds. */
    message(text) {
      whenReady(() => request('ui/message', { role: 'user', content: [{ type: 'text', text: String(text) }] }).catch(() => {}))
    },
    /** Asks the host to open an address. */
    openLink(url) {
      whenReady(() => request('ui/open-link', { url: String(url) }).catch(() => {}))
    },
  }
  Object.defineProperty(window, 'tenon', { value: Object.freeze(api) })

  // Buttons and forms that report without a script: `data-event="name"`.
  const NO_FIELDS = ['submit', 'button', 'reset', 'image', 'file', 'fieldset', 'output']
  function valuesOf(element) {
    const { type, value, checked } = element
    if (type === 'checkbox' || type === 'radio') return checked ? [value] : []
    if (type === 'select-multiple') return [...element.selectedOptions].map((option) => option.value)
    return value === undefined ? [] : [value]
  }
  // As a browser sends them, but for a checkbox that is the only field of its name: that is true or false.
  function fieldsOf(form) {
    const byName = new Map()
    for (const element of form.elements) {
      if (!element.name || NO_FIELDS.includes(element.type) || element.matches(':disabled')) continue
      byName.set(element.name, [...(byName.get(element.name) ?? []), element])
    }
    const fields = [...byName].map(([name, elements]) => {
      const [{ type, checked }] = elements
      const values = elements.flatMap(valuesOf)
      if (type === 'checkbox' && elements.length === 1) return [name, checked]
      const isOne = elements.every((element) => element.type === 'radio') || (elements.length === 1 && type !== 'select-multiple')
      return [name, isOne ? values[0] : values]
    })
    return Object.fromEntries(fields)
  }
  function submit(form, button) {
    if (!form.reportValidity()) return
    const fields = fieldsOf(form)
    if (button?.name) fields[button.name] = button.value
    api.send(form.dataset.event, fields)
  }
  document.addEventListener('click', (event) => {
    const target = event.target instanceof Element ? event.target : null
    if (event.defaultPrevented || !target) return
    const link = target.closest('a[href]')
    if (link) {
      const address = link.getAttribute('href')
      if (address.startsWith('#')) return
      event.preventDefault()
      if (/^https?:/i.test(link.href)) api.openLink(link.href)
      return
    }
    const button = target.closest('button, input[type=submit], [data-event]')
    if (!button || button.disabled) return
    if (button.dataset.event && button.tagName !== 'FORM') {
      const value = button.dataset.value ?? (button.value || null)
      api.send(button.dataset.event, value)
    } else if (button.form?.dataset.event && button.type === 'submit') {
      event.preventDefault()
      submit(button.form, button)
    }
  })
  document.addEventListener('keydown', (event) => {
    const field = event.target
    // A page in a sandbox cannot submit a form, so that its event never comes.
    if (event.key !== 'Enter' || event.defaultPrevented || !(field instanceof HTMLInputElement) || !field.form?.dataset.event) return
    event.preventDefault()
    submit(field.form)
  })

  if (parent === window) return
  const measure = () => {
    const { scrollWidth: width } = document.documentElement
    const height = Math.ceil(document.body?.getBoundingClientRect().height ?? 0)
    notify('ui/notifications/size-changed', { width, height })
  }
  const params = { appInfo: { name: 'tenon-canvas', version: given.version }, appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] }, protocolVersion: PROTOCOL }
  const initialize = () =>
    request('ui/initialize', params).then((result) => {
      hostCapabilities = result?.hostCapabilities ?? {}
      applyContext(result?.hostContext)
      isReady = true
      notify('ui/notifications/initialized', {})
      for (const work of later) work()
      later = []
      const observer = new ResizeObserver(() => requestAnimationFrame(measure))
      observer.observe(document.body)
      measure()
    })
  if (document.body) initialize()
  else document.addEventListener('DOMContentLoaded', initialize)
})()
