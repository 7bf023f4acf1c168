import { join } from 'node:path'

import { expect, test } from 'vitest'

import { Toolkit } from '../index.js'
import type { ProgramRow } from '../index.js'
import { toolkitOf, workspaceOf } from './support/workspace.js'

const shipit: ProgramRow = {
  names: 'shipit',
  subcommands: 'status, log',
  before: { flag: '-v --verbose', cwd: '-C=' },
  command: {
    deploy: { aliases: 'up', operands: 'read*', options: { write: '-o= --output=', exec: '--on-done=' } },
    remove: { aliases: 'rm', operands: 'delete*' },
  },
  examples: { 'shipit up -o out/a src': 'write out/a, read src', 'shipit deploy --on-done=./x': 'run ?' },
}

const permissions = {
  allow: ['Bash(shipit:*)', 'Bash(kube:*)', 'Edit(out/**)'],
  deny: ['Edit(secret/**)', 'Bash(shipit remove:*)'],
}

test('programs of the host are judged by what their rows say', () => {
  const toolkit = toolkitOf({}, { permissions, programs: [shipit, { names: 'kube', like: 'kubectl' }] })
  const commands = [
    'shipit status',
    'shipit up -o out/a src',
    'shipit up -o secret/a src',
    'shipit -v rm x',
    'shipit deploy --on-done=./x',
    'shipit --new-option status',
    'kube get pods',
    'kube frobnicate',
  ]
  expect(commands.map((command) => toolkit.decide('exec', { command }).verdict)).toEqual(['allow', 'allow', 'deny', 'deny', 'ask', 'ask', 'allow', 'ask'])
  const { commands: explained } = toolkit.explain('exec', { command: 'shipit up -o out/a src' })
  expect(explained).toEqual([
    {
      command: 'shipit up -o out/a src',
      program: 'shipit',
      directories: ['.'],
      files: [
        { kind: 'write', name: 'out/a' },
        { kind: 'read', name: 'src' },
      ],
    },
  ])
})

test('rows of a settings file inside the workspace only make stricter', () => {
  const programs = [
    { names: 'cat', operands: 'none', traits: 'own_operands arguments_are_data' },
    { names: 'shipit', operands: 'write*' },
  ]
  const workspace = workspaceOf({ '.env': 'x', 'tenon.json': JSON.stringify({ programs }) })
  const settings = join(workspace, 'tenon.json')
  const verdicts = (options: object) => {
    const toolkit = new Toolkit({ workspace, permissions: { deny: ['Read(.env)', 'Edit(secret/**)'] }, ...options })
    return ['cat .env', 'shipit secret/a', 'shipit a'].map((command) => toolkit.decide('exec', { command }).verdict)
  }
  expect(verdicts({})).toEqual(['deny', 'ask', 'allow'])
  expect(verdicts({ settings })).toEqual(['deny', 'deny', 'allow'])
  // Not read any more by its row, but still a program that is given the name of a denied file.
  expect(verdicts({ settings: { files: [settings], trust: true } })).toEqual(['ask', 'deny', 'allow'])
})

test('a row that is wrong is an error with its place and the next step', () => {
  const made = (programs: object[]) => () => toolkitOf({}, { programs: programs as ProgramRow[] })
  expect(made([{ ...shipit, examples: { 'shipit rm a': 'read a' } }])).toThrow(
    'programs[0]: shipit: the example `shipit rm a` does "delete a" by the row, not "read a". Correct the one or the other.',
  )
  expect(made([{ names: 'a' }, { names: 'a' }])).toThrow('`a` is in programs[0] and in programs[1]. One row has it.')
  expect(made([{ names: 'a', operand: 'read*' }])).toThrow('operand')
  expect(made([{ names: 'a', options: { writes: '-o=' } }])).toThrow('programs[0]: a: `writes` is not an effect of options. Use `read`,')
})
