// `toSandboxSession` of `tenon/ai-sdk`: a toolkit as the sandbox of the AI SDK, over an engine on this machine and one elsewhere.

import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import type { Experimental_SandboxSession } from 'ai-7'
import { describe, expect, onTestFinished, test } from 'vitest'

import { toSandboxSession } from '../../ai-sdk.js'
import { Toolkit } from '../../index.js'
import { remote, unix } from '../../remote.js'
import { startEngine } from '../support/engine.js'
import { failureOf, workspaceOf } from '../support/workspace.js'

const places = ['here', 'elsewhere'] as const

async function sessionOf(place: (typeof places)[number], files: Record<string, string | Uint8Array> = {}, options: object = {}) {
  const root = workspaceOf(files)
  const engine = place === 'elsewhere' ? await startEngine() : undefined
  if (engine) onTestFinished(engine.stop)
  const toolkit = new Toolkit<any>({ ...options, workspace: engine ? remote({ path: root, via: unix(engine.socket) }) : root })
  onTestFinished(() => toolkit.close())
  // Typed by the package itself.
  const session: Experimental_SandboxSession = toSandboxSession(toolkit)
  return { session, root, toolkit }
}

const text = async (stream: ReadableStream<Uint8Array>) => new Response(stream as any).text()

describe.each(places)('a sandbox %s', (place) => {
  test('files come back byte for byte, whatever they are', async () => {
    const { session, root } = await sessionOf(place)
    const all = Uint8Array.from({ length: 300_000 }, (_, index) => (index * 7 + (index >> 8)) % 256)
    const contents: [string, Uint8Array][] = [
      ['empty', new Uint8Array()],
      ['text.txt', Buffer.from('one\ntwo\n')],
      ['crlf.txt', Buffer.from('one\r\ntwo\r\n')],
      ['mixed.txt', Buffer.from('one\r\ntwo\n\nthree')],
      ['bom.txt', Buffer.from('\ufeffone\n')],
      ['latin.txt', Buffer.from([0x67, 0xf6, 0xdf, 0x0a])],
      ['deep/er/a b.bin', all],
      ['nul.bin', Buffer.from('a\0b')],
    ]
    for (const [name, content] of contents) {
      await session.writeBinaryFile({ path: name, content })
      expect(readFileSync(path.join(root, name)).equals(content), name).toBe(true)
      const read = await session.readBinaryFile({ path: name })
      expect(Buffer.from(read as Uint8Array).equals(content), name).toBe(true)
    }
    expect(await text((await session.readFile({ path: path.join(root, 'text.txt') })) as any)).toBe('one\ntwo\n')
    await session.writeFile({ path: 'stream.txt', content: new Response('streamed').body as any })
    expect(readFileSync(path.join(root, 'stream.txt'), 'utf8')).toBe('streamed')
  })

  test('lines of a text, and encodings', async () => {
    const { session, root } = await sessionOf(place, { 'a.txt': 'one\ntwo\nthree\n' })
    expect(await session.readTextFile({ path: 'a.txt' })).toBe('one\ntwo\nthree\n')
    expect(await session.readTextFile({ path: 'a.txt', startLine: 2, endLine: 2 })).toBe('two')
    expect(await session.readTextFile({ path: 'a.txt', startLine: 3, endLine: 99 })).toBe('three\n')
    await session.writeTextFile({ path: 'b.txt', content: 'ö', encoding: 'latin1' })
    expect([...readFileSync(path.join(root, 'b.txt'))]).toEqual([0xf6])
    expect(await session.readTextFile({ path: 'b.txt', encoding: 'latin1' })).toBe('ö')
  })

  test('what does not exist is null, what is a directory is refused', async () => {
    const { session, root } = await sessionOf(place, { 'a/b.txt': 'x' })
    symlinkSync('a/b.txt', path.join(root, 'link'))
    expect(await session.readFile({ path: 'none' })).toBe(null)
    expect(await session.readBinaryFile({ path: 'a/none' })).toBe(null)
    expect(await session.readTextFile({ path: 'none' })).toBe(null)
    expect(await session.stat({ path: 'none' })).toBe(null)
    expect(await session.listDirectory({ path: 'none' })).toBe(null)
    expect(await session.deleteFile({ path: 'none' })).toBe(false)
    expect(await session.stat({ path: 'a' })).toMatchObject({ type: 'directory' })
    expect(await session.stat({ path: 'a/b.txt' })).toEqual({ type: 'file', size: 1 })
    expect(await session.listDirectory({ path: 'a' })).toEqual([{ name: 'b.txt', type: 'file' }])
    for (const call of [
      () => session.readBinaryFile({ path: 'a' }),
      () => session.writeTextFile({ path: 'a', content: 'x' }),
      () => session.deleteFile({ path: 'a' }),
      () => session.listDirectory({ path: 'a/b.txt' }),
    ]) {
      expect(await failureOf(call() as Promise<unknown>)).toBeInstanceOf(Error)
    }
    expect(await session.deleteFile({ path: 'a/b.txt' })).toBe(true)
    expect(existsSync(path.join(root, 'a/b.txt'))).toBe(false)
  })

  test('commands run to their end, with a directory and variables', async () => {
    const { session, root } = await sessionOf(place)
    mkdirSync(path.join(root, 'sub'))
    expect(await session.run({ command: 'pwd; echo "$A"; exit 3', workingDirectory: 'sub', env: { A: 'b' } })).toEqual({
      exitCode: 3,
      stdout: `${path.join(root, 'sub')}\nb\n`,
      stderr: '',
    })
    const { stdout } = await session.run({ command: 'i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); echo "line $i"; done' })
    expect(stdout.split('\n')).toHaveLength(30_001)
  })

  test('a process is written to, read from, waited for and killed', async () => {
    const { session } = await sessionOf(place)
    const cat = await session.spawn({ command: 'cat; echo done', stdin: true })
    const writer = cat.stdin.getWriter()
    await writer.write(Buffer.from('one\n'))
    await writer.close()
    expect(await cat.wait()).toEqual({ exitCode: 0 })
    expect(await text(cat.stdout)).toBe('one\ndone\n')
    const closed = await session.spawn({ command: 'cat; echo end' })
    expect(await text(closed.stdout)).toBe('end\n')
    const sleeper = await session.spawn({ command: 'exec sleep 60' })
    await sleeper.kill()
    expect((await sleeper.wait()).exitCode).not.toBe(0)
    const abort = new AbortController()
    const aborted = await session.spawn({ command: 'exec sleep 60', abortSignal: abort.signal })
    abort.abort(new Error('enough'))
    expect(await failureOf(aborted.wait() as Promise<unknown>)).toMatchObject({ message: 'enough' })
  })

  test('rules hold for files and commands, with their reason', async () => {
    const { session, root } = await sessionOf(
      place,
      { '.env': 'SECRET=1\n', 'a.txt': 'a\n' },
      { permissions: { deny: ['Read(.env)', 'Edit(.env)', 'Bash(rm:*)'] } },
    )
    for (const call of [
      () => session.readTextFile({ path: '.env' }),
      () => session.writeTextFile({ path: '.env', content: 'x' }),
      () => session.writeBinaryFile({ path: '.env', content: Uint8Array.of(0, 1) }),
      () => session.run({ command: 'cat .env' }),
      () => session.run({ command: 'rm a.txt' }),
    ]) {
      expect(await failureOf(call() as Promise<unknown>)).toMatchObject({ error_type: 'permission_denied' })
    }
    expect(readFileSync(path.join(root, '.env'), 'utf8')).toBe('SECRET=1\n')
  })

  test('what another program has changed is written over: who writes a whole file has decided', async () => {
    const { session, root } = await sessionOf(place, { 'a.txt': 'one\n' })
    await session.readTextFile({ path: 'a.txt' })
    writeFileSync(path.join(root, 'a.txt'), 'two\n')
    await session.writeTextFile({ path: 'a.txt', content: 'three\n' })
    expect(readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('three\n')
  })
})
