// @ts-nocheck
// A host of MCP Apps in a page: the official bridge around a frame. The test sends what to show, and reads what came back.

import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge'

const report = (entry) => fetch('/report', { method: 'POST', body: JSON.stringify(entry) })
window.addEventListener('error', (event) => void report({ kind: 'fault', text: event.message }))
window.addEventListener('unhandledrejection', (event) => void report({ kind: 'fault', text: String(event.reason?.stack ?? event.reason) }))

/** The policy that hosts make of the domains of a resource. */
function policyOf({ connectDomains = [], resourceDomains = [], frameDomains = [], baseUriDomains = [] }) {
  const words = (domains, none = "'none'") => (domains.length === 0 ? none : domains.join(' '))
  const load = resourceDomains.join(' ')
  return [
    "default-src 'none'",
    `script-src 'unsafe-inline' ${load}`,
    `style-src 'unsafe-inline' ${load}`,
    `img-src data: blob: ${load}`,
    `font-src data: ${load}`,
    `connect-src ${words(connectDomains)}`,
    `frame-src ${words(frameDomains)}`,
    `base-uri ${words(baseUriDomains)}`,
    "object-src 'none'",
  ].join('; ')
}

async function show({ html, csp, tool, input, results }) {
  const bridge = new AppBridge(
    null,
    { name: 'test-host', version: '1.0.0' },
    { openLinks: {}, logging: {}, message: { text: {} }, updateModelContext: { text: {}, structuredContent: {} } },
    { hostContext: { theme: 'dark', toolInfo: { tool }, displayMode: 'inline' } },
  )
  const frame = document.createElement('iframe')
  frame.setAttribute('sandbox', 'allow-scripts')
  frame.style.width = '600px'
  bridge.addEventListener('sizechange', ({ width, height }) => {
    frame.style.height = `${height}px`
    void report({ kind: 'size', width, height })
  })
  bridge.addEventListener('loggingmessage', (params) => void report({ kind: 'log', ...params }))
  bridge.onmessage = async ({ role, content }) => {
    await report({ kind: 'message', role, content })
    return {}
  }
  bridge.onupdatemodelcontext = async ({ content, structuredContent }) => {
    await report({ kind: 'context', content, structuredContent })
    return {}
  }
  bridge.onopenlink = async ({ url }) => {
    await report({ kind: 'link', url })
    return {}
  }
  const initialized = new Promise((resolve) => bridge.addEventListener('initialized', resolve))
  document.body.append(frame)
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow))
  frame.srcdoc = html.replace('<head>', `<head><meta http-equiv="Content-Security-Policy" content="${policyOf(csp)}">`)
  await initialized
  await report({ kind: 'app', info: bridge.getAppVersion(), capabilities: bridge.getAppCapabilities() })
  await bridge.sendToolInput({ arguments: input })
  for (const result of results) await bridge.sendToolResult(result)
  await (await fetch('/torndown')).text()
  await bridge.teardownResource({})
  await report({ kind: 'torndown' })
}

const scene = await (await fetch('/scene')).json()
await show(scene)
