// What a release is made of: the scripts that pack it, and the workflow that builds it.

import { execFileSync } from 'node:child_process'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'

import { expect, test } from 'vitest'

import { billOf } from '../scripts/notices.mjs'
import { glibcFaultOf } from '../scripts/oldest-glibc.mjs'
import { PLATFORMS } from '../scripts/platforms.mjs'
import { refFaultOf } from '../scripts/publish.mjs'
import { resultsIn } from '../scripts/test-programs.mjs'
import { ROOT } from './support/run.js'
import { workspaceOf } from './support/workspace.js'

const workflow = readFileSync(path.join(ROOT, '.github/workflows/release.yml'), 'utf8')

/** A file in which these versions of symbols are named, as an addon names them. */
function addonOf(...versions: string[]) {
  const file = path.join(workspaceOf(), 'tenon.node')
  writeFileSync(file, `\x7fELF\0${versions.join('\0')}\0`, 'latin1')
  return [file]
}

test('the workflow builds every platform that there is a package for', () => {
  expect([...workflow.matchAll(/triple: ([\w-]+)/g)].map(([, triple]) => triple)).toEqual(Object.keys(PLATFORMS))
})

test('no action runs in a container of Alpine, in which there are none on arm64', () => {
  expect(workflow).not.toMatch(/^ +container:/m)
})

test.skipIf(process.platform === 'win32')('a release that failed halfway publishes the rest when it is repeated', () => {
  const directory = workspaceOf()
  const npm = path.join(directory, 'npm')
  // A registry with the first package in this version, the second in an older one, and no third.
  const registry = [
    'case "$1 $2" in',
    '  "view @tenon/a@1.2.3") echo 1.2.3;;',
    '  "view @tenon/b@1.2.3") ;;',
    '  view*) echo "npm error 404" >&2; exit 1;;',
    `  publish*) echo "$2" >> '${directory}/published';;`,
    'esac',
  ]
  writeFileSync(npm, `#!/bin/sh\n${registry.join('\n')}\n`)
  chmodSync(npm, 0o755)
  const packed = ['@tenon/a', '@tenon/b', 'tenon'].map((name) => ({ name, file: `${name.replace('@tenon/', '')}.tgz` }))
  const script = `import { publish } from './scripts/publish.mjs'; publish(${JSON.stringify(packed)}, '1.2.3')`
  const env = { ...process.env, PATH: `${directory}${path.delimiter}${process.env.PATH}` }
  const said = execFileSync(process.execPath, ['--input-type=module', '-e', script], { cwd: ROOT, env, encoding: 'utf8' })
  expect(said).toBe('@tenon/a: 1.2.3 is published already\n')
  expect(readFileSync(path.join(directory, 'published'), 'utf8')).toBe('b.tgz\ntenon.tgz\n')
})

test('only the tag of its version is published by the workflow', () => {
  expect(refFaultOf('1.2.3', {})).toBe(undefined)
  expect(refFaultOf('1.2.3', { GITHUB_REF_TYPE: 'tag', GITHUB_REF_NAME: 'v1.2.3' })).toBe(undefined)
  expect(refFaultOf('1.2.3', { GITHUB_REF_TYPE: 'tag', GITHUB_REF_NAME: 'v1.2.4' })).toBe(
    'The version 1.2.3 is published from the tag `v1.2.3`, and this is the tag `v1.2.4`.',
  )
  expect(refFaultOf('1.2.3', { GITHUB_REF_TYPE: 'branch', GITHUB_REF_NAME: 'v1.2.3' })).toBe(
    'The version 1.2.3 is published from the tag `v1.2.3`, and this is the branch `v1.2.3`.',
  )
  expect(workflow).toContain("scripts/release.mjs --repository \"$GITHUB_SERVER_URL/$GITHUB_REPOSITORY\" ${{ github.ref_type != 'tag' && '--dry-run' || '' }}")
})

test('what a program of tests shows of another run of itself is not counted on another platform', () => {
  const log = [
    '== process: it (built then)',
    'test as_another_user ... FAILED',
    'test result: FAILED. 53 passed; 1 failed; 0 ignored; 0 measured; 107 filtered out; finished in 84.10s',
    'test result: FAILED. 157 passed; 3 failed; 1 ignored; 0 measured; 0 filtered out; finished in 270.86s',
    '-- ended: 101',
    '== store: it (built then)',
    'test that_never_ends has been running for over 60 seconds',
    '-- ended: 137',
    '',
  ].join('\n')
  expect([...resultsIn(log)]).toEqual([
    ['== process: it (built then)', { passed: 157, failed: 3, skipped: 1, isBroken: false }],
    ['== store: it (built then)', { passed: 0, failed: 0, skipped: 0, isBroken: true }],
  ])
})

test('an addon that needs a newer glibc than its package is for has a fault', () => {
  expect(glibcFaultOf('linux-x64-gnu', addonOf('GLIBC_2.2.5', 'GLIBC_2.35'))).toBe(
    'linux-x64-gnu needs glibc 2.35, and its package is for 2.17. Build it for that: node scripts/cross.mjs --only linux-x64-gnu.',
  )
  expect(glibcFaultOf('linux-arm64-gnu', addonOf('GLIBC_2.2.5', 'GLIBC_2.17'))).toBe(undefined)
  expect(glibcFaultOf('linux-x64-musl', addonOf('GLIBC_2.35'))).toBe(undefined)
})

test('a bill of materials names packages as package URLs do, and the standard library', () => {
  const crates = [{ name: 'memchr', version: '2.7.6', license: 'Unlicense/MIT' }]
  const { metadata, components, dependencies } = billOf({ name: '@tenon/linux-x64-gnu', version: '1.2.3' }, crates, '1.95.0')
  const own = 'pkg:npm/%40tenon/linux-x64-gnu@1.2.3'
  const std = 'pkg:generic/rust-std@1.95.0'
  expect(metadata.component).toEqual({
    type: 'library',
    'bom-ref': own,
    name: '@tenon/linux-x64-gnu',
    version: '1.2.3',
    purl: own,
    licenses: [{ expression: 'MIT' }],
  })
  expect(components).toEqual([
    {
      type: 'library',
      'bom-ref': 'pkg:cargo/memchr@2.7.6',
      name: 'memchr',
      version: '2.7.6',
      purl: 'pkg:cargo/memchr@2.7.6',
      licenses: [{ expression: 'Unlicense OR MIT' }],
    },
    { type: 'library', 'bom-ref': std, name: 'rust-std', version: '1.95.0', purl: std, licenses: [{ expression: 'MIT OR Apache-2.0' }] },
  ])
  expect(dependencies).toEqual([{ ref: own, dependsOn: ['pkg:cargo/memchr@2.7.6', std] }])
})
