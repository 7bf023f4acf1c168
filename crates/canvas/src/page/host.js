// The page around a canvas: a small host of MCP Apps (2026-01-26).
(() => {
  'use strict'
  const META = 'tenon/canvas'
  const EVENTS_PER_SECOND = 10
  const [, root, wanted] = location.pathname.split('/')
  const at = (id) => document.getElementById(id)
  /** What is in the frame. @type {{ id: string, page: number, sent: number, ready: boolean, frame: HTMLIFrameElement } | undefined} */
  let open
  let latest
  let passed = { since: 0, count: 0 }

  const say = (text) => (at('status').textContent = text)
  const toView = (message) => open?.frame.contentWindow?.postMessage({ jsonrpc: '2.0', ...message }, '*')

  function show(canvas) {
    const frame = document.createElement('iframe')
    frame.title = canvas.title
    frame.setAttribute('sandbox', 'allow-scripts')
    frame.referrerPolicy = 'no-referrer'
    if (canvas.width) frame.style.maxWidth = `${canvas.width}px`
    if (canvas.height) frame.style.height = `${canvas.height}px`
    frame.src = canvas.relay
    open = { id: canvas.id, page: canvas.page, sent: canvas.version, ready: false, frame }
    at('frame').replaceChildren(frame)
  }
  function forget() {
    open = undefined
    at('frame').replaceChildren()
  }

  // The whole state comes each time, so that a message that is lost is not missed.
  function update({ canvases }) {
    latest = canvases
    if (!wanted) return list(canvases)
    const canvas = canvases.find(({ id }) => id === wanted)
    at('title').textContent = canvas?.title ?? ''
    document.title = canvas?.title ?? 'Canvas'
    if (!canvas || canvas.hidden) {
      forget()
      say(canvas ? 'Hidden.' : 'This canvas is gone.')
      return
    }
    say('')
    if (!open || open.page !== canvas.page) show(canvas)
    else void bring(canvas)
  }
  async function bring(canvas) {
    if (!open?.ready || open.sent >= canvas.version) return
    const { frame } = open
    const response = await fetch(`/${root}/${canvas.id}/state`)
    if (!response.ok || open?.frame !== frame) return
    const state = await response.json()
    if (state.page !== open.page || state.version <= open.sent) return
    open.sent = state.version
    toView({ method: 'ui/notifications/tool-result', params: { content: [], _meta: { [META]: { canvasId: state.id, title: state.title, data: state.data } } } })
  }
  function list(canvases) {
    at('title').textContent = 'Canvases'
    const entries = canvases.map(({ id, title, hidden }) => {
      const link = document.createElement('a')
      link.href = `/${root}/${id}`
      link.textContent = hidden ? `${title} (hidden)` : title
      const entry = document.createElement('li')
      entry.append(link)
      return entry
    })
    at('list').replaceChildren(...entries)
    at('list').hidden = false
    say(canvases.length === 0 ? 'Nothing is shown.' : '')
  }

  function report(type, data) {
    const now = Date.now()
    if (now - passed.since >= 1000) passed = { since: now, count: 0 }
    passed.count += 1
    // The server counts for itself; this spares it a flood. One more than it takes, so that it knows of one.
    if (passed.count > EVENTS_PER_SECOND + 1) return
    const body = JSON.stringify({ type, data })
    void fetch(`/${root}/${open.id}/events`, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body }).catch(() => {})
  }

  const requests = {
    'ui/initialize': () => ({
      protocolVersion: '2026-01-26',
      hostInfo: { name: 'tenon', version: '{version}' },
      hostCapabilities: { openLinks: {}, logging: {}, message: { text: {} }, updateModelContext: { text: {}, structuredContent: {} } },
      hostContext: { theme: matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light', displayMode: 'inline', availableDisplayModes: ['inline'], platform: 'web', locale: navigator.language },
    }),
    ping: () => ({}),
    'ui/message': ({ content }) => {
      report('message', [content].flat().map((part) => part?.text ?? '').join('\n'))
      return {}
    },
    'ui/update-model-context': ({ content, structuredContent }) => {
      const event = structuredContent?.event
      if (typeof event?.type === 'string') report(event.type, event.data)
      else report('context', structuredContent ?? content ?? null)
      return {}
    },
    'ui/open-link': ({ url }) => {
      const { protocol, href } = new URL(url)
      if (protocol !== 'https:' && protocol !== 'http:') return { isError: true }
      at('address').textContent = href
      at('open').onclick = () => {
        at('link').hidden = true
        window.open(href, '_blank', 'noopener,noreferrer')
      }
      at('link').hidden = false
      return {}
    },
    'ui/request-display-mode': () => ({ mode: 'inline' }),
  }
  at('dismiss').onclick = () => (at('link').hidden = true)
  const notifications = {
    'ui/notifications/initialized': () => {
      open.ready = true
      toView({ method: 'ui/notifications/tool-input', params: { arguments: {} } })
      const canvas = latest?.find(({ id }) => id === open.id)
      if (canvas) void bring(canvas)
    },
    'ui/notifications/size-changed': ({ height }) => {
      const fixed = latest?.find(({ id }) => id === open.id)?.height
      if (!fixed && Number.isFinite(height)) open.frame.style.height = `${Math.min(Math.max(height, 80), 10000)}px`
    },
    'notifications/message': ({ level, data }) => {
      if (level === 'error') report('error', String(data).slice(0, 1000))
    },
  }
  window.addEventListener('message', ({ source, data: message }) => {
    if (!open || source !== open.frame.contentWindow || message?.jsonrpc !== '2.0') return
    const { id, method, params } = message
    if (id === undefined) {
      if (Object.hasOwn(notifications, method)) notifications[method](params ?? {})
      return
    }
    if (method === undefined) return
    try {
      if (!Object.hasOwn(requests, method)) toView({ id, error: { code: -32601, message: `There is no method ${method}.` } })
      else toView({ id, result: requests[method](params ?? {}) })
    } catch (error) {
      toView({ id, error: { code: -32602, message: String(error?.message ?? error) } })
    }
  })

  const source = new EventSource(`/${root}/live`)
  source.onmessage = ({ data }) => update(JSON.parse(data))
  source.onerror = () => say('Disconnected.')
})()
