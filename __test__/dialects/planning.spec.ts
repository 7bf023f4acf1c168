import { describe, expect, test } from 'vitest'

import { Toolkit, type Dialect } from '../../index.js'
import { failureOf, readyOf, toolkitOf, workspaceOf } from '../support/workspace.js'

/** A toolkit that speaks a dialect, and its calls: a name and parameters to details. */
function speaking(dialect: Dialect, options: object = {}, files: Record<string, string> = {}) {
  const toolkit = toolkitOf<any>(files, { dialect, skills: { directories: ['.claude/skills'] }, ...options })
  return {
    toolkit,
    call: async (name: string, params: object) => (await toolkit.execute(name, params)).details as any,
    text: async (name: string, params: object) => (await toolkit.execute(name, params)).content.map((part: any) => part.text).join(''),
    refusal: (name: string, params: object) => failureOf(toolkit.execute(name, params)),
    faults: async (name: string, params: object) => (await toolkit.promises.validateParams(name, params)).errors?.map(({ param, code }) => [param, code]),
  }
}

const option = (label: string) => ({ label, description: `what ${label} means` })
/** What the details of a task say of its run. */
const run = { sessionId: expect.stringMatching(/^s_/), runId: expect.stringMatching(/^r_/), status: 'completed' }
const question = { question: 'Which database?', header: 'Database', options: [option('SQLite'), option('Postgres')], multiSelect: false }
const skill = (name: string, description: string) => `---\nname: ${name}\ndescription: ${description}\n---\n\n# ${name}\n\nDo it well.\n`

describe('canonical', () => {
  test('AskUserQuestion answers by the texts of the questions', async () => {
    const host = { askUser: () => ({ answers: { 'Which database?': 'SQLite', 'Which colours?': ['red', 'blue'] } }) }
    const { call, text } = speaking('canonical', { host })
    const questions = [question, { ...question, question: 'Which colours?', multiSelect: true }]
    expect(await call('AskUserQuestion', { questions })).toEqual({ answers: { 'Which database?': 'SQLite', 'Which colours?': 'red, blue' } })
    expect(await text('AskUserQuestion', { questions })).toBe('The user answered:\nWhich database?\n-> SQLite\nWhich colours?\n-> red, blue')
  })

  test('AskUserQuestion hands the previews of options to the host', async () => {
    let asked: any
    const host = { askUser: (request: any) => ((asked = request), { 'Which database?': 'SQLite' }) }
    const { call } = speaking('canonical', { host })
    const options = [{ ...option('SQLite'), preview: 'one file' }, option('Postgres')]
    await call('AskUserQuestion', { questions: [{ ...question, options }] })
    expect(asked.questions[0].options).toEqual(options)
  })

  test.each<[string, object[], [string, string][]]>([
    ['no question', [], [['questions', 'INVALID_LENGTH']]],
    ['five questions', Array.from({ length: 5 }, (_, index) => ({ ...question, question: `${index}?` })), [['questions', 'INVALID_LENGTH']]],
    ['a long header', [{ ...question, header: 'thirteen char' }], [['questions[0].header', 'INVALID_LENGTH']]],
    ['one option', [{ ...question, options: [option('a')] }], [['questions[0].options', 'INVALID_LENGTH']]],
    ['five options', [{ ...question, options: ['a', 'b', 'c', 'd', 'e'].map(option) }], [['questions[0].options', 'INVALID_LENGTH']]],
    [
      'an option without a description',
      [{ ...question, options: [{ label: 'a' }, option('b')] }],
      [['questions[0].options[0].description', 'MISSING_REQUIRED']],
    ],
    ['a question twice', [question, question], [['questions[1].question', 'TYPE_MISMATCH']]],
    ['an option twice', [{ ...question, options: [option('a'), option('a')] }], [['questions[0].options[1].label', 'TYPE_MISMATCH']]],
    [
      'several faults',
      [{ header: 'thirteen char', options: [option('a')] }],
      [
        ['questions[0].header', 'INVALID_LENGTH'],
        ['questions[0].options', 'INVALID_LENGTH'],
        ['questions[0].question', 'MISSING_REQUIRED'],
      ],
    ],
  ])('%s is an argument error', async (_, questions, expected) => {
    const { faults, refusal } = speaking('canonical', { host: { askUser: () => 'x' } })
    const sorted = (list: any) => [...list].sort()
    expect(sorted(await faults('AskUserQuestion', { questions }))).toEqual(sorted(expected))
    expect(await refusal('AskUserQuestion', { questions })).toMatchObject({ error_type: 'invalid_input', details: { code: 'invalid_params' } })
  })

  test('a header of twelve characters, whatever they are, is taken', async () => {
    const { faults } = speaking('canonical')
    expect(await faults('AskUserQuestion', { questions: [{ ...question, header: 'größer 👩🏽‍🔬!' }] })).toBeUndefined()
  })

  test('TodoWrite replaces the list, TodoRead returns it', async () => {
    const { call, text } = speaking('canonical')
    const todos = [
      { content: 'Run the tests', status: 'completed', activeForm: 'Running the tests' },
      { content: 'Fix them', status: 'in_progress', activeForm: 'Fixing them' },
    ]
    expect(await call('TodoWrite', { todos })).toEqual({ success: true })
    expect(await call('TodoRead', {})).toEqual({ todos })
    expect(await text('TodoRead', {})).toBe('[x] Run the tests\n[>] Fix them')
    expect(await text('TodoWrite', { todos: [] })).toBe('The task list was cleared.')
    expect(await call('TodoRead', {})).toEqual({ todos: [] })
  })

  test('any number of entries may be in progress, and the old list stays when the new one is refused', async () => {
    const { call, faults, refusal } = speaking('canonical')
    const todo = (status: string) => ({ content: status, status, activeForm: status })
    const todos = ['in_progress', 'pending', 'in_progress', 'in_progress'].map(todo)
    expect(await call('TodoWrite', { todos })).toEqual({ success: true })
    expect(await faults('TodoWrite', { todos: [todo('done')] })).toEqual([['todos[0].status', 'INVALID_ENUM']])
    expect(await refusal('TodoWrite', { todos: [todo('done')] })).toMatchObject({ error_type: 'invalid_input' })
    expect((await call('TodoRead', {})).todos).toHaveLength(4)
  })

  test('the levels', async () => {
    const names = async (level?: 1 | 2 | 3) =>
      (await readyOf(speaking('canonical', { tools: { show: 'all' }, ...(level ? { level } : {}) }).toolkit)).listTools().map(({ name }) => name)
    expect(await names(1)).toContain('AskUserQuestion')
    expect(await names(1)).not.toContain('TodoWrite')
    expect(await names(2)).toContain('TodoWrite')
    expect(await names(3)).not.toContain('TodoRead')
    expect(await names()).toContain('TodoRead')
  })
})

describe('coder', () => {
  test('todowrite and todoread answer the same', async () => {
    const { call, text } = speaking('coder', { session: { id: 'coder-session' } })
    const empty = { ok: true, session_id: 'coder-session', items: [], count: 0, in_progress: null }
    expect(await call('todoread', {})).toEqual(empty)
    const items = [
      { id: '1', content: 'look', status: 'completed', priority: 'low' },
      { id: '2', content: 'think', status: 'in_progress', priority: 'high' },
      { id: '3', content: 'act', status: 'pending', priority: 'medium' },
    ]
    const full = { ok: true, session_id: 'coder-session', items, count: 3, in_progress: items[1] }
    expect(await call('todowrite', { todos: items })).toEqual(full)
    expect(await call('todoread', {})).toEqual(full)
    expect(await text('todoread', {})).toBe('[x] 1: look\n[>] 2: think\n[ ] 3: act')
    expect(await text('todowrite', { todos: items })).toBe('The task list was updated: 1 done, 1 in progress, 1 to do.')
    expect(await call('todowrite', { todos: [] })).toEqual(empty)
  })

  test('an entry needs no id, and a cancelled one is removed', async () => {
    const { call, text, toolkit } = speaking('coder', { session: { id: 'coder-session' } })
    const todos = [
      { content: 'look', status: 'cancelled', priority: 'low' },
      { content: 'act', status: 'in_progress', priority: 'high' },
    ]
    const items = [{ id: '1', ...todos[1] }]
    const full = { ok: true, session_id: 'coder-session', items, count: 1, in_progress: items[0] }
    const repairs = [{ param: 'todos', message: 'removed 1 cancelled task' }]
    expect(await call('todowrite', { todos })).toEqual({ ...full, repairs })
    expect(await text('todoread', {})).toBe('[>] act')
    const { parameters } = (await readyOf(toolkit)).tool('todowrite') as any
    expect(parameters.properties.todos.items.properties.status.enum).toEqual(['pending', 'in_progress', 'completed'])
  })

  test('what an entry must have', async () => {
    const { faults } = speaking('coder')
    expect(await faults('todowrite', { todos: [{ content: 'x', status: 'done' }] })).toEqual(
      expect.arrayContaining([
        ['todos[0].priority', 'MISSING_REQUIRED'],
        ['todos[0].status', 'INVALID_ENUM'],
      ]),
    )
    const active = (id: string) => ({ id, content: 'x', status: 'in_progress', priority: 'low' })
    expect(await faults('todowrite', { todos: [active('1'), active('2')] })).toEqual([['todos[1].status', 'INVALID_ENUM']])
  })

  test('skill lists and loads', async () => {
    const files = { '.claude/skills/pdf/SKILL.md': skill('pdf', 'Fills forms.'), '.claude/skills/deploy/SKILL.md': skill('deploy', 'Ships it.') }
    const { call, text } = speaking('coder', {}, files)
    expect(await call('skill', { action: 'list' })).toEqual({
      ok: true,
      skills: [
        { name: 'deploy', description: 'Ships it.', path: '.claude/skills/deploy/SKILL.md' },
        { name: 'pdf', description: 'Fills forms.', path: '.claude/skills/pdf/SKILL.md' },
      ],
    })
    expect(await text('skill', { action: 'list' })).toBe('deploy: Ships it. (.claude/skills/deploy/SKILL.md)\npdf: Fills forms. (.claude/skills/pdf/SKILL.md)')
    expect(await call('skill', { action: 'load', name: 'pdf' })).toEqual({ ok: true, name: 'pdf', content: files['.claude/skills/pdf/SKILL.md'] })
    expect(await text('skill', { action: 'load', name: 'pdf' })).toBe(
      'Instructions of the skill `pdf`. The files that they name are in `.claude/skills/pdf`.\n\n# pdf\n\nDo it well.',
    )
  })

  test('a skill that is not there, and a name that is none', async () => {
    const { refusal, faults, text } = speaking('coder')
    expect(await refusal('skill', { action: 'load', name: 'pdf' })).toMatchObject({
      error_type: 'not_found',
      message: 'There is no skill `pdf`. None is available.',
    })
    expect(await faults('skill', { action: 'load' })).toEqual([['name', 'MISSING_REQUIRED']])
    for (const name of ['../secret', 'a/b', 'a\\b', '..', '/etc/passwd', '']) {
      expect(await faults('skill', { action: 'load', name })).toEqual([['name', 'PATTERN_MISMATCH']])
      expect(await refusal('skill', { action: 'load', name })).toMatchObject({ error_type: 'invalid_input' })
    }
    expect(await text('skill', { action: 'list' })).toBe('No skills in .claude/skills.')
  })

  test('task answers what the agent says', async () => {
    const runAgent = ({ agent, objective }: any) => `${agent} did: ${objective}`
    const { call } = speaking('coder', { host: { runAgent } })
    expect(await call('task', { agent: 'tester', objective: 'run' })).toEqual({ ok: true, agent: 'tester', summary: 'tester did: run', ...run })
  })
})

describe('agent', () => {
  test('the same in camelCase', async () => {
    const host = { askUser: () => 'SQLite', runAgent: () => ({ ok: true, summary: 'done' }) }
    const { call } = speaking('agent', { host, session: { id: 's' } }, { '.claude/skills/pdf/SKILL.md': skill('pdf', 'Fills forms.') })
    const todos = [
      { id: 'a', content: 'look', status: 'in_progress', activeForm: 'Looking', priority: 'high' },
      { content: 'act', status: 'pending' },
    ]
    const list = { ok: true, sessionId: 's', items: todos, count: 2, inProgress: todos[0] }
    expect(await call('todo_write', { todos })).toEqual(list)
    expect(await call('todo_read', {})).toEqual(list)
    expect(await call('ask_user', { questions: [question] })).toEqual({ answers: { 'Which database?': 'SQLite' } })
    expect(await call('task', { agent: 'a', objective: 'b' })).toEqual({ ok: true, agent: 'a', summary: 'done', ...run })
    expect(await call('skill', { action: 'list' })).toMatchObject({ ok: true, skills: [{ name: 'pdf' }] })
  })

  test('slips that mean nothing else are repaired', async () => {
    const { call } = speaking('agent', { host: { askUser: () => 'SQLite', runAgent: () => 'done' } })
    const { multiSelect: _, ...plain } = question
    expect(await call('ask_user', { questions: JSON.stringify([{ ...plain, multi_select: 'false' }]) })).toMatchObject({
      answers: { 'Which database?': 'SQLite' },
    })
    expect(await call('todo_write', { items: { content: 'x', status: 'pending', active_form: null } })).toMatchObject({ items: [{ content: 'x' }] })
    expect(await call('task', { subagent_type: 'a', prompt: 'b' })).toMatchObject({ agent: 'a', summary: 'done' })
  })

  test('what hosts learn about the tools', async () => {
    const toolkit = await readyOf(speaking('agent', { tools: { show: 'all' } }).toolkit)
    const facts = ['todo_read', 'todo_write', 'skill', 'task', 'ask_user'].map((name) => {
      const { category, group, annotations, replay } = toolkit.tool(name)
      const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations
      return [name, category, group, { readOnlyHint, destructiveHint, idempotentHint, openWorldHint }, replay]
    })
    const hints = (read: boolean, destroys: boolean, again: boolean, open: boolean) => ({
      readOnlyHint: read,
      destructiveHint: destroys,
      idempotentHint: again,
      openWorldHint: open,
    })
    expect(facts).toEqual([
      ['todo_read', 'session', 'planning', hints(true, false, true, false), 'safe'],
      ['todo_write', 'session', 'planning', hints(false, false, true, false), 'never'],
      ['skill', 'session', 'planning', hints(true, false, true, false), 'safe'],
      ['task', 'session', 'planning', hints(false, true, false, true), 'never'],
      ['ask_user', 'session', 'planning', hints(true, false, false, false), 'never'],
    ])
  })
})

describe('whose list it is', () => {
  const todos = [{ content: 'x', status: 'pending' }]
  const count = async (toolkit: any) => (await toolkit.execute('todo_read', {})).details.count

  test('a session is continued by every toolkit of its name over its workspace, closed ones too', async () => {
    const workspace = workspaceOf()
    const session = { id: 'mine' }
    const first = toolkitOf({}, { workspace, session })
    await first.execute('todo_write', { todos } as never)
    await first.close()
    expect(await count(toolkitOf({}, { workspace, session }))).toBe(1)
    expect(await count(toolkitOf({}, { workspace, session: { id: 'other' } }))).toBe(0)
    expect(await count(toolkitOf({}, { session }))).toBe(0)
    const read = await toolkitOf<'coder'>({}, { workspace, session, dialect: 'coder' }).execute('todoread', {})
    expect(read.details.items).toEqual([{ id: '1', content: 'x', status: 'pending', priority: 'medium' }])
  })

  test('without a name it goes with its toolkit', async () => {
    const workspace = workspaceOf()
    const one = toolkitOf({}, { workspace })
    const { details } = await one.execute('todo_write', { todos } as never)
    expect(details.sessionId).toMatch(/^session_[0-9a-f]{16}$/)
    expect(await count(toolkitOf({}, { workspace }))).toBe(0)
    expect(() => new Toolkit({ workspace, session: { id: ' ' } })).toThrow('`session.id` is empty')
  })
})
