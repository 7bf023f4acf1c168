import { mkdirSync, symlinkSync } from 'node:fs'
import path from 'node:path'

import { describe, expect, test, vi } from 'vitest'

import { Toolkit } from '../index.js'
import { failureOf, toolkitOf, workspaceOf } from './support/workspace.js'

const skill = (name: string, description = 'x') => `---\nname: ${name}\ndescription: ${description}\n---\nBody of ${name}.\n`
const files = { '.claude/skills/pdf/SKILL.md': skill('pdf'), '.claude/skills/internal-docs/SKILL.md': skill('internal-docs') }
const DIRECTORIES = { skills: { directories: ['.claude/skills'] } }
const load = (name: string) => ({ action: 'load', name }) as const
const named = async (toolkit: Toolkit) => (await toolkit.execute('skill', { action: 'list' })).details.skills!.map(({ name }) => name)

describe('where skills are', () => {
  test('in the usual directories of the workspace, the first of which wins, and it is said', async () => {
    const toolkit = toolkitOf({
      '.tenon/skills/own/SKILL.md': skill('own'),
      '.agents/skills/shared/SKILL.md': skill('shared', 'of agents'),
      '.claude/skills/shared/SKILL.md': skill('shared', 'of claude'),
    })
    const { details, content } = await toolkit.execute('skill', { action: 'list' })
    const inside = details.skills!.filter((skill) => !path.isAbsolute(skill.path))
    expect(inside).toEqual([
      { name: 'own', description: 'x', path: '.tenon/skills/own/SKILL.md' },
      { name: 'shared', description: 'of agents', path: '.agents/skills/shared/SKILL.md' },
    ])
    expect(content[0]).toMatchObject({
      text: expect.stringContaining('`.claude/skills/shared/SKILL.md` is hidden by `.agents/skills/shared/SKILL.md`, which has the same name, `shared`'),
    })
  })

  test('in directories that the host names, outside of the workspace too, where links are followed', async () => {
    const elsewhere = workspaceOf({ 'skills/far/SKILL.md': skill('far'), 'repository/linked/SKILL.md': skill('linked') })
    symlinkSync(path.join(elsewhere, 'repository/linked'), path.join(elsewhere, 'skills/linked'))
    const toolkit = toolkitOf({ 'tools/near/SKILL.md': skill('near') }, { skills: { directories: ['tools', path.join(elsewhere, 'skills'), 'nowhere'] } })
    expect(await named(toolkit)).toEqual(['far', 'linked', 'near'])
    expect((await toolkit.execute('skill', load('far'))).details).toEqual({ ok: true, name: 'far', content: skill('far') })
    expect(await named(toolkitOf(files, { skills: { directories: [] } }))).toEqual([])
  })

  test('never where a link of the workspace leads out', async () => {
    const elsewhere = workspaceOf({ 'secret/SKILL.md': skill('secret') })
    const workspace = workspaceOf({ '.claude/skills/pdf/SKILL.md': skill('pdf') })
    symlinkSync(path.join(elsewhere, 'secret'), path.join(workspace, '.claude/skills/secret'))
    mkdirSync(path.join(workspace, '.claude/skills/file'))
    symlinkSync(path.join(elsewhere, 'secret/SKILL.md'), path.join(workspace, '.claude/skills/file/SKILL.md'))
    const toolkit = toolkitOf({}, { workspace, ...DIRECTORIES })
    expect(await named(toolkit)).toEqual(['pdf'])
    expect(await failureOf(toolkit.execute('skill', load('secret')))).toMatchObject({ error_type: 'not_found' })
    expect(() => new Toolkit({ workspace, skills: { directories: ['../elsewhere'] } })).toThrow(
      '`skills.directories[0]` is not valid: `../elsewhere` is not in the workspace',
    )
  })

  test('what a rule keeps from being read is no skill', async () => {
    const toolkit = toolkitOf(files, { ...DIRECTORIES, permissions: { deny: ['Read(.claude/skills/internal-docs/**)'] } })
    expect(await named(toolkit)).toEqual(['pdf'])
    expect(await failureOf(toolkit.execute('skill', load('internal-docs')))).toMatchObject({ error_type: 'not_found' })
  })
})

describe('who may load what', () => {
  test('rules name single skills, or their beginning', async () => {
    const toolkit = toolkitOf(files, { ...DIRECTORIES, permissions: { deny: ['Skill(internal-*)'], allow: ['Skill(pdf)', 'skill'] } })
    const verdict = (params: object) => {
      const { verdict, matched_rule } = toolkit.decide('skill', params)
      return [verdict, matched_rule]
    }
    expect(verdict(load('pdf'))).toEqual(['allow', 'Skill(pdf)'])
    expect(verdict(load('internal-docs'))).toEqual(['deny', 'Skill(internal-*)'])
    expect(verdict({ action: 'list' })).toEqual(['allow', 'skill'])
    const refused = await failureOf(toolkit.execute('skill', load('internal-docs')))
    expect(refused).toMatchObject({
      error_type: 'permission_denied',
      details: { subject: 'internal-docs', name: 'internal-docs', matched_rule: 'Skill(internal-*)', list: 'deny' },
    })
  })

  test('a rule that names a skill allows no other', () => {
    const toolkit = toolkitOf(files, { ...DIRECTORIES, permissions: { allow: ['Skill(pdf)'] } })
    expect(toolkit.decide('skill', load('other'))).toMatchObject({ verdict: 'ask', suggestion: ['Skill(other)'], effects: { names: ['other'] } })
    expect(toolkit.decide('skill', { action: 'list' }).verdict).toBe('ask')
  })

  test('agents are named in the same way', () => {
    const toolkit = toolkitOf({}, { permissions: { deny: ['Task(deployer)'] } })
    const verdict = (agent: string) => toolkit.decide('task', { agent, objective: 'x' }).verdict
    expect([verdict('deployer'), verdict('tester')]).toEqual(['deny', 'allow'])
  })

  test('an approver is asked about this skill, and always means this one', async () => {
    const onApproval = vi.fn(async () => 'always' as const)
    const toolkit = toolkitOf(files, { ...DIRECTORIES, permissions: { defaultMode: 'ask' }, onApproval })
    await toolkit.execute('skill', load('pdf'))
    await toolkit.execute('skill', load('pdf'))
    await toolkit.execute('skill', load('internal-docs'))
    expect(onApproval.mock.calls.map(([request]: any) => [request.preview.names, request.remembers])).toEqual([
      [['pdf'], ['Skill(pdf)']],
      [['internal-docs'], ['Skill(internal-docs)']],
    ])
  })

  test('a skill that the host triggers by itself asks nobody, and is denied all the same', async () => {
    const onApproval = vi.fn(async () => 'never' as const)
    const permissions = { ask: ['Skill(pdf)'], deny: ['Skill(internal-docs)'] }
    const toolkit = toolkitOf(files, { ...DIRECTORIES, permissions, onApproval })
    expect((await toolkit.execute('skill', load('pdf'), { auto: true })).details).toMatchObject({ ok: true, name: 'pdf' })
    expect(onApproval).not.toHaveBeenCalled()
    const denied = await failureOf(toolkit.execute('skill', load('internal-docs'), { auto: true }))
    expect(denied).toMatchObject({ error_type: 'permission_denied', details: { matched_rule: 'Skill(internal-docs)' } })
    expect(await failureOf(toolkit.execute('skill', load('pdf')))).toMatchObject({ error_type: 'permission_denied' })
    const silent = toolkitOf(files, { ...DIRECTORIES, permissions })
    expect(await failureOf(silent.execute('skill', load('pdf')))).toMatchObject({ error_type: 'permission_denied' })
    expect((await silent.execute('skill', load('pdf'), { auto: true })).details.ok).toBe(true)
  })

  test('nothing but a skill is triggered by itself, and no model can say so', async () => {
    const toolkit = toolkitOf(files, { ...DIRECTORIES, permissions: { defaultMode: 'ask' } })
    const refused = await failureOf(toolkit.execute('exec', { command: 'touch x' }, { auto: true }))
    expect(refused).toMatchObject({ error_type: 'invalid_input', message: '`exec` cannot be called with `auto`, which is only for skills. Call it without.' })
    expect(await failureOf(toolkit.execute('skill', { ...load('pdf'), auto: true } as never))).toMatchObject({ error_type: 'invalid_input' })
  })

  test('a denied tool is not offered at all', () => {
    expect(
      toolkitOf({}, { tools: { deny: ['group:planning'] } })
        .listTools()
        .map(({ name }) => name),
    ).not.toEqual(expect.arrayContaining(['skill']))
    expect(toolkitOf({}, { tools: { deny: ['TodoWrite'] } }).getTool('todo_write')).toBeUndefined()
  })
})

test('a skill that is longer than a page is shown up to there, and the rest is under an address', async () => {
  const body = Array.from({ length: 3000 }, (_, row) => `line ${row + 1}`).join('\n')
  const toolkit = toolkitOf({ '.claude/skills/long/SKILL.md': `---\nname: long\ndescription: x\n---\n${body}\n` }, DIRECTORIES)
  const { content, details } = await toolkit.execute('skill', load('long'))
  const [shown] = content as any[]
  expect(shown.text).toMatch(/\n\n\[Lines 1-2000 of 3,00\d lines shown\. Full output: `output:\/\/1`; read or grep it\.\]$/)
  const last = Number(/line (\d+)\n\n\[/.exec(shown.text)![1])
  const rest = await toolkit.execute('read', { file_path: 'output://1', offset: 2001 })
  expect((rest.content[0] as any).text.split('\n')[0]).toBe(`line ${last + 1}`)
  expect(details.content).toContain('line 3000')
})
