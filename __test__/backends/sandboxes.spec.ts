// Ways to an engine in sandboxes for rent: over fakes of their SDKs that run commands on this machine, typed by the packages themselves.

import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { Readable, Writable } from 'node:stream'

import { describe, expect, onTestFinished, test } from 'vitest'

import { Toolkit, type RemoteTransport } from '../../index.js'
import { agentSandbox, cloudflare, daytona, e2b, kubernetes, modal, remote, sandboxSession, vercel } from '../../remote.js'
import { ENGINE, startEngine } from '../support/engine.js'
import { packagesOf } from '../support/frameworks.js'
import { processesWith } from '../support/machines.js'
import { ROOT, run } from '../support/run.js'
import { failureOf, workspaceOf } from '../support/workspace.js'

interface Fake {
  via: (options: { program?: string; socket: string; push?: { from: string; to: string } }) => RemoteTransport
  /** Cuts the connection. */
  cut: () => void
}

const started = () => {
  const children: ChildProcessWithoutNullStreams[] = []
  onTestFinished(() => children.forEach((child) => child.kill('SIGKILL')))
  const start = (program: string, args: string[] = [], shell = false) => {
    const child = spawn(program, args, { stdio: 'pipe', shell })
    // What fails is a command that ends.
    child.on('error', () => {})
    child.stdin.on('error', () => {})
    children.push(child)
    return child
  }
  return {
    start,
    cut: () =>
      void children
        .filter(({ exitCode }) => exitCode === null)
        .at(-1)
        ?.kill('SIGKILL'),
  }
}
const codeOf = async (child: ChildProcessWithoutNullStreams) => {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'close')
  return child.exitCode ?? 137
}

/** Runs a command to its end. */
async function finished(child: ChildProcessWithoutNullStreams) {
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  child.stdin.end()
  return { exitCode: (await codeOf(child)) as number, stdout, stderr }
}

const fakes: Record<string, () => Fake> = {
  e2b: () => {
    const { start, cut } = started()
    const running = new Map<number, ChildProcessWithoutNullStreams>()
    const commands: any = {
      run: async (command: string, options: any) => {
        if (!options.background) {
          const done = await finished(start(command, [], true))
          if (done.exitCode !== 0) throw Object.assign(new Error('it failed'), done)
          return done
        }
        expect(options).toMatchObject({ background: true, stdin: true, timeoutMs: 0 })
        const child = start(command, [], true)
        const pid = child.pid as number
        running.set(pid, child)
        // Text, in pieces of any size.
        child.stdout.setEncoding('utf8').on('data', (text: string) => {
          const half = text.length >> 1
          options.onStdout(text.slice(0, half))
          options.onStdout(text.slice(half))
        })
        child.stderr.setEncoding('utf8').on('data', options.onStderr)
        return { pid, wait: async () => ({ exitCode: await codeOf(child) }) }
      },
      sendStdin: async (pid: number, data: string) => void running.get(pid)?.stdin.write(data),
      kill: async (pid: number) => running.get(pid)?.kill('SIGKILL') ?? false,
    }
    return { via: (options) => e2b({ commands, files: { write: async (file, data) => writeFileSync(file, Buffer.from(data)) } }, options), cut }
  },
  daytona: () => {
    const { start, cut } = started()
    const sessions = new Map<string, ChildProcessWithoutNullStreams>()
    const process: any = {
      createSession: async () => {},
      executeSessionCommand: async (id: string, request: any) => {
        expect(request).toMatchObject({ runAsync: true, suppressInputEcho: true })
        sessions.set(id, start(request.command, [], true))
        return { cmdId: 'c1' }
      },
      getSessionCommandLogs: async (id: string, _: string, onStdout: any, onStderr: any) => {
        const child = sessions.get(id) as ChildProcessWithoutNullStreams
        child.stdout.setEncoding('utf8').on('data', onStdout)
        child.stderr.setEncoding('utf8').on('data', onStderr)
        await codeOf(child)
      },
      sendSessionCommandInput: async (id: string, _: string, data: string) => void sessions.get(id)?.stdin.write(data),
      deleteSession: async (id: string) => void sessions.get(id)?.kill('SIGKILL'),
      executeCommand: async (command: string) => {
        const { exitCode, stdout, stderr } = await finished(start(command, [], true))
        return { exitCode, result: stdout + stderr }
      },
    }
    return { via: (options) => daytona({ process, fs: { uploadFile: async (bytes, file) => writeFileSync(file, bytes) } }, options), cut }
  },
  modal: () => {
    const { start, cut } = started()
    const exec: any = async ([program, ...args]: string[], options: any) => {
      expect(options).toEqual({ mode: 'binary' })
      const child = start(program as string, args)
      return {
        stdin: Writable.toWeb(child.stdin),
        stdout: Readable.toWeb(child.stdout),
        stderr: Readable.toWeb(child.stderr),
        wait: () => codeOf(child),
      }
    }
    return { via: (options) => modal({ exec }, options), cut }
  },
  vercel: () => {
    const { start, cut } = started()
    const writeFiles = async (files: { path: string; content: Uint8Array }[]) => files.forEach(({ path: file, content }) => writeFileSync(file, content))
    const runCommand: any = async ({ cmd, args, detached }: any) => {
      const child = start(cmd, args)
      if (!detached) {
        const { exitCode, stdout, stderr } = await finished(child)
        return { exitCode, stdout: async () => stdout, stderr: async () => stderr }
      }
      const logs = async function* () {
        for await (const data of child.stdout.setEncoding('utf8')) yield { stream: 'stdout' as const, data }
        for await (const data of child.stderr.setEncoding('utf8')) yield { stream: 'stderr' as const, data }
      }
      return { logs, wait: async () => ({ exitCode: await codeOf(child) }), kill: async () => void child.kill('SIGKILL') }
    }
    return { via: (options) => vercel({ runCommand, writeFiles }, options), cut: () => cut() }
  },
  cloudflare: () => {
    const { start, cut } = started()
    const sandbox: any = {
      startProcess: async (command: string, { onOutput, onExit }: any) => {
        const child = start(command, [], true)
        child.stdout.setEncoding('utf8').on('data', (text: string) => onOutput('stdout', text))
        child.stderr.setEncoding('utf8').on('data', (text: string) => onOutput('stderr', text))
        child.on('close', onExit)
        return { kill: async () => void child.kill('SIGKILL') }
      },
      exec: async (command: string) => finished(start(command, [], true)),
      writeFile: async (file: string, content: string, { encoding }: any) => writeFileSync(file, content, encoding),
    }
    return { via: (options) => cloudflare(sandbox, options), cut }
  },
  sandboxSession: () => {
    const { start, cut } = started()
    const session = {
      spawn: async ({ command }: any) => {
        const child = start(command, [], true)
        return {
          stdin: Writable.toWeb(child.stdin) as any,
          stdout: Readable.toWeb(child.stdout) as any,
          stderr: Readable.toWeb(child.stderr) as any,
          wait: async () => ({ exitCode: (await codeOf(child)) as number }),
          kill: async () => void child.kill('SIGKILL'),
        }
      },
      run: async ({ command }: any) => finished(start(command, [], true)),
      writeBinaryFile: async ({ path: file, content }: any) => writeFileSync(file, content),
    }
    return { via: (options) => sandboxSession(session, options), cut }
  },
  kubernetes: () => {
    const { exec, cut } = podOf()
    return { via: (options) => kubernetes(exec, { ...options, pod: 'agent-1', namespace: 'agents', container: 'main' }), cut }
  },
  agentSandbox: () => {
    const { exec, cut } = podOf()
    const objects = {
      getNamespacedCustomObject: async (request: any) => {
        expect(request).toEqual({ group: 'agents.x-k8s.io', version: 'v1beta1', namespace: 'agents', plural: 'sandboxes', name: 'mine' })
        const conditions = [{ type: 'Ready', status: 'True' }]
        return { metadata: { annotations: { 'agents.x-k8s.io/pod-name': 'agent-1' } }, status: { conditions } }
      },
    }
    return { via: (options) => agentSandbox({ exec, objects }, { ...options, name: 'mine', namespace: 'agents', container: 'main' }), cut }
  },
}

/** `Exec` of the Kubernetes client. */
function podOf() {
  const { start, cut } = started()
  const exec: any = {
    exec: async (
      namespace: string,
      pod: string,
      container: string,
      [program, ...args]: string[],
      stdout: any,
      stderr: any,
      stdin: any,
      tty: boolean,
      status: any,
    ) => {
      expect([namespace, pod, container, tty]).toEqual(['agents', 'agent-1', 'main', false])
      const child = start(program as string, args)
      child.stdout.pipe(stdout, { end: false })
      child.stderr.pipe(stderr, { end: false })
      stdin.pipe(child.stdin)
      const listeners: Record<string, () => void> = {}
      child.on('close', (code) => {
        const causes = [{ reason: 'ExitCode', message: String(code) }]
        status(code === 0 ? { status: 'Success' } : { status: 'Failure', message: `it ended with code ${code}`, details: { causes } })
        listeners.close?.()
      })
      const socket = { on: (event: string, listener: () => void) => ((listeners[event] = listener), socket), close: () => void child.kill() }
      return socket
    },
  }
  return { exec, cut }
}

describe.each(Object.keys(fakes))('%s', (name) => {
  test('carries calls whole, large ones too, and goes on after a cut', async () => {
    const engine = await startEngine()
    onTestFinished(engine.stop)
    const { via, cut } = (fakes[name] as () => Fake)()
    const root = workspaceOf({ 'a.txt': 'one\n' })
    const toolkit = new Toolkit<any>({ workspace: remote({ path: root, via: via({ program: ENGINE, socket: engine.socket }) }) })
    onTestFinished(() => toolkit.close())
    expect((await toolkit.execute('read', { file_path: 'a.txt' })).content).toEqual([{ type: 'text', text: 'one\n' }])
    const content = `${'ä€😀 line\n'.repeat(20_000)}`
    expect((await toolkit.execute('write', { file_path: 'b.txt', content })).details).toMatchObject({ size: Buffer.byteLength(content) })
    const call = toolkit.execute('exec', { command: 'sleep 0.4; echo once >> count; cat count' })
    await new Promise((resolve) => setTimeout(resolve, 150))
    if (name !== 'vercel' && name !== 'cloudflare') cut()
    expect((await call).details).toMatchObject({ exitCode: 0, output: 'once\n' })
  })

  test('brings the engine where it is missing', async () => {
    const { via } = (fakes[name] as () => Fake)()
    const root = workspaceOf({ 'a.txt': 'one\n' })
    const to = path.join(workspaceOf(), 'engines', 'mine')
    const socket = path.join(workspaceOf(), 'engine.sock')
    const toolkit = new Toolkit<any>({ workspace: remote({ path: root, via: via({ socket, push: { from: path.dirname(ENGINE), to } }) }) })
    onTestFinished(async () => {
      await toolkit.close()
      for (const pid of processesWith('serve', socket)) process.kill(pid, 'SIGTERM')
    })
    expect((await toolkit.execute('read', { file_path: 'a.txt' })).content).toEqual([{ type: 'text', text: 'one\n' }])
    expect(readdirSync(to)).toEqual(['tenon-engine', 'tenon-helper'])
    expect(processesWith(path.join(to, 'tenon-engine'), 'serve', socket)).toHaveLength(1)
  }, 60_000)

  test('says why there is no engine', async () => {
    const { via } = (fakes[name] as () => Fake)()
    const none = via({ program: path.join(workspaceOf(), 'no-engine'), socket: '/none' })
    const toolkit = new Toolkit<any>({ workspace: remote({ path: '/', via: none }) })
    onTestFinished(() => toolkit.close())
    expect(await failureOf(toolkit.ready())).toMatchObject({ details: { code: 'unreachable' } })
  })
})

test('an agent-sandbox that is not ready is named, with its reason', async () => {
  const objects = { getNamespacedCustomObject: async () => ({ status: { conditions: [{ type: 'Ready', status: 'False', message: 'Pod is pending' }] } }) }
  const via = agentSandbox({ exec: podOf().exec, objects }, { name: 'mine' })
  const toolkit = new Toolkit<any>({ workspace: remote({ path: '/srv', via }) })
  onTestFinished(() => toolkit.close())
  expect((await failureOf(toolkit.ready())).message).toContain('the sandbox `mine` is not ready: Pod is pending')
})

test('an object that is not that of the SDK is refused', () => {
  expect(() => e2b({} as any)).toThrow('`e2b` takes the object of its SDK; this one has no `run`.')
})

const packages = packagesOf('sandboxes')

test.skipIf(packages.missing)(
  `the objects of the packages fit (${packages.missing ?? 'installed'})`,
  async () => {
    const { directory } = packages as { directory: string }
    const file = path.join(directory, `fits-${process.pid}.mts`)
    const remotes = JSON.stringify(path.join(ROOT, 'remote.js'))
    writeFileSync(
      file,
      `import type { Sandbox as E2B } from 'e2b'
import type { Sandbox as Daytona } from '@daytonaio/sdk'
import type { Sandbox as Modal } from 'modal'
import type { Sandbox as Vercel } from '@vercel/sandbox'
import type { Sandbox as Cloudflare } from '@cloudflare/sandbox'
import type { CustomObjectsApi, Exec } from '@kubernetes/client-node'
import { agentSandbox, cloudflare, daytona, e2b, kubernetes, modal, vercel } from ${remotes}
declare const a: E2B, b: Daytona, c: Modal, d: Vercel, e: Cloudflare, exec: Exec, objects: CustomObjectsApi
export const all = [e2b(a), daytona(b), modal(c), vercel(d), cloudflare(e), kubernetes(exec, { pod: 'p' }), agentSandbox({ exec, objects }, { name: 's' })]
`,
    )
    onTestFinished(() => rmSync(file, { force: true }))
    const tsc = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
    const options = [
      '--noEmit',
      '--strict',
      '--exactOptionalPropertyTypes',
      '--skipLibCheck',
      '--target',
      'es2022',
      '--module',
      'nodenext',
      '--moduleResolution',
      'nodenext',
    ]
    const types = ['--types', 'node', '--typeRoots', path.join(ROOT, 'node_modules', '@types')]
    const { stdout } = await run(process.execPath, [tsc, ...options, ...types, '--lib', 'ES2023,ESNext.Disposable,DOM', file], { cwd: directory })
    expect(stdout).toBe('')
  },
  120_000,
)
