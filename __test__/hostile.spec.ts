import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'

import { Toolkit, ToolError, type AgentTool } from '../index.js'
import { ROOT } from './support/run.js'
import { toolkitOf, workspaceOf } from './support/workspace.js'

const DIALECTS = ['agent', 'canonical', 'coder', 'manager', 'acp'] as const
const CALLS = 80

/** The same numbers on every machine (mulberry32). */
function random(seed: number) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0
    let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Texts that tools stumble over; none is a command or a path that does harm. */
const TEXTS = [
  '',
  ' ',
  'a.txt',
  'sub',
  'sub/b.md',
  'n.ipynb',
  'bin.dat',
  'link',
  '.',
  '..',
  '../..',
  './a.txt',
  'a.txt/',
  'nope/deep/x.txt',
  '/nonexistent/x',
  '~',
  '~/x',
  '-rf',
  '*',
  '**/*',
  '[',
  '{a,b',
  '(',
  '\\',
  '(?P<n>x)',
  '(a+)+$',
  '\n',
  '\r\n',
  'one',
  'two\nthree',
  '\u0000',
  'a\u0000b',
  '\u202e',
  '\ufeff',
  '👩‍🔬',
  'é'.repeat(300),
  'x'.repeat(5000),
  '0',
  '-1',
  '1e9',
  'true',
  'null',
  '[]',
  '{}',
  '["a"]',
  '__proto__',
  'constructor',
  'cell-0',
  '2-1',
  '99-',
  '*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+1\n*** End Patch',
  '*** Begin Patch\n*** Delete File: nope\n*** End Patch',
  '--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+1\n',
  '@@ -99999999999999999999 +1 @@',
  'true',
  'exit 3',
  'echo $(',
  "echo '",
  'http://127.0.0.1:1/',
  'ftp://x/',
  'https://',
  'http://[::1]/',
  'javascript:alert(1)',
  'file:///etc/passwd',
  'session-none',
]
const NUMBERS = [0, 1, 2, 7, -1, 0.5, -0.5, 100, 1e6, 2 ** 31, 2 ** 53 - 1, 1e300]
const WHATEVER = [null, true, false, {}, [], [[]], [null], { a: 1 }, { __proto__: null }, { oldText: 1 }]
/** Small where a large number means waiting. */
const WAITS = /timeout|yield|wait|delay/i

type Random = () => number
const one = <T>(of: readonly T[], next: Random): T => of[Math.floor(next() * of.length)]!

/** A value that a schema takes, or nearly. */
function value(schema: any, name: string, next: Random, depth = 0): unknown {
  if (next() < 0.08) return one([...WHATEVER, ...NUMBERS, ...TEXTS], next)
  if (WAITS.test(name) && schema.type !== 'object') return one([1, 5, 0, '1', null, -1], next)
  if (schema.enum) return next() < 0.9 ? one(schema.enum, next) : one(TEXTS, next)
  switch (schema.type) {
    case 'object': {
      const members = Object.entries<any>(schema.properties ?? {}).filter(([key]) => next() < ((schema.required ?? []).includes(key) ? 0.95 : 0.4))
      const built = Object.fromEntries(members.map(([key, child]) => [next() < 0.03 ? one(TEXTS, next) : key, value(child, key, next, depth + 1)]))
      return next() < 0.05 ? { ...built, [one(TEXTS, next)]: one(WHATEVER, next) } : built
    }
    case 'array':
      return Array.from({ length: Math.floor(next() * 4) }, () => value(schema.items ?? {}, name, next, depth + 1))
    case 'integer':
    case 'number':
      return next() < 0.85
        ? one(
            NUMBERS.filter((number) => !WAITS.test(name) || Math.abs(number) < 10),
            next,
          )
        : one(TEXTS, next)
    case 'boolean':
      return next() < 0.9 ? next() < 0.5 : one(TEXTS, next)
    default:
      return one(TEXTS, next)
  }
}

/** The documented shape of the details, from which types and docs are made as well. */
function detailsSchema(dialect: string, name: string): object {
  const file = path.join(ROOT, 'crates/dialects/src/snapshots', `tenon_dialects__conformance_tests__${name}@${dialect}.snap`)
  return JSON.parse(readFileSync(file, 'utf8').split(/^---$/m)[2]!).details
}

function hostileWorkspace() {
  const root = workspaceOf({
    'a.txt': 'one\ntwo\nthree\n',
    'sub/b.md': '# two\n',
    'bin.dat': new Uint8Array([0, 1, 2, 255, 0]),
    'n.ipynb': JSON.stringify({
      cells: [{ cell_type: 'code', id: 'c', metadata: {}, outputs: [], execution_count: null, source: 'x' }],
      metadata: {},
      nbformat: 4,
      nbformat_minor: 5,
    }),
    'a.pdf': '%PDF-1.7\nnothing',
  })
  const outside = workspaceOf({ 'kept.txt': 'kept' })
  return { root, kept: path.join(outside, 'kept.txt') }
}

const tools = DIALECTS.flatMap((dialect) => new Toolkit({ workspace: '/', dialect }).tools().map((tool) => [dialect, tool.name] as const))

describe.each(tools)('%s %s', (dialect, name) => {
  test('answers hostile parameters with what it documents, or with a ToolError', async () => {
    const { root, kept } = hostileWorkspace()
    const toolkit = toolkitOf({}, { workspace: root, dialect } as never) as Toolkit<any>
    const tool = toolkit.tool(name) as AgentTool
    const validate = new Ajv2020({ strict: false, allErrors: true, validateFormats: false }).compile(detailsSchema(dialect, name))
    const next = random([...`${dialect}.${name}`].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7))
    for (let count = 0; count < CALLS; count += 1) {
      const params = value(tool.parameters, '', next)
      const where = `${JSON.stringify(params)}`.slice(0, 600)
      const outcome: any = await tool.execute(`${count}`, params as never, AbortSignal.timeout(20_000)).then(
        (result) => ({ result }),
        (error: unknown) => ({ error }),
      )
      if ('error' in outcome) {
        expect(outcome.error, where).toBeInstanceOf(ToolError)
        expect(outcome.error.details.code, `${where} ${outcome.error.message}`).not.toBe('internal')
        expect(outcome.error.error_type, `${where} ${outcome.error.message}`).toMatch(/^(permission_denied|not_found|timeout|invalid_input|execution_failed)$/)
        expect(outcome.error.message, where).toMatch(/\S/)
      } else {
        const { content, details } = outcome.result
        expect(content.length, where).toBeGreaterThan(0)
        for (const part of content) expect(part.type === 'text' ? typeof part.text : typeof part.data, where).toBe('string')
        const { repairs: _repairs, ...own } = details ?? {}
        expect(validate(own) ? null : validate.errors, `${where} ${JSON.stringify(details).slice(0, 600)}`).toBeNull()
      }
      if (!existsSync(path.join(root, 'a.txt'))) writeFileSync(path.join(root, 'a.txt'), 'one\ntwo\nthree\n')
    }
    expect(existsSync(kept)).toBe(true)
  }, 60_000)
})
