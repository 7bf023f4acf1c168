import { symlinkSync } from 'node:fs'
import path from 'node:path'

import { expect, onTestFinished, test, vi } from 'vitest'

import { importRules, isToolAllowedByPolicy, ToolError } from '../index.js'
import { failureOf, toolkitOf, workspaceOf } from './support/workspace.js'

test('a compound is judged part by part, and the explanation says so', () => {
  const toolkit = toolkitOf({}, { permissions: { allow: ['Bash(git:*)', 'Bash(ls:*)'], deny: ['Bash(git push:*)'] } })
  const verdict = (command: string) => toolkit.decide('exec', { command }).verdict
  expect([verdict('git status | ls'), verdict('git status; make'), verdict('ls $(timeout 5 git push)')]).toEqual(['allow', 'ask', 'deny'])
  const decision = toolkit.decide('exec', { command: 'git status; make' })
  expect(decision.parts?.map(({ subject, verdict }) => `${verdict} ${subject}`)).toEqual(['allow git status', 'ask make'])
  expect(decision.suggestion).toEqual(['Bash(make)'])
})

test('variables of a call are judged like those in its command, also of one in the background', async () => {
  const permissions = { allow: ['Bash(mytool:*)', 'Bash(echo:*)', 'Bash(npm:*)', 'Read(**)'] }
  const toolkit = toolkitOf({ '.npmrc': 'x' }, { permissions })
  const verdict = (params: object) => toolkit.decide('exec', params).verdict
  const commands = ['mytool x', 'npm test', 'echo x', 'mytool "$X"']
  const variables = [{ FOO_CONFIG: '/tmp/x' }, { FOO_CONFIG: 'src/x' }, { X: 'plain' }, { X: '.npmrc' }, { PATH: '/tmp' }]
  expect(variables.map((env) => commands.map((command) => verdict({ command, env })).join(' '))).toEqual([
    'ask ask allow ask',
    'ask allow allow ask',
    'allow allow allow allow',
    'allow allow allow ask',
    // No call may give it.
    'deny deny deny deny',
  ])
  expect(toolkit.decide('exec', { command: 'npm test', env: { PATH: '/tmp' } }).issues?.map(({ param }) => param)).toEqual(['env'])
  expect(verdict({ command: 'mytool', env: { FOO_CONFIG: '/tmp/x' }, background: true })).toBe('ask')
  expect(verdict({ command: 'mytool', environment: { FOO_CONFIG: '/tmp/x' } })).toBe('ask')
  const refused = await failureOf(toolkit.execute('exec', { command: 'mytool', env: { FOO_CONFIG: '/tmp/secret' } }))
  expect(refused.message).toContain('needs approval')
  expect(JSON.stringify([refused.message, refused.details])).not.toContain('/tmp/secret')
})

test('protected names that are there count whichever way they reach a program', () => {
  const files = { '.vscode/tasks.json': '{}', '.npmrc': 'x', 'src/a.ts': 'x', 'src/b.json': '{}' }
  const allow = ['find', 'mytool', 'sed', 'rm', 'printf', 'echo', 'xargs -0 mytool'].map((name) => `Bash(${name}:*)`)
  const toolkit = toolkitOf(files, { permissions: { allow: [...allow, 'Read(**)', 'Edit(src/**)'] } })
  const asked = [
    "find . -name '*.json' | xargs mytool",
    'find . -name .npmrc | xargs rm',
    'find .vscode -type f | xargs sed -i s/a/b/',
    'rm .npmr?',
    'mytool .npm*',
    "find . -name '*.json' -print0 | xargs -0 mytool",
    'for f in .npm*; do mytool "$f"; done',
    'mytool $(echo .npmrc)',
    'mytool --plugin x',
    'mytool --config x.js',
  ]
  const allowed = [
    "find src -name '*.json' | xargs mytool",
    "find . -name '*.ts' | xargs sed -i s/a/b/",
    'rm src/*.json',
    'mytool src/*',
    'mytool --config x.yml',
    'mytool --shell bash',
  ]
  const verdicts = (commands: string[]) => commands.map((command) => `${toolkit.decide('exec', { command }).verdict} ${command}`)
  expect(verdicts(asked)).toEqual(asked.map((command) => `ask ${command}`))
  expect(verdicts(allowed)).toEqual(allowed.map((command) => `allow ${command}`))
})

test('directories are looked through: what is not there needs no answer', () => {
  const files = { '.env': 'x', 'src/a.ts': 'x', 'lib/.env': 'x', 'lib/a.ts': 'x', 'odd/x .env y.ts': 'x', 'kept/.env': 'x', 'kept/.ignore': '!.env' }
  const toolkit = toolkitOf(files, {
    permissions: {
      allow: ['Bash(grep:*)', 'Bash(rg:*)', 'Bash(find:*)', 'Bash(cat:*)', 'Bash(tar:*)', 'Bash(xargs -0 cat:*)', "Bash(find lib -name '*.ts' -exec cat:*)"],
      deny: ['Read(.env)'],
    },
  })
  const asked = [
    'grep -rn x .',
    'grep -rn x lib',
    "grep -rn --exclude=y --include='*.ts' x lib",
    'rg --hidden x lib',
    'rg x kept',
    'tar xf a.tar -C src && grep -r x src',
    "find odd -name '*.ts' | xargs cat",
    'find lib | xargs cat',
    'cat $(rg -l --hidden x lib)',
  ]
  const allowed = [
    'grep -rn x src',
    "grep -rn --include='*.ts' x .",
    'rg x lib',
    "find src -name '*.ts' | xargs cat",
    "find odd -name '*.ts' -print0 | xargs -0 cat",
    "find lib -name '*.ts' -exec cat {} +",
    'cat $(rg -l x lib)',
    'find src -name \'*.ts\' | while read -r f; do cat "$f"; done',
  ]
  const verdicts = (commands: string[]) => commands.map((command) => `${toolkit.decide('exec', { command }).verdict} ${command}`)
  expect(verdicts(asked)).toEqual(asked.map((command) => `ask ${command}`))
  expect(verdicts(allowed)).toEqual(allowed.map((command) => `allow ${command}`))
  expect(toolkit.decide('exec', { command: 'grep -rn x lib' }).reason).toBe(
    'Reading `lib` includes `lib/.env`, which the rule `Read(.env)` protects. Leave it out with `--exclude=.env`.',
  )
})

test('rules on places outside hold for links that lead there, and for directories that hold them', () => {
  const outside = workspaceOf({ 'home/.ssh/key': 'x', 'home/a.txt': 'x', 'kept/b.txt': 'x', 'free/c.txt': 'x' })
  const workspace = workspaceOf({ 'a.txt': 'x', 'src/a.ts': 'x' })
  const links: [string, string][] = [
    ['ssh', `${outside}/home/.ssh`],
    ['home', path.relative(workspace, `${outside}/home`)],
    ['key', 'ssh/key'],
    ['self', '.'],
    ['kept', `${outside}/kept`],
  ]
  for (const [name, target] of links) symlinkSync(target, path.join(workspace, name))
  const deny = [`Read(${outside}/home/.ssh/**)`, `Edit(${outside}/kept/**)`]
  const toolkit = toolkitOf({}, { workspace, permissions: { deny, defaultMode: 'allow' } })
  const up = path.relative(workspace, outside)
  const denied = [
    'cat ssh/key',
    'cat home/.ssh/key',
    'cat key',
    'cat self/self/key',
    `cat self/${up}/home/.ssh/key`,
    `cd self; cat ${up}/home/.ssh/key`,
    'grep -r x ssh/',
    'rm kept/b.txt',
    'rm -r kept/',
    'cp a.txt kept/new.txt',
    'sed -i s/x/y/ kept/b.txt',
  ]
  const asked = ['grep -r x home/', `grep -r x ${outside}/home`, `tar cf a.tar ${up}/home`, `rm -r ${outside}`, `cp -r ${up}/home copy`]
  const allowed = ['cat home/a.txt', `grep -r x ${outside}/free`, `rm -r ${up}/free`, 'cat kept/b.txt', 'ls home', `ls -R ${up}/home`]
  const verdicts = (commands: string[]) => commands.map((command) => `${toolkit.decide('exec', { command }).verdict} ${command}`)
  expect(verdicts(denied)).toEqual(denied.map((command) => `deny ${command}`))
  expect(verdicts(asked)).toEqual(asked.map((command) => `ask ${command}`))
  expect(verdicts(allowed)).toEqual(allowed.map((command) => `allow ${command}`))
})

test('a denied command is a permission error that names the rule, and nothing ran', async () => {
  const toolkit = toolkitOf({ 'a.txt': 'x' }, { permissions: { deny: ['Bash(rm:*)'] } })
  const error = await failureOf(toolkit.execute('exec', { command: 'true && /bin/rm a.txt' }))
  expect(error).toMatchObject({ error_type: 'permission_denied', details: { command: '/bin/rm a.txt', matched_rule: 'Bash(rm:*)', list: 'deny' } })
  expect((await toolkit.execute('ls', {})).content[0]).toEqual({ type: 'text', text: 'a.txt' })
})

test('a rule that could not do what it says is an error at creation', () => {
  expect(() => toolkitOf({}, { permissions: { deny: ['Bash(git:*:push)'] } })).toThrow(/Bash\(git:\*:push\)/)
  expect(() => toolkitOf({}, { permissions: { allow: [{ rule: 'Bash(git:*)', match: ['make'] }] } })).toThrow(/make/)
})

test('a name in the lists of tools that no tool has is a warning with what was probably meant', () => {
  const warned: string[] = []
  const spy = vi.spyOn(process, 'emitWarning').mockImplementation((warning) => void warned.push(String(warning)))
  onTestFinished(() => spy.mockRestore())
  toolkitOf(
    {},
    {
      tools: { deny: ['nosuch', 'fs', 'Bash', 'group:web', 'mcp__github__*', 'deploy'], allow: ['reed', 'group:own'], groups: { own: ['grepp'] } },
      customTools: ['deploy'],
    },
  )
  const end = 'List tools that you register later in `customTools`.'
  const nothing = 'is not the name of a known tool, so it has no effect unless such a tool is registered.'
  expect(warned).toEqual([
    `\`reed\` in \`tools.allow\` ${nothing} Did you mean \`read\`? ${end}`,
    `\`grepp\` of \`group:own\` in \`tools.allow\` ${nothing} Did you mean \`grep\`? ${end}`,
    `\`nosuch\` in \`tools.deny\` ${nothing} Write the name of a tool in any dialect, or \`group:name\`. ${end}`,
    `\`fs\` in \`tools.deny\` ${nothing} Did you mean \`group:fs\`? ${end}`,
  ])
})

test('a list that names one tool of the host does not mean the others', async () => {
  const handler = () => 'ran'
  const customTools = [
    { name: 'deploy', handler },
    { name: 'report', handler },
  ]
  expect(
    toolkitOf({}, { customTools, tools: { deny: ['deploy'] } })
      .getTools(['deploy', 'report'])
      .map(({ name }) => name),
  ).toEqual(['report'])
  expect(
    toolkitOf({}, { customTools, tools: { allow: ['deploy'] } })
      .listTools()
      .map(({ name }) => name),
  ).toEqual(['deploy'])
})

test('simulate shows what other permissions would have decided', async () => {
  const toolkit = toolkitOf()
  await toolkit.execute('exec', { command: 'true' })
  const [decision] = toolkit.simulate(toolkit.history(), { deny: ['Bash'] })
  expect(decision).toMatchObject({ tool: 'exec', before: 'allow', after: 'deny', changed: true })
})

test('a policy of names is decided by what the names mean', () => {
  const coding = { profile: 'coding' as const }
  const allowed = (policy: Parameters<typeof isToolAllowedByPolicy>[1], names: string[]) => names.filter((name) => isToolAllowedByPolicy(name, policy))
  const names = ['read', 'Write', 'apply_patch', 'Bash', 'run_command', 'grep', 'web_search', 'sessions_spawn', 'session_status', 'message', 'own_tool']
  expect(allowed(undefined, names)).toEqual(names)
  expect(allowed({ profile: 'minimal' }, names)).toEqual(['session_status'])
  expect(allowed(coding, names)).toEqual(['read', 'Write', 'apply_patch', 'Bash', 'run_command', 'grep', 'sessions_spawn', 'session_status'])
  expect(allowed({ profile: 'messaging' }, names)).toEqual(['sessions_spawn', 'session_status', 'message'])
  expect(allowed({ allow: ['group:fs', 'own-tool'] }, names)).toEqual(['read', 'Write', 'apply_patch', 'own_tool'])
  expect(allowed({ allow: ['read', 'bash'], deny: ['exec'] }, names)).toEqual(['read'])
  expect(allowed({ deny: ['write', 'group:web'] }, names)).toEqual([
    'read',
    'Bash',
    'run_command',
    'grep',
    'sessions_spawn',
    'session_status',
    'message',
    'own_tool',
  ])
  expect(allowed({ allow: ['group:mine'], groups: { mine: ['grep', 'group:web'] } }, names)).toEqual(['grep', 'web_search'])
})

test.each([
  [{ deny: ['group:none'] }, /group:none/],
  [{ profile: 'all' }, /profile/],
  [{ allow: 'read' }, /allow/],
  [{ denny: ['read'] }, /denny/],
  [{ groups: { a: ['group:a'] }, allow: ['group:a'] }, /cycle/],
])('a policy of names that cannot be used is no open door: %j', (policy, message) => {
  expect(() => isToolAllowedByPolicy('read', policy as any)).toThrow(message)
})

test('rules of other agents are taken over with a report, and can be used as they come', () => {
  const settings = JSON.stringify({ permissions: { allow: ['Bash(npm run test:*)', 'Bash(npm*)', 'Edit(src/**)'], deny: ['Read(./.env)', 'Frobnicate'] } })
  const { permissions, report } = importRules('claude-code', settings)
  expect(permissions).toEqual({ deny: ['Read(.env)'], allow: ['Bash(npm run test:*)', 'Edit(src/**)', 'Read(**)'], defaultMode: 'ask' })
  expect(report).toEqual([
    { rule: 'Bash(npm*)', why: expect.stringContaining('whole words'), restricts: false },
    { rule: 'Frobnicate', why: expect.stringContaining('unknown tool'), restricts: true },
  ])
  const toolkit = toolkitOf({ '.env': 'x' }, { permissions })
  expect(toolkit.decide('exec', { command: 'npm run test -- --watch' }).verdict).toBe('allow')
  expect(toolkit.decide('exec', { command: 'cat .env' }).verdict).toBe('deny')
  expect(importRules('opencode', '{"permission": {"edit": "deny"}}').permissions).toEqual({ deny: ['Edit'] })
  expect(importRules('gemini-cli', '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "ls"\ndecision = "allow"').permissions).toEqual({
    allow: ['Bash(ls:*)', 'Read(**)'],
    defaultMode: 'ask',
  })
  expect(importRules('codex', 'prefix_rule(pattern = ["git", "push"], decision = "forbidden")').permissions).toEqual({
    deny: ['Bash(git push:*)'],
    allow: ['Read(**)'],
    defaultMode: 'ask',
  })
})

test.each([
  ['gemini-cli', '[[rule]', /line 1/],
  ['codex', 'x = 1', /line 1/],
  ['codex', 'prefix_rule(pattern = ["git"], decission = "forbidden")', /no argument `decission`/],
  ['claude-code', '{', /Claude Code/],
  ['cursor', '{}', /cursor/],
  ['codex', 7, /text/],
])('a text that is no rule file of %s is an error', (format, text, message) => {
  const read = () => importRules(format as any, text as any)
  expect(read).toThrow(message)
  expect(read).toThrow(ToolError)
})

test.each([
  [
    'write',
    {},
    [
      { param: 'file_path', code: 'MISSING_REQUIRED' },
      { param: 'content', code: 'MISSING_REQUIRED' },
    ],
  ],
  ['write', null, [{ param: 'file_path' }, { param: 'content' }]],
  ['nope', {}, [{ param: '', code: 'TOOL_NOT_FOUND' }]],
  ['write', { file_path: 'a', content: () => {} }, [{ param: 'content' }]],
] as const)('decide denies what would fail and never throws: %s %j', (tool, params, issues) => {
  const explained = toolkitOf().decide(tool, params)
  expect(explained).toMatchObject({ verdict: 'deny', reason: expect.any(String), matched_rule: null, danger: 'low', effects: {} })
  expect(explained.issues).toMatchObject(issues as never)
})

test('decide grades what could go wrong', () => {
  const toolkit = toolkitOf({ 'a.txt': 'x' })
  const danger = (tool: string, params: object) => toolkit.decide(tool, params).danger
  expect(['ls', 'git status', 'npm test', 'rm -rf /'].map((command) => danger('exec', { command }))).toEqual(['low', 'low', 'high', 'high'])
  expect(danger('read', { file_path: 'a.txt' })).toBe('low')
  expect(danger('write', { file_path: 'new.md', content: '' })).toBe('medium')
  expect(danger('web_fetch', { url: 'https://example.com' })).toBe('high')
})

test('a rule that decides is named as it was written, with its list', () => {
  const toolkit = toolkitOf({ '.env': 'x' }, { permissions: { deny: [{ rule: 'Read(.env)', because: 'it has keys' }], ask: ['Bash(git push:*)'] } })
  expect(toolkit.decide('read', { file_path: '.env' })).toMatchObject({
    verdict: 'deny',
    reason: 'Denied by the rule `Read(.env)`: it has keys.',
    matched_rule: 'Read(.env)',
    list: 'deny',
  })
  const push = toolkit.decide('exec', { command: 'git push && git push -f' })
  expect(push).toMatchObject({ verdict: 'ask', matched_rule: 'Bash(git push:*)', list: 'ask' })
  expect(push.reason).toBe('The command `git push` requires approval by the rule `Bash(git push:*)` (and 1 other part).')
})

test('a program that runs any code is a remark of the lint and no warning', () => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
  const toolkit = toolkitOf({}, { permissions: { allow: ['Bash(make:*)'] } })
  expect(warned).not.toHaveBeenCalled()
  warned.mockRestore()
  expect(toolkit.lint()).toEqual([
    { kind: 'runner', list: 'allow', index: 0, rule: 'Bash(make:*)', message: '`Bash(make:*)` allows `make` to run any code. Name a script or a subcommand.' },
  ])
})
