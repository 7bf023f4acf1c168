import { existsSync, readFileSync, readdirSync, readlinkSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'

import { describe, expect, onTestFinished, test } from 'vitest'

import { Toolkit } from '../index.js'
import { runScript } from './support/run.js'
import { workspaceOf } from './support/workspace.js'

const CACHE = process.env.TENON_LANGUAGE_SERVERS ?? path.join(process.env.XDG_CACHE_HOME ?? path.join(os.homedir(), '.cache'), 'tenon', 'language-servers')

/** The `PATH` with a server that `scripts/language-servers.mjs` has installed; where it is not, the test is skipped. */
function pathWith(directory: string, program: string): string | undefined {
  const bin = path.join(CACHE, directory)
  if (existsSync(path.join(bin, program))) return [bin, path.dirname(process.execPath), '/usr/bin', '/bin'].join(path.delimiter)
  console.log(`skipped: ${program} is not installed; run node scripts/language-servers.mjs`)
  return undefined
}

/** Processes that work in a directory. */
function processesIn(directory: string): string[] {
  return readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readlinkSync(`/proc/${name}/cwd`) === directory
    } catch {
      return false
    }
  })
}

async function noneIn(directory: string, within: number): Promise<string[]> {
  const end = Date.now() + within
  while (processesIn(directory).length > 0 && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 50))
  return processesIn(directory)
}

const FILES = {
  'a.sh': 'greet() {\n  echo hello\n}\n\ngreet\n',
  'a.py': 'def greet():\n    return 1\n\n\ngreet()\n',
  'a.ts': 'export function greet(): number {\n  return 1\n}\n\ngreet()\n',
}

// The first ends by itself only when it misses its parent; the last has processes of its own.
const SERVERS = [
  ['bash/node_modules/.bin', 'bash-language-server', 'a.sh'],
  ['python/bin', 'pylsp', 'a.py'],
  ['typescript/node_modules/.bin', 'typescript-language-server', 'a.ts'],
] as const

describe.skipIf(process.platform !== 'linux')('processes of language servers', () => {
  test.each(SERVERS)(
    '%s/%s is gone when its host is killed',
    async (directory, program, filePath) => {
      const PATH = pathWith(directory, program)
      if (!PATH) return
      const workspace = workspaceOf(FILES)
      const script = `
      const toolkit = new tenon.Toolkit(${JSON.stringify({ workspace, env: { add: { PATH } } })})
      toolkit.execute('lsp', ${JSON.stringify({ operation: 'hover', filePath, line: 5, symbol: 'greet' })}).then(({ details }) => {
        console.log(details.ok, require('node:fs').readdirSync('/proc').filter((name) => { try { return require('node:fs').readlinkSync('/proc/' + name + '/cwd') === ${JSON.stringify(workspace)} } catch { return false } }).length > 0)
        process.kill(process.pid, 'SIGKILL')
      })`
      const ended = await runScript(script)
      expect([ended.signal, ended.stdout.trim()], ended.stderr).toEqual(['SIGKILL', 'true true'])
      expect(await noneIn(workspace, 20_000)).toEqual([])
    },
    120_000,
  )

  test('close leaves none', async () => {
    const PATH = pathWith('python/bin', 'pylsp')
    if (!PATH) return
    const workspace = workspaceOf(FILES)
    const toolkit = new Toolkit({ workspace, env: { add: { PATH } } })
    const { details } = await toolkit.execute('lsp', { operation: 'hover', filePath: 'a.py', line: 5, symbol: 'greet' })
    expect(details).toMatchObject({ ok: true, server: 'pylsp' })
    expect(processesIn(workspace)).not.toEqual([])
    await toolkit.close()
    expect(processesIn(workspace)).toEqual([])
  }, 120_000)
})

test('symbols are listed and changed without any server', async () => {
  const workspace = workspaceOf(FILES)
  const toolkit = new Toolkit({ workspace, env: { add: { PATH: '/nonexistent' } } })
  onTestFinished(() => toolkit.close())
  const outline = await toolkit.execute('lsp', { operation: 'outline', filePath: 'a.ts' })
  expect(outline.details).toMatchObject({ ok: true, server: 'tree-sitter', symbols: [{ name: 'greet', kind: 'function', line: 1, lastLine: 3 }] })
  const changed = await toolkit.execute('lsp', {
    operation: 'replaceSymbolBody',
    filePath: 'a.ts',
    symbol: 'greet',
    content: 'export function greet(): number {\n  return 2\n}\n',
  })
  expect(changed.details).toMatchObject({ ok: true, applied: true, results: [{ path: 'a.ts', operation: 'update' }] })
  expect(readFileSync(path.join(workspace, 'a.ts'), 'utf8')).toBe(FILES['a.ts'].replace('return 1', 'return 2'))
})

test('a rename is approved for the files that it changes, before the call is made', { timeout: 120_000 }, async () => {
  const PATH = pathWith('typescript/node_modules/.bin', 'typescript-language-server')
  if (!PATH) return
  const files = { 'lib.ts': 'export const one = 1\n', 'use.ts': "import { one } from './lib'\nconsole.log(one)\n", 'tsconfig.json': '{}' }
  const workspace = workspaceOf(files)
  await using toolkit = new Toolkit({ workspace, env: { add: { PATH } }, permissions: { allow: ['Read', 'LSP'], ask: ['Edit'] } })
  const rename = { operation: 'rename', filePath: 'lib.ts', line: 1, symbol: 'one', newName: 'two' } as const
  expect(toolkit.decide('lsp', rename)).toMatchObject({ verdict: 'allow', provisional: true })
  const request = await toolkit.promises.approvalRequest('lsp', rename)
  expect(request).toMatchObject({ preview: { writes: ['lib.ts', 'use.ts'], diff: expect.stringContaining('+export const two = 1') } })
  await toolkit.execute('lsp', rename, { approved: 'once', digest: request!.digest })
  expect(readFileSync(path.join(workspace, 'use.ts'), 'utf8')).toBe("import { two } from './lib'\nconsole.log(two)\n")
})
