import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { homedir } from 'node:os'
import path from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { Toolkit, type AgentToolResult } from '../index.js'
import { testWith } from './support/programs.js'
import { failureOf, toolkitOf, until, workspaceOf } from './support/workspace.js'

const onLinux = test.runIf(process.platform === 'linux')

function textOf(result: AgentToolResult<unknown>): string {
  return result.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

onLinux('a command writes in its workspace and nowhere else, and its result says why', async () => {
  const toolkit = toolkitOf({ 'a.txt': 'one\n' }, { sandbox: 'workspace-write' })
  const exec = toolkit.getTool('exec')!
  const fine = await exec.execute('1', { command: 'echo two >> a.txt && cat a.txt' })
  expect(textOf(fine)).toBe('one\ntwo\n')
  expect(fine.details.sandbox).toEqual({ level: 'full', mode: 'workspace-write', network: 'none' })
  const target = path.join(homedir(), `.tenon-sandbox-${process.pid}`)
  onTestFinished(() => rmSync(target, { force: true }))
  const refused = await exec.execute('2', { command: `echo x > ${target}` })
  expect(refused.details.status).toBe('failed')
  expect(refused.details.sandbox).toMatchObject({ level: 'full', refused: 'Read-only file system' })
  expect(textOf(refused)).toContain(
    '[`Read-only file system` looks like a denial by the sandbox: commands can write only in the workspace and the temporary directory',
  )
  expect(existsSync(target)).toBe(false)
})

onLinux('protected names cannot be written, and nothing is left of what covered those that do not exist', async () => {
  // In a script, where no rule sees it.
  const script =
    'echo x > .git/hooks/pre-commit; mkdir -p .vscode && echo x > .vscode/tasks.json; echo x > .mcp.json; git status --porcelain 2>&1 | head -3; true'
  const workspace = workspaceOf({ 'tool.sh': script })
  mkdirSync(path.join(workspace, '.git/hooks'), { recursive: true })
  const toolkit = new Toolkit({ workspace, sandbox: 'workspace-write' })
  onTestFinished(() => toolkit.close())
  const exec = toolkit.getTool('exec')!
  const command = 'sh tool.sh'
  const result = await exec.execute('1', { command })
  expect(textOf(result)).toMatch(/can(?:not|'t) create \.git\/hooks\/pre-commit: Read-only file system/)
  expect(textOf(result)).toMatch(/can(?:not|'t) create \.vscode\/tasks\.json: Read-only file system/)
  expect(readdirSync(workspace).sort()).toEqual(['.git', 'tool.sh'])
  expect(readdirSync(path.join(workspace, '.git/hooks'))).toEqual([])
})

onLinux('read-only covers the workspace', async () => {
  const toolkit = toolkitOf({ 'a.txt': 'one\n' }, { sandbox: 'read-only' })
  const result = await toolkit.getTool('exec')!.execute('1', { command: 'rm a.txt; echo x > $TMPDIR/t && cat $TMPDIR/t a.txt' })
  expect(textOf(result)).toContain('x\none\n')
  expect(result.details.sandbox).toMatchObject({ level: 'full', mode: 'read-only', refused: 'Read-only file system' })
})

testWith('bash').skipIf(process.platform !== 'linux')('without network nobody is reached, this machine included', async () => {
  const server = createServer((_, response) => response.end('reached'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const ask = `exec 3<>/dev/tcp/127.0.0.1/${port} && printf 'GET / HTTP/1.0\\r\\n\\r\\n' >&3 && tail -1 <&3`
  const closed = toolkitOf({}, { sandbox: { mode: 'workspace-write', network: false } })
  const refused = await closed.getTool('exec')!.execute('1', { command: ask })
  expect(refused.details.status).toBe('failed')
  expect(textOf(refused)).not.toContain('reached')
  const open = toolkitOf({}, { sandbox: { mode: 'workspace-write', network: true } })
  const reached = await open.getTool('exec')!.execute('1', { command: ask })
  expect(textOf(reached)).toBe('reached')
  expect(reached.details.sandbox).toMatchObject({ network: 'host' })
})

onLinux('a list of hosts is reached by the proxy, and no other host', async () => {
  const server = createServer((request, response) => response.end(`reached ${request.headers.host}`))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const toolkit = toolkitOf(
    {},
    {
      sandbox: { mode: 'workspace-write', network: ['localhost'] },
      web: { fetch: { allowPrivate: [`localhost:${port}`] } },
    },
  )
  const exec = toolkit.getTool('exec')!
  const ask = (host: string) =>
    `node -e "
      const { hostname, port } = new URL(process.env.HTTP_PROXY)
      require('http').get({ host: hostname, port, path: 'http://${host}/' }, (answer) => {
        answer.on('data', (data) => process.stdout.write(data))
      }).on('error', (error) => console.log(error.message))"`
  expect(textOf(await exec.execute('1', { command: ask(`localhost:${port}`) }))).toBe(`reached localhost:${port}`)
  const other = await exec.execute('2', { command: ask('example.com') })
  expect(textOf(other)).toContain('`example.com` is not among the hosts that commands in this sandbox may reach')
  expect(other.details.sandbox).toMatchObject({ network: 'domains', refused: '(`sandbox.network`)' })
  // The same server by a name that is not in the list.
  const inside = await exec.execute('3', { command: ask(`127.0.0.1:${port}`) })
  expect(textOf(inside)).not.toContain('reached')
})

onLinux('background commands are in the sandbox too', async () => {
  const toolkit = toolkitOf({}, { sandbox: 'workspace-write' })
  const started = await toolkit.getTool('exec')!.execute('1', { command: 'touch /etc/tenon-test; echo done; sleep 20', background: true })
  expect(started.details.sandbox).toMatchObject({ level: 'full' })
  expect(existsSync(`/proc/${started.details.pid}`)).toBe(true)
  const follow = toolkit.getTool('process')!
  const polled = await follow.execute('2', { action: 'poll', sessionId: started.details.sessionId!, timeout: 5000, waitFor: { output: 'done' } } as never)
  expect(textOf(polled)).toContain('Read-only file system')
  await follow.execute('3', { action: 'kill', sessionId: started.details.sessionId! })
  expect(existsSync('/etc/tenon-test')).toBe(false)
})

onLinux('what stands for missing names is gone when the toolkit is closed', async () => {
  for (const end of ['background', 'leftover', 'abort']) {
    const workspace = workspaceOf({ 'a.txt': 'x' })
    const toolkit = new Toolkit({ workspace, sandbox: 'workspace-write' })
    const exec = toolkit.getTool('exec')!
    const abort = new AbortController()
    if (end === 'background') await exec.execute('1', { command: 'sleep 60', background: true })
    if (end === 'leftover') await exec.execute('1', { command: 'sleep 60 & echo' })
    if (end === 'abort') {
      const call = failureOf(exec.execute('1', { command: 'touch begun; sleep 60' }, abort.signal))
      await until(() => existsSync(path.join(workspace, 'begun')))
      abort.abort()
      await call
      rmSync(path.join(workspace, 'begun'))
    }
    await toolkit.close()
    expect({ end, left: readdirSync(workspace) }).toEqual({ end, left: ['a.txt'] })
  }
})

test('a wrong sandbox is no open door', async () => {
  const workspace = workspaceOf()
  const made = (sandbox: unknown) => () => new Toolkit({ workspace, sandbox } as never)
  expect(made('workspace')).toThrow('`sandbox` must be `off`, `read-only`, `workspace-write` or an object')
  expect(made({ network: false })).toThrow('`sandbox.mode` is required')
  expect(made({ mode: 'read-only', network: ['http://a.org'] })).toThrow('`sandbox.network` contains `http://a.org`, which is not a host')
})

onLinux('limits per command say which one was reached', async () => {
  const toolkit = toolkitOf({}, { limits: { command: { processes: 12, fileBytes: 100_000 } } })
  const exec = toolkit.getTool('exec')!
  const many = await exec.execute('1', { command: 'for i in $(seq 40); do sleep 20 & done; wait' })
  expect(many.details).toMatchObject({ status: 'killed', limit: 'processes' })
  expect(textOf(many)).toContain('it exceeded its limit of 12 processes')
  const large = await exec.execute('2', { command: 'head -c 1000000 /dev/zero > large' })
  // A shell that starts its last command in its own place is what the signal ends.
  expect(large.details).toMatchObject({ status: expect.stringMatching(/^(failed|killed)$/), limit: 'fileBytes' })
  expect(textOf(large)).toContain('a file larger than its limit of 100000 bytes')
  expect(readFileSync(path.join(String(await workspaceOfToolkit(exec)), 'large')).length).toBe(100_000)
  const failure = await failureOf(Promise.resolve().then(() => new Toolkit({ workspace: '/', limits: { command: { memoryBytes: 1 } } } as never)))
  expect(failure.message).toContain('`limits.command.memoryBytes` must be at least 1048576, not 1.')
})

async function workspaceOfToolkit(exec: { execute: (id: string, params: { command: string }) => Promise<AgentToolResult<unknown>> }) {
  return textOf(await exec.execute('9', { command: 'pwd' })).trim()
}

test('a command reports which files it changed, when the host asks for that', async () => {
  const toolkit = toolkitOf({ 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c', '.gitignore': 'out/\n' }, { exec: { changes: true } })
  const exec = toolkit.getTool('exec')!
  const result = await exec.execute('1', { command: 'echo more >> a.txt; rm b.txt; echo new > d.txt; mkdir out; echo x > out/x' })
  expect(result.details.changes).toEqual({
    files: [
      { path: 'a.txt', kind: 'update' },
      { path: 'b.txt', kind: 'delete' },
      { path: 'd.txt', kind: 'create' },
    ],
    complete: true,
  })
  expect(textOf(result)).toBe('(no output)\n\n[Created d.txt; modified a.txt; deleted b.txt]')
  expect(toolkit.history().at(-1)!.changes).toEqual(result.details.changes!.files)
  const nothing = await exec.execute('2', { command: 'cat a.txt' })
  expect(nothing.details.changes).toEqual({ files: [], complete: true })
  expect(textOf(nothing)).toBe('amore\n')
})
