// @ts-nocheck
// The client that the official conformance suite examines: a toolkit with one MCP server, whose address is the last argument.
// It authorizes itself when it has to, calls every tool once, and loads every skill.

import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { Toolkit } from '../../index.mjs'

const url = process.argv.at(-1)
const scenario = process.env.MCP_CONFORMANCE_SCENARIO ?? ''
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? '{}')
const version = process.env.MCP_CONFORMANCE_PROTOCOL_VERSION ?? '2025-11-25'
const workspace = mkdtempSync(path.join(os.tmpdir(), 'tenon-suite-'))

const toolkit = new Toolkit({
  workspace,
  permissions: { defaultMode: 'allow' },
  mcpServers: {
    suite: {
      url,
      required: true,
      protocol: version >= '2026-07-28' ? 'modern' : 'legacy',
      callMs: 10_000,
      auth: {
        clientMetadataUrl: 'https://conformance-test.local/client-metadata.json',
        ...(context.client_id && { clientId: context.client_id }),
        ...(context.client_secret && { clientSecret: context.client_secret }),
      },
    },
  },
  host: { sample: () => 'hello', elicit: () => ({ action: 'accept', content: {} }), openUrl: () => true },
})

/** Values for a schema. */
function sample(schema = {}) {
  if (schema.default !== undefined) return schema.default
  if (schema.enum) return schema.enum[0]
  switch (schema.type) {
    case 'number':
    case 'integer':
      return 5
    case 'boolean':
      return true
    case 'array':
      return []
    case 'object':
      return Object.fromEntries((schema.required ?? []).map((name) => [name, sample(schema.properties?.[name])]))
    default:
      return 'text'
  }
}

/** The schema of another tool, as it arrived here. `parameters` of tools are in words that every provider takes. */
function echoed(tools, parameters) {
  const [name] = Object.keys(parameters.properties)
  const other = tools.find((tool) => tool.name.endsWith('json_schema_2020_12_tool'))
  const [{ inputSchema }] = toolkit.definitions([other.name], 'mcp')
  return { [name]: inputSchema }
}

/** Does something, and what a user does in a browser where that is needed: at most three times. */
async function authorized(work) {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (!error.details?.needsAuth || attempt >= 3) throw error
      const { url } = await toolkit.mcp.authorize('suite')
      const answer = await fetch(url, { redirect: 'manual' })
      await toolkit.mcp.authorize('suite', answer.headers.get('location')).catch((error) => {
        if (!error.details?.needsAuth) throw error
      })
    }
  }
}

/** Loads every skill that is listed, and reads its files. */
async function skills() {
  const { details } = await toolkit.execute('skill', { action: 'list' })
  if (scenario.includes('no-prefetch')) return
  for (const { name } of details.skills ?? []) {
    await toolkit.execute('skill', { action: 'load', name })
    const [skill] = (await toolkit.mcp.skills('suite')).filter(({ frontmatter }) => name === `suite:${frontmatter.name}`)
    for (const { uri } of skill.resources) await toolkit.mcp.readResource('suite', uri)
  }
}

try {
  await authorized(async () => {
    try {
      await toolkit.mcp.ready()
    } catch (error) {
      if (!toolkit.tools().some(({ name }) => name.startsWith('mcp__'))) throw error
    }
  })
  const tools = toolkit.tools().filter(({ name }) => name.startsWith('mcp__suite__'))
  console.log(`${scenario}: ${tools.map(({ name }) => name).join(', ')}`)
  if (context.toolCalls) {
    for (const { name, arguments: args } of context.toolCalls) await authorized(() => toolkit.execute(`mcp__suite__${name}`, args))
  } else {
    const echoes = tools.some(({ name }) => name === 'mcp__suite__json_schema_echo')
    for (const { name, parameters } of tools.filter(({ name }) => !echoes || name.endsWith('_echo'))) {
      const args = name === 'mcp__suite__json_schema_echo' ? echoed(tools, parameters) : sample({ ...parameters, type: 'object' })
      await authorized(() => toolkit.execute(name, args)).then(
        (result) => console.log(name, JSON.stringify(result.content).slice(0, 500)),
        (error) => {
          console.error(`${name}: ${error.message}`)
          process.exitCode = 1
        },
      )
    }
  }
  await skills()
} catch (error) {
  console.error(error)
  process.exitCode = 1
} finally {
  await toolkit.close()
  rmSync(workspace, { recursive: true, force: true })
}
