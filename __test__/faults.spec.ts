// What a host must bear from its commands, as the user that runs these tests and, where that is root, as nobody.

import { chmodSync, existsSync, readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'

import { expect, test } from 'vitest'

import { ROOT, run } from './support/run.js'
import { until, workspaceOf } from './support/workspace.js'

const onLinux = test.runIf(process.platform === 'linux')
const isRoot = process.getuid?.() === 0
const canBeNobody = isRoot && existsSync('/usr/bin/setpriv')

/** Processes with this text in their command line. */
function alive(mark: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid) || Number(pid) === process.pid) return false
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(mark)
    } catch {
      return false
    }
  })
}

/** Runs a script with the package in a Node of its own, as this user or as nobody; `workspace` is a directory of its own. */
async function hosted(user: string, script: string, workspace = workspaceOf()) {
  chmodSync(workspace, 0o777)
  const prelude = `const tenon = require(${JSON.stringify(ROOT)}); const fs = require('node:fs'); const workspace = ${JSON.stringify(workspace)}
    const toolkit = new tenon.Toolkit({ workspace }); const exec = toolkit.tool('exec')
    const until = async (holds) => { while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10)) }\n`
  const node = [process.execPath, '-e', `${prelude}(async () => {\n${script}\n})()`]
  const [program, ...args] = user === 'nobody' ? ['/usr/bin/setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', ...node] : node
  const env = { HOME: workspace, TMPDIR: workspace, ...(user === 'nobody' ? { XDG_STATE_HOME: workspace } : {}) }
  return { ...(await run(program!, args, { cwd: workspace, env })), workspace }
}

const users: string[] = ['this user', 'nobody']
let marks = 0
/** A number of seconds to sleep by which the processes of a test can be found. */
const mark = () => `86.${process.pid}${(marks += 1)}`

for (const user of users) {
  const asUser = test.runIf(process.platform === 'linux' && (user !== 'nobody' || canBeNobody))
  if (user === 'nobody' && !canBeNobody) console.log('skipped: only root with setpriv can become nobody')

  asUser(
    `a storm of aborts leaves nobody behind, as ${user}`,
    async () => {
      const seconds = mark()
      const { code, stdout, stderr } = await hosted(
        user,
        `const abort = new AbortController(); let started = 0
      const command = (index) => \`touch s\${index}; setsid sleep ${seconds} & (trap '' TERM HUP; sleep ${seconds}) & sleep ${seconds}\`
      const calls = Array.from({ length: 60 }, (_, index) => exec.execute(String(index), { command: command(index) }, abort.signal).catch((error) => error.error_type))
      await until(() => fs.readdirSync(workspace).filter((name) => name.startsWith('s')).length === 60)
      const begun = performance.now(); abort.abort()
      const kinds = new Set(await Promise.all(calls))
      console.log(JSON.stringify([...kinds]), performance.now() - begun < 5000)
      await toolkit.close()`,
      )
      expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '["aborted"] true\n', stderr: '' })
      expect(alive(seconds)).toEqual([])
    },
    120_000,
  )

  asUser(
    `two hundred commands at once say each the truth and leave nobody behind, as ${user}`,
    async () => {
      const seconds = mark()
      const { code, stdout, stderr } = await hosted(
        user,
        `const call = (index) => exec.execute(String(index), { command: \`setsid sleep ${seconds} & echo \${index}; exit \${index % 7}\` })
      const wrong = (await Promise.all(Array.from({ length: 200 }, (_, index) => call(index)))).filter(({ details }, index) =>
        details.exitCode !== index % 7 || details.output !== index + '\\n' || details.status !== (index % 7 ? 'failed' : 'completed'))
      console.log(wrong.length); await toolkit.close()`,
      )
      expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '0\n', stderr: '' })
      expect(alive(seconds)).toEqual([])
    },
    120_000,
  )

  asUser(
    `a host that is killed in the middle of everything leaves nobody behind, as ${user}`,
    async () => {
      const seconds = mark()
      const { signal } = await hosted(
        user,
        `const ways = ['sleep ${seconds}', 'setsid sleep ${seconds} & sleep ${seconds}', '(env -i setsid --fork sleep ${seconds} &) ; sleep ${seconds}',
        "trap '' TERM HUP; sleep ${seconds} & kill -STOP $!; wait", "while :; do setsid sleep ${seconds} & sleep 0.2; done"]
      ways.forEach((way, index) => exec.execute('a' + index, { command: 'touch s' + index + ';' + way }).catch(() => {}))
      ways.forEach((way, index) => exec.execute('b' + index, { command: 'touch t' + index + ';' + way, background: true, pty: index === 0 }).catch(() => {}))
      await until(() => fs.readdirSync(workspace).filter((name) => /^[st]/.test(name)).length >= 10)
      setTimeout(() => process.kill(process.pid, 'SIGKILL'), 300)`,
      )
      expect(signal).toBe('SIGKILL')
      await until(() => alive(seconds).length === 0)
    },
    120_000,
  )
}

/** The worst and the usual time, in milliseconds, for which an event loop stood still, by a clock of its own. */
const LAG = `const lags = () => { const seen = []; let last = performance.now()
  const timer = setInterval(() => { const now = performance.now(); seen.push(now - last - 5); last = now }, 5)
  return () => { clearInterval(timer); return Math.max(...seen) } }\n`

/**
 * The lag of a host under load and, over the same time, of a Node that does nothing: what the machine does to both is no
 * fault of the commands.
 */
async function lags(script: string): Promise<{ host: number; idle: number }> {
  const workspace = workspaceOf()
  const control = run(process.execPath, [
    '-e',
    `${LAG}const end = lags(); process.stdin.on('data', () => {}).on('end', () => {})
    const fs = require('node:fs'); const look = setInterval(() => { if (fs.existsSync(${JSON.stringify(path.join(workspace, 'over'))})) { clearInterval(look); console.log(end()) } }, 5)`,
  ])
  const host = await hosted(
    'this user',
    `${LAG}await new Promise((resolve) => setTimeout(resolve, 300)); const end = lags()
    ${script}
    console.log(end()); fs.writeFileSync(workspace + '/over', ''); await toolkit.close()`,
    workspace,
  )
  expect({ code: host.code, stderr: host.stderr }).toEqual({ code: 0, stderr: '' })
  return { host: Number(host.stdout), idle: Number((await control).stdout) }
}

const LOADS: Record<string, string> = {
  'a gigabyte of output': `await exec.execute('1', { command: 'head -c 1000000000 /dev/zero | tr "\\\\0" "x\\\\n"' }, undefined, () => {})`,
  // One a turn: what a debug build takes for the making of one call, hundred times over, is not what is measured.
  'a hundred commands': `const calls = []
    for (let index = 0; index < 100; index += 1) { calls.push(exec.execute(String(index), { command: 'seq 2000' })); await new Promise(setImmediate) }
    await Promise.all(calls)`,
  'a flood in the background': `const { details } = await exec.execute('1', { command: 'yes', background: true })
    for (let round = 0; round < 10; round += 1) await toolkit.tool('process').execute('p', { action: 'poll', sessionId: details.sessionId, timeout: 100 })
    await toolkit.tool('process').execute('k', { action: 'kill', sessionId: details.sessionId })`,
}

onLinux.each(Object.keys(LOADS))(
  'the event loop turns every 50 ms during %s',
  async (name) => {
    const seen: { host: number; idle: number }[] = []
    // One undisturbed run of five is enough: what is slow by itself is slow each time.
    for (let round = 0; round < 5; round += 1) {
      const measured = await lags(LOADS[name]!)
      seen.push(measured)
      if (measured.host - measured.idle < 50) break
    }
    console.log(`${name}: ${seen.map(({ host, idle }) => `${host.toFixed(0)} ms (idle ${idle.toFixed(0)})`).join(', ')}`)
    const best = Math.min(...seen.map(({ host, idle }) => host - idle))
    expect(best).toBeLessThan(50)
  },
  240_000,
)

onLinux('a toolkit that found no descriptors is made as soon as there are some', async () => {
  const { code, stdout } = await hosted(
    'this user',
    `await toolkit.close()
    const child = await new Promise((resolve) => {
      const script = \`const tenon = require(\${JSON.stringify(${JSON.stringify(ROOT)})}); const fs = require('node:fs'); const held = []
        try { for (;;) held.push(fs.openSync('/dev/null')) } catch {}
        for (let left = 0; left < 3; left += 1) fs.closeSync(held.pop())
        const make = () => new tenon.Toolkit({ workspace: '.' })
        try { make() } catch (error) { console.log(error.details?.code, error.message.includes('ulimit -n')) }
        for (const one of held) fs.closeSync(one)
        const toolkit = make()
        toolkit.execute('exec', { command: 'echo made' }).then(({ content }) => console.log(content[0].text)).then(() => toolkit.close())\`
      const { spawn } = require('node:child_process')
      const child = spawn('/bin/sh', ['-c', 'ulimit -n 256; exec "$0" -e "$1"', process.execPath, script], { cwd: workspace, stdio: 'inherit' })
      child.on('close', resolve)
    })
    process.exitCode = child`,
  )
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'unavailable true\nmade\n\n' })
})

test.runIf(canBeNobody && existsSync('/usr/bin/prlimit'))('without a process to start, calls name the limit, and the toolkit closes', async () => {
  const { code, stdout } = await hosted(
    'nobody',
    `require('node:child_process').execFileSync('/usr/bin/prlimit', ['--pid', String(process.pid), '--nproc=1:'])
    for (const [tool, params] of [['exec', { command: 'true' }], ['write', { file_path: 'a', content: 'a' }]]) {
      const { message, details } = await toolkit.execute(tool, params).catch((error) => error)
      console.log(details.code, message.includes('ulimit -u'), message.includes('Other calls'))
    }
    await toolkit.close()
    console.log(fs.existsSync('a'))`,
  )
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'unavailable true false\nunavailable true false\nfalse\n' })
})
