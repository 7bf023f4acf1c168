import { readFileSync } from 'node:fs'
import path from 'node:path'

import { expect, test } from 'vitest'

import { isAlive, until, workspaceOf } from './support/workspace.js'
import { ROOT, runScript } from './support/run.js'

const open = (workspace: string) => `const toolkit = new tenon.Toolkit({ workspace: ${JSON.stringify(workspace)} });\n`
/** A command that writes down the id of its process and stays. */
const STAY = 'toolkit.execute("exec", { command: "echo $$ > pid; exec sleep 61" }).catch(() => {});\n'
const WHEN_RUNNING = (then: string) =>
  `const wait = setInterval(() => { if (require("fs").existsSync(file) && require("fs").readFileSync(file, "utf8").trim()) { clearInterval(wait); ${then} } }, 5);\n`
const watched = (workspace: string) => `const file = ${JSON.stringify(path.join(workspace, 'pid'))};\n`
const pidIn = (workspace: string) => Number(readFileSync(path.join(workspace, 'pid'), 'utf8'))

test('an idle toolkit does not keep Node alive', async () => {
  const workspace = workspaceOf({ 'a.txt': 'x' })
  const { code, took, stdout } = await runScript(`${open(workspace)}
    toolkit.execute("read", { file_path: "a.txt" }).then(() => toolkit.execute("exec", { command: "true" })).then(() => console.log("done"))`)
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'done\n' })
  expect(took).toBeLessThan(3000)
})

test('a running call keeps Node alive until it settles, although nobody waits for it', async () => {
  const { code, stdout } = await runScript(`${open(workspaceOf())}
    toolkit.execute("exec", { command: "sleep 0.5; echo ok" }).then((result) => console.log(result.details.exitCode))`)
  expect({ code, stdout }).toEqual({ code: 0, stdout: '0\n' })
})

test('an abort settles a call that waits for an approver that never answers, although nothing else keeps Node alive', async () => {
  const { code, stdout } = await runScript(`
    const toolkit = new tenon.Toolkit({ workspace: ${JSON.stringify(workspaceOf())}, onApproval: () => new Promise(() => {}) });
    const abort = new AbortController();
    toolkit.execute("write", { file_path: "a", content: "x" }, { signal: abort.signal }).catch((error) => console.log(error.error_type));
    setTimeout(() => abort.abort(), 50)`)
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'aborted\n' })
})

test('calls keep Node alive while an agent in the background has not answered, which alone does not', async () => {
  const { code, stdout } = await runScript(`
    const toolkit = new tenon.Toolkit({ workspace: ${JSON.stringify(workspaceOf())}, host: { runAgent: ({ objective }) => (objective === "hold" ? new Promise(() => {}) : objective) } });
    (async () => {
      await toolkit.execute("sessions_spawn", { task: "hold", label: "held" });
      console.log((await toolkit.execute("exec", { command: "sleep 0.3; echo ok" })).details.exitCode);
      console.log((await toolkit.execute("sessions_spawn", { task: "quick", wait: 30 })).details.status);
      console.log((await toolkit.execute("sessions_send", { sessionId: "default", message: "again" })).details.reply);
      console.log((await toolkit.execute("subagents", { action: "wait", sessionIds: ["held"], timeout: 0.3 })).details.reason);
    })()`)
  expect({ code, stdout }).toEqual({ code: 0, stdout: '0\ncompleted\nagain\ntimeout\n' })
})

test('the telemetry of the last call arrives', async () => {
  const { stdout } = await runScript(`
    const toolkit = new tenon.Toolkit({ workspace: ${JSON.stringify(workspaceOf())}, onTelemetry: (event) => console.log(event.tool) });
    toolkit.execute("nope", {}).catch(() => {}); toolkit.execute("ls", {})`)
  expect(stdout.split('\n').sort()).toEqual(['', 'ls', 'nope'])
})

test.each([
  ['process.exit', 'process.exit(0)', 0],
  ['an uncaught exception', 'setTimeout(() => { throw new Error("x") })', 1],
  ['process.exit in an exit listener of a rejection', 'Promise.reject(new Error("x"))', 1],
])('%s leaves no child', async (_, how, expected) => {
  const workspace = workspaceOf()
  const { code } = await runScript(open(workspace) + watched(workspace) + STAY + WHEN_RUNNING(how))
  expect(code).toBe(expected)
  await until(() => !isAlive(pidIn(workspace)))
})

test.runIf(process.platform === 'linux')('a host that is killed leaves no process, whatever its commands did to get away', async () => {
  const workspace = workspaceOf()
  const away = ['(env -i setsid sleep 61 & echo $! > a)', '(trap "" TERM HUP; setsid sleep 61 & echo $! > b; wait) &', 'sleep 61 & kill -STOP $!; echo $! > c']
  const command = JSON.stringify(`${away.join('\n')}\nuntil [ -s a ] && [ -s b ] && [ -s c ]; do sleep 0.05; done\necho $$ > pid; sleep 61`)
  const run = `toolkit.execute("exec", { command: ${command} }).catch(() => {});\n`
  const { signal } = await runScript(open(workspace) + watched(workspace) + run + WHEN_RUNNING('process.kill(process.pid, "SIGKILL")'))
  expect(signal).toBe('SIGKILL')
  const pids = ['a', 'b', 'c', 'pid'].map((name) => Number(readFileSync(path.join(workspace, name), 'utf8')))
  expect(pids.every((pid) => pid > 1)).toBe(true)
  await until(() => !pids.some(isAlive))
})

test('close ends a running command before the process ends', async () => {
  const workspace = workspaceOf()
  const then =
    'toolkit.close().then(() => { try { process.kill(Number(require("fs").readFileSync(file, "utf8")), 0); console.log("alive") } catch { console.log("gone") } })'
  const { code, stdout } = await runScript(open(workspace) + watched(workspace) + STAY + WHEN_RUNNING(then))
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'gone\n' })
})

test('a toolkit that is dropped is collected; one with a running call is not', async () => {
  const { code, stdout, stderr } = await runScript(
    `const collected = [];
    const registry = new FinalizationRegistry((name) => collected.push(name));
    // What has to be collected is the native part: it is what ends commands.
    const binding = require(${JSON.stringify(path.join(ROOT, 'js/load.js'))}).loadNative();
    const { create } = binding.NativeToolkit;
    let native;
    binding.NativeToolkit = { create: (...args) => (native = create(...args)) };
    const make = (name) => {
      const toolkit = new tenon.Toolkit({ workspace: ${JSON.stringify(workspaceOf())}, onTelemetry: () => toolkit.listTools() });
      registry.register(native, name); native = undefined; return toolkit };
    (async () => {
      await make("idle").execute("ls", {});
      const running = make("running").execute("exec", { command: "sleep 0.7; echo ok" });
      for (let round = 0; round < 10; round += 1) { gc(); await new Promise((resolve) => setTimeout(resolve, 20)) }
      console.log(collected.join(), (await running).details.exitCode);
    })()`,
    { flags: ['--expose-gc'] },
  )
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'idle 0\n', stderr: '' })
})

test('nothing is written to the terminal', async () => {
  const { stdout, stderr } = await runScript(`${open(workspaceOf())} Promise.allSettled([
    toolkit.execute("read", { file_path: NaN }), toolkit.execute("read", { file_path: "/etc/passwd" }), toolkit.execute("exec", { command: "exit 3" })])`)
  expect({ stdout, stderr }).toEqual({ stdout: '', stderr: '' })
})

test('the workspace may vanish before the toolkit is closed', async () => {
  const { code, stderr } = await runScript(`const fs = require("fs"); const dir = fs.mkdtempSync("/tmp/tenon-gone-");
    const toolkit = new tenon.Toolkit({ workspace: dir }); fs.rmSync(dir, { recursive: true });
    toolkit.execute("read", { file_path: "a" }).then(() => process.exit(9), () => toolkit.close())`)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
})

test.each(['process.exit(0)', 'throw new Error("x")'])('%s while files are written does not panic', async (how) => {
  for (let round = 0; round < 6; round += 1) {
    const workspace = workspaceOf()
    // Records of changes that were cut off stay for who opens the workspace next, which nobody does.
    const env = { XDG_STATE_HOME: workspaceOf() }
    const script = `${open(workspace)}
      for (let index = 0; index < 4; index += 1) toolkit.execute("write", { file_path: "a" + index, content: "x".repeat(5e6) }).catch(() => {});
      setTimeout(() => { ${how} }, 5)`
    const { stderr } = await runScript(script, { env })
    expect(stderr).not.toContain('panicked')
  }
})
