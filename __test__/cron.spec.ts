import { spawn } from 'node:child_process'
import { mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterEach, describe, expect, test } from 'vitest'

import { Toolkit } from '../index.js'

const open: any[] = []
afterEach(async () => {
  for (const toolkit of open.splice(0)) await toolkit.close()
})

function workspace() {
  return realpathSync(mkdtempSync(join(tmpdir(), 'tenon-cron-')))
}

function make(options: any) {
  const toolkit: any = new Toolkit({ workspace: workspace(), ...options })
  open.push(toolkit)
  return toolkit
}

async function until<T>(look: () => T | Promise<T>): Promise<NonNullable<T>> {
  const end = Date.now() + 30_000
  for (;;) {
    const found = await look()
    if (found) return found
    if (Date.now() > end) throw new Error('it did not happen within 30 s')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

const names = (toolkit: any) => toolkit.listTools().map((tool: any) => tool.name)
const lastRun = (toolkit: any, jobId: string) => async () => {
  const { runs } = (await toolkit.execute('cron', { action: 'runs', jobId })).details
  return runs[0] && runs[0].status !== 'running' ? runs[0] : undefined
}

describe('cron', () => {
  test('the tool is there where jobs are wanted, and nowhere else', () => {
    expect(names(make({}))).not.toContain('cron')
    expect(names(make({ cron: {} }))).toContain('cron')
    expect(names(make({ host: { onCron: () => {} } }))).toContain('cron')
  })

  test('a job is added with its next dates, found, changed and removed, also by the name of OpenClaw', async () => {
    const toolkit = make({ cron: { timeZone: 'Europe/Berlin' } })
    const { details, content } = await toolkit.execute('cron', { action: 'add', prompt: 'Write the report.', schedule: '0 9 * * 1-5' })
    const { job } = details
    expect(job).toMatchObject({ name: 'Write the report.', schedule: '0 9 * * 1-5', tz: 'Europe/Berlin', enabled: true, overlap: 'skip', catchUp: 'last' })
    expect(job.nextRuns).toHaveLength(5)
    expect(job.nextRunAt).toBe(job.nextRuns[0])
    expect(job.description).toContain('09:00')
    expect(content[0].text).toContain('does not run jobs')
    expect((await toolkit.execute('automations', { action: 'list' })).details).toMatchObject({ count: 1, hasMore: false, jobs: [{ jobId: job.jobId }] })
    const update = await toolkit.execute('cron', { action: 'update', jobId: job.jobId, schedule: { kind: 'every', everyMs: 900_000 } })
    expect(update.details.job.schedule).toBe('every 15m')
    expect(update.details.repairs).toEqual([{ param: 'schedule', message: 'took the object as `every 900000ms`' }])
    expect((await toolkit.execute('cron', { action: 'remove', jobId: job.jobId })).details.removed).toBe(true)
    await expect(toolkit.execute('cron', { action: 'get', jobId: job.jobId })).rejects.toMatchObject({ error_type: 'not_found' })
  })

  test('what is wrong with a job is said, with what to do', async () => {
    const toolkit = make({ cron: {} })
    const add = (more: object) => toolkit.execute('cron', { action: 'add', prompt: 'x', schedule: '@daily', ...more })
    await expect(add({ schedule: 'every 5s' })).rejects.toThrow('more often than every 1m')
    await expect(add({ schedule: 'now and then' })).rejects.toThrow('`every 15m`')
    await expect(add({ tz: 'Berlin' })).rejects.toThrow('Did you mean `Europe/Berlin`?')
    await expect(add({ until: '2001-01-01T00:00' })).rejects.toThrow('`until` is in the past')
    await expect(toolkit.execute('cron', { action: 'get' })).rejects.toThrow('`jobId` is required for `get`')
    await expect(toolkit.execute('cron', { action: 'update', jobId: 'x' })).rejects.toThrow('There is no job `x`')
    expect(() => make({ cron: { run: true } })).toThrow('needs `host.onCron` or `host.runAgent`')
    expect(() => make({ cron: { timeZone: 'Mars/Olympus' } })).toThrow('`cron.timeZone`')
    expect(() => make({ cron: { runs: true } as any })).toThrow('Did you mean `cron.run`?')
  })

  test('adding requires approval by default and looking does not', async () => {
    const asked: any[] = []
    const toolkit = make({
      cron: {},
      onApproval: (request: any) => {
        asked.push(request)
        return 'never'
      },
    })
    await expect(toolkit.execute('cron', { action: 'add', prompt: 'x', schedule: '@daily' })).rejects.toMatchObject({ error_type: 'permission_denied' })
    expect(asked).toMatchObject([{ tool: 'cron', params: { prompt: 'x' }, preview: { names: ['add'] }, remembers: ['Cron(add)'] }])
    expect((await toolkit.execute('cron', { action: 'list' })).details.count).toBe(0)
    expect(asked).toHaveLength(1)
    const denying = make({ cron: {}, permissions: { deny: ['Cron(add)'] } })
    await expect(denying.execute('cron', { action: 'add', prompt: 'x', schedule: '@daily' })).rejects.toMatchObject({ error_type: 'permission_denied' })
    const allowing = make({ cron: {}, permissions: { allow: ['Cron(add)'] } })
    expect((await allowing.execute('cron', { action: 'add', prompt: 'x', schedule: '@daily' })).details.job.enabled).toBe(true)
  })

  test('a run gets its job and tools, and what it returns is kept', async () => {
    const seen: any[] = []
    const directory = workspace()
    writeFileSync(join(directory, 'a.txt'), 'hello\n')
    const toolkit = make({
      workspace: directory,
      cron: { run: true, timeZone: 'UTC' },
      host: {
        async onCron(run: any, { signal, tools, onUpdate }: any) {
          onUpdate('begun')
          const read = tools.find(({ name }: any) => name === 'read')
          seen.push({ run, aborted: signal.aborted, text: (await read.execute('1', { file_path: 'a.txt' })).content[0].text })
          return { summary: 'all done', ok: true }
        },
      },
    })
    const { job } = (await toolkit.execute('cron', { action: 'add', name: 'n', prompt: 'p', agent: 'a', data: { b: '1' }, schedule: '@yearly' })).details
    const { runId } = (await toolkit.execute('cron', { action: 'run', jobId: job.jobId })).details
    expect(await until(lastRun(toolkit, job.jobId))).toMatchObject({ runId, trigger: 'manual', status: 'succeeded', missed: 0, summary: 'all done' })
    expect(seen).toEqual([
      {
        run: {
          jobId: job.jobId,
          runId,
          name: 'n',
          prompt: 'p',
          agent: 'a',
          data: { b: '1' },
          scheduledFor: expect.stringMatching(/\+00:00$/),
          trigger: 'manual',
          missed: 0,
          timeZone: 'UTC',
        },
        aborted: false,
        text: 'hello\n',
      },
    ])
  })

  test('a run may do what the creator of its job might and this toolkit may now', async () => {
    const directory = workspace()
    writeFileSync(join(directory, 'a.txt'), 'a')
    writeFileSync(join(directory, 'b.txt'), 'b')
    const creator = make({ workspace: directory, cron: {}, permissions: { deny: ['Read(a.txt)'] }, tools: { deny: ['exec'] } })
    const { job } = (await creator.execute('cron', { action: 'add', prompt: 'p', schedule: '@yearly' })).details
    const tried: any[] = []
    const runner = make({
      workspace: directory,
      cron: { run: true },
      permissions: { deny: ['Read(b.txt)'] },
      host: {
        async onCron(_: any, { tools, toolkit }: any) {
          tried.push(tools.map(({ name }: any) => name).includes('exec'))
          for (const file of ['a.txt', 'b.txt'])
            tried.push(
              await toolkit.execute('read', { file_path: file }).then(
                () => 'read',
                (error: any) => error.error_type,
              ),
            )
        },
      },
    })
    await runner.execute('cron', { action: 'run', jobId: job.jobId })
    expect(await until(lastRun(runner, job.jobId))).toMatchObject({ status: 'succeeded' })
    expect(tried).toEqual([false, 'permission_denied', 'permission_denied'])
  })

  test('without onCron an agent runs the job, in a session of its own', async () => {
    const asked: any[] = []
    const directory = workspace()
    const toolkit = make({
      workspace: directory,
      cron: { run: true },
      host: {
        runAgent(task: any) {
          asked.push(task)
          return { summary: 'could not', ok: false }
        },
      },
    })
    const { job } = (await toolkit.execute('cron', { action: 'add', prompt: 'Look.', schedule: '@yearly' })).details
    await toolkit.execute('cron', { action: 'run', jobId: job.jobId })
    expect(await until(lastRun(toolkit, job.jobId))).toMatchObject({ status: 'failed', summary: 'could not' })
    expect(asked).toMatchObject([{ agent: 'default', objective: 'Look.', cron: { jobId: job.jobId, trigger: 'manual' } }])
    expect(asked[0].rights).toBeUndefined()
    const [{ sessionId, runId }] = asked
    const other = make({ workspace: directory, session: { id: 'other' }, sessions: { visibility: 'workspace' }, host: { runAgent() {} } })
    expect((await other.execute('sessions_list', { kinds: ['cron'] })).details.sessions).toMatchObject([
      { sessionId, kind: 'cron', agent: 'default', label: 'Look.', depth: 0, status: 'failed' },
    ])
    expect((await other.execute('sessions_history', { sessionId })).details.messages).toEqual([
      { role: 'user', text: 'Look.', runId },
      { role: 'assistant', text: 'could not', runId },
    ])
    const hidden = make({ workspace: directory, session: { id: 'third' }, host: { runAgent() {} } })
    expect((await hidden.execute('sessions_list', { kinds: ['cron'] })).details.sessions).toEqual([])
  })

  test('an agent that runs a job has the tools that the host lists for it, and no others', async () => {
    const seen: any[] = []
    const toolkit = make({
      cron: { run: true },
      host: {
        agents: [
          { name: 'reader', description: 'Reads.', tools: ['read', 'group:search', 'write'] },
          { name: 'thinker', description: 'Thinks.', tools: [] },
        ],
        async runAgent({ agent }: any, { tools, toolkit }: any) {
          const written = await toolkit.execute('exec', { command: 'echo x' }).catch(({ details }: any) => details.code)
          seen.push([agent, tools.map(({ name }: any) => name), written])
        },
      },
      tools: { deny: ['write'] },
    })
    for (const agent of ['reader', 'thinker']) {
      const { job } = (await toolkit.execute('cron', { action: 'add', prompt: agent, agent, schedule: '@yearly' })).details
      await toolkit.execute('cron', { action: 'run', jobId: job.jobId })
      expect(await until(lastRun(toolkit, job.jobId))).toMatchObject({ status: 'succeeded' })
    }
    expect(seen).toEqual([
      ['reader', ['read', 'ls', 'find', 'grep'], 'policy_denied'],
      ['thinker', ['session_status'], 'policy_denied'],
    ])
  })

  test('a job is refused that no agent of the host can do', async () => {
    const runAgent = async () => 'done'
    const agents = [{ name: 'reader', description: 'Reads.' }]
    const add = { action: 'add', prompt: 'p', schedule: '@yearly' }
    const toolkit = make({ cron: { run: true }, host: { agents, runAgent } })
    const refusal = (params: any) => toolkit.execute('cron', params).catch(({ message, details }: any) => [details.code, details.param, message])
    expect(await refusal(add)).toEqual(['invalid_params', 'agent', 'There is no agent `default`. Name one of these as `agent`: `reader`.'])
    expect(await refusal({ ...add, agent: 'writer' })).toEqual([
      'invalid_params',
      'agent',
      'There is no agent `writer`. Name one of these as `agent`: `reader`.',
    ])
    const { job } = (await toolkit.execute('cron', { ...add, agent: 'reader' })).details
    expect((await refusal({ action: 'update', jobId: job.jobId, agent: 'writer' }))[0]).toBe('invalid_params')
    expect((await toolkit.execute('cron', { action: 'update', jobId: job.jobId, prompt: 'q' })).details.job).toMatchObject({ agent: 'reader', prompt: 'q' })
    // Where the host does them itself, names mean what it says, and an agent `default` does what names none.
    for (const host of [{ onCron: runAgent, agents }, { runAgent }, { runAgent, agents: [...agents, { name: 'default' }] }]) {
      expect((await make({ cron: { run: true }, host }).execute('cron', add)).details.job.agent).toBeUndefined()
    }
  })

  test('a run that throws has failed, and one that takes too long is aborted', async () => {
    let aborted = false
    const toolkit = make({
      cron: { run: true },
      host: {
        onCron: ({ name }: any, { signal }: any) =>
          name === 'slow'
            ? new Promise((resolve) => {
                signal.addEventListener('abort', () => {
                  aborted = true
                  resolve('late')
                })
              })
            : Promise.reject(new Error('broken')),
      },
    })
    const add = async (name: string, more: object = {}) => {
      const { job } = (await toolkit.execute('cron', { action: 'add', name, prompt: 'p', schedule: '@yearly', ...more })).details
      await toolkit.execute('cron', { action: 'run', jobId: job.jobId })
      return job.jobId
    }
    const broken = await add('broken')
    const slow = await add('slow', { timeout: 1 })
    expect(await until(lastRun(toolkit, broken))).toMatchObject({ status: 'failed', error: expect.stringContaining('broken') })
    expect(await until(lastRun(toolkit, slow))).toMatchObject({ status: 'timeout' })
    expect(aborted).toBe(true)
  })

  test('a job fires while the event loop is blocked, and its process may then die: the run is not lost unseen', async () => {
    const directory = workspace()
    const script = `
      const { Toolkit } = require(${JSON.stringify(join(__dirname, '..', 'index.js'))})
      const toolkit = new Toolkit({ workspace: ${JSON.stringify(directory)}, cron: { run: true, keepAlive: true }, host: { onCron: () => new Promise(() => {}) } })
      ;(async () => {
        const { details } = await toolkit.execute('cron', { action: 'add', prompt: 'p', schedule: '@yearly' })
        await toolkit.execute('cron', { action: 'run', jobId: details.job.jobId })
        process.stdout.write(details.job.jobId + '\\n', () => { for (;;) {} })
      })()`
    const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
    const jobId = await new Promise<string>((resolve) => child.stdout.once('data', (data) => resolve(String(data).trim())))
    const toolkit = make({ workspace: directory, cron: {} })
    const running = await until(async () => (await toolkit.execute('cron', { action: 'runs', jobId })).details.runs[0])
    expect(running).toMatchObject({ status: 'running', trigger: 'manual' })
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await gone
    expect((await toolkit.execute('cron', { action: 'runs', jobId })).details.runs).toHaveLength(1)
  })

  test('Node ends although a toolkit runs jobs, unless that is wanted', async () => {
    const script = `
      const { Toolkit } = require(${JSON.stringify(join(__dirname, '..', 'index.js'))})
      new Toolkit({ workspace: ${JSON.stringify(workspace())}, cron: { run: true }, host: { onCron() {} } })`
    const child = spawn(process.execPath, ['-e', script], { stdio: 'ignore' })
    expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(0)
  })
})
