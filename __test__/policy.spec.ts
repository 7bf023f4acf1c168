import { expect, test } from 'vitest'

import { failureOf, toolkitOf } from './support/workspace.js'

test('a compound is judged part by part, and the explanation says so', () => {
  const toolkit = toolkitOf({}, { permissions: { allow: ['Bash(git:*)', 'Bash(ls:*)'], deny: ['Bash(git push:*)'] } })
  const verdict = (command: string) => toolkit.decide('exec', { command }).verdict
  expect([verdict('git status | ls'), verdict('git status; make'), verdict('ls $(timeout 5 git push)')]).toEqual(['allow', 'ask', 'deny'])
  const told = toolkit.decide('exec', { command: 'git status; make' })
  expect(told.parts?.map(({ subject, verdict }) => `${verdict} ${subject}`)).toEqual(['allow git status', 'ask make'])
  expect(told.suggestion).toEqual(['Bash(make)'])
})

test('a denied command is a permission error that names the rule, and nothing ran', async () => {
  const toolkit = toolkitOf({ 'a.txt': 'x' }, { permissions: { deny: ['Bash(rm:*)'] } })
  const error = await failureOf(toolkit.execute('exec', { command: 'true && /bin/rm a.txt' }))
  expect(error).toMatchObject({ error_type: 'permission_denied', details: { matched_rule: 'deny: Bash(rm:*)' } })
  expect((await toolkit.execute('ls', {})).content[0]).toEqual({ type: 'text', text: 'a.txt' })
})

test('a rule that could not do what it says is an error at creation', () => {
  expect(() => toolkitOf({}, { permissions: { deny: ['Bash(git:*:push)'] } })).toThrow(/Bash\(git:\*:push\)/)
  expect(() => toolkitOf({}, { permissions: { allow: [{ rule: 'Bash(git:*)', match: ['make'] }] } })).toThrow(/make/)
})

test('simulate shows what other permissions would have decided', async () => {
  const toolkit = toolkitOf()
  await toolkit.execute('exec', { command: 'true' })
  const [told] = toolkit.simulate(toolkit.history(), { deny: ['Bash'] })
  expect(told).toMatchObject({ tool: 'exec', before: 'allow', after: 'deny', changed: true })
})
