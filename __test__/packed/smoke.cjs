// What every platform must do, in the installed package: `node smoke.cjs <directory>`. One line for each step; 1 where one failed.

const { mkdirSync, mkdtempSync, readFileSync, realpathSync, symlinkSync, writeFileSync } = require('node:fs')
const path = require('node:path')

const root = realpathSync(mkdtempSync(path.join(process.argv[2] ?? process.cwd(), 'workspace-')))
const started = process.hrtime.bigint()
const { Toolkit } = require('tenon')
const loaded = Number(process.hrtime.bigint() - started) / 1e6
let failed = 0

/** @param {string} title @param {() => unknown} work what it returns must be true, or a text to show */
async function step(title, work) {
  try {
    const result = await work()
    if (result === false) throw new Error('it is not so')
    console.log(`  ✓ ${title}${typeof result === 'string' ? `: ${result}` : ''}`)
  } catch (error) {
    failed += 1
    console.log(`  ✗ ${title}: ${error?.message ?? error}`)
  }
}

const textOf = ({ content }) => content.map(({ text = '' }) => text).join('\n')
/** The code of a failure. */
const codeOf = async (promise) => {
  try {
    await promise
    return 'none'
  } catch ({ details }) {
    return details?.code
  }
}

async function main() {
  const { loadedNative, helperProgram, targetTriple } = require(path.join(path.dirname(require.resolve('tenon/package.json')), 'js', 'load.js'))
  console.log(`${targetTriple()}, Node ${process.version}: the addon ${path.basename(loadedNative().file)} was loaded`)
  mkdirSync(path.join(root, 'src'))
  writeFileSync(path.join(root, 'src', 'a.ts'), 'export const one = 1\nexport const two = 2\n')
  const record = path.join(root, '..', 'session.jsonl')
  const first = process.hrtime.bigint()
  const toolkit = new Toolkit({ workspace: root, record, permissions: { deny: ['Bash(rm:*)', 'Read(.env)'] } })
  const call = (name, params, options) => toolkit.execute(name, params, options)
  const read = await call('read', { file_path: 'src/a.ts' })
  const ready = Number(process.hrtime.bigint() - first) / 1e6
  await step('read', () => textOf(read).includes('export const two = 2'))
  await step('load', () => `require ${loaded.toFixed(1)} ms, first toolkit and call ${ready.toFixed(1)} ms`)
  await step('write and edit', async () => {
    await call('write', { file_path: 'src/b.ts', content: 'const b = 1\n' })
    await call('edit', { file_path: 'src/b.ts', edits: [{ oldText: 'const b = 1', newText: 'const b = 2' }] })
    return readFileSync(path.join(root, 'src', 'b.ts'), 'utf8') === 'const b = 2\n'
  })
  await step('ls, find and grep', async () => {
    const texts = [
      textOf(await call('ls', { path: 'src' })),
      textOf(await call('find', { pattern: '**/*.ts' })),
      textOf(await call('grep', { pattern: 'one = \\d' })),
    ]
    return texts.every((text) => text.includes('a.ts'))
  })
  await step('a path that leads outside is refused', async () => (await codeOf(call('read', { file_path: '../../etc/passwd' }))) !== 'none')
  await step('a link that leads outside is refused', async () => {
    try {
      symlinkSync(path.dirname(root), path.join(root, 'out'), 'dir')
    } catch {
      return 'no links here'
    }
    return (await codeOf(call('read', { file_path: 'out/session.jsonl' }))) !== 'none'
  })
  await step('a denied call', async () => (await codeOf(call('exec', { command: 'rm -rf src' }))) === 'policy_denied')
  const shell = await codeOf(call('exec', { command: 'echo hi' }))
  if (shell !== 'none') await step('commands', () => `no shell here (${shell})`)
  else await commands(call)
  await step('undo', async () => {
    const checkpoint = toolkit.checkpoint()
    await call('write', { file_path: 'src/b.ts', content: 'gone\n' })
    await toolkit.rollback(checkpoint)
    return readFileSync(path.join(root, 'src', 'b.ts'), 'utf8') === 'const b = 2\n'
  })
  await step('the helper program', () => JSON.stringify(helperProgram() ?? 'none here'))
  await toolkit.close()
  await step(
    'the record has the calls',
    () => readFileSync(record, 'utf8').includes('policy_denied') || readFileSync(record, 'utf8').includes('"verdict":"deny"'),
  )
  await step('a session in SQLite', async () => {
    const options = { workspace: root, session: { id: 'smoke', store: path.join(root, '..', 'session.db') } }
    const one = new Toolkit(options)
    await one.execute('todo_write', { todos: [{ content: 'a', status: 'pending' }] })
    await one.close()
    const two = new Toolkit(options)
    const todos = textOf(await two.execute('todo_read', {}))
    await two.close()
    return todos.includes('a')
  })
  console.log(failed === 0 ? 'all well' : `${failed} failed`)
  process.exitCode = failed === 0 ? 0 : 1
}

/** @param {(name: string, params: object, options?: object) => Promise<any>} call */
async function commands(call) {
  await step('a command', async () => textOf(await call('exec', { command: 'echo $((6 * 7)) && ls src' })).startsWith('42\na.ts'))
  await step('its exit code', async () => (await call('exec', { command: 'exit 3' })).details.exitCode === 3)
  await step('a time limit ends a whole tree', async () => {
    const begun = Date.now()
    const code = await codeOf(call('exec', { command: 'sleep 60 & sleep 60', timeout: 2 }))
    return Date.now() - begun < 30_000 ? `${code} after ${Date.now() - begun} ms` : false
  })
  await step('an abort', async () => {
    const controller = new AbortController()
    setTimeout(() => controller.abort(), 300)
    const begun = Date.now()
    await call('exec', { command: 'sleep 60' }, { signal: controller.signal }).catch(() => {})
    return Date.now() - begun < 30_000
  })
  await step('a background command', async () => {
    const { details } = await call('exec', { command: 'echo up; sleep 60', background: true })
    return typeof details === 'object' && JSON.stringify(details).length > 2
  })
}

main().catch((error) => {
  console.error(error)
  process.exitCode = 1
})
