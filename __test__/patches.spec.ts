// Patches as programs and models write them, on real directories: `git apply`, GNU `patch` and Codex are the yardstick.

import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'

import { expect, test } from 'vitest'

import { Toolkit } from '../index.js'
import { failureOf, workspaceOf } from './support/workspace.js'

/** Applies a patch and gives what came of these files; `null` for one that is gone. */
async function applied(files: Record<string, string>, input: string): Promise<Record<string, string | null>> {
  const workspace = workspaceOf(files)
  const toolkit = new Toolkit({ workspace })
  const { details } = await toolkit.execute('apply_patch', { input })
  await toolkit.close()
  const names = [...Object.keys(files), ...details.results.map((result) => result.path)]
  const text = (name: string) => (existsSync(path.join(workspace, name)) ? readFileSync(path.join(workspace, name), 'utf8') : null)
  return Object.fromEntries(names.map((name) => [name, text(name)]))
}

test('a patch behind `cd sub &&` changes the files of that directory', async () => {
  const files = { 'a.txt': '1\n', 'sub/a.txt': '1\n' }
  const input = "cd sub && apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a.txt\n@@\n-1\n+2\n*** Add File: new.txt\n+new\n*** End Patch\nEOF\n"
  expect(await applied(files, input)).toEqual({ 'a.txt': '1\n', 'sub/a.txt': '2\n', 'sub/new.txt': 'new\n' })
})

test('rules judge a patch behind `cd sub &&` by the files of that directory', () => {
  const toolkit = new Toolkit({ workspace: workspaceOf({ 'sub/a.txt': '1\n' }), permissions: { deny: ['Edit(sub/**)'] } })
  const input = "cd sub && apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: a.txt\n@@\n-1\n+2\n*** End Patch\nEOF\n"
  expect(toolkit.decide('apply_patch', { input })).toMatchObject({ verdict: 'deny', effects: { writes: ['sub/a.txt'] } })
})

test('a command around a patch that cannot be followed is refused', async () => {
  const toolkit = new Toolkit({ workspace: workspaceOf({ 'a.txt': '1\n' }) })
  const input = 'cd $DIR && git apply <<EOF\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-1\n+2\nEOF\n'
  expect((await failureOf(toolkit.execute('apply_patch', { input }))).message).toBe(
    'Nothing was changed: line 1 of the patch (`cd $DIR && git apply <<EOF`) is a command that changes the directory. Send the patch without it, with names from the workspace.',
  )
  await toolkit.close()
})

test('of two commits the second speaks of what the first leaves', async () => {
  const commit = (hunk: string) => `diff --git a/a.txt b/a.txt\nindex 1..2 100644\n--- a/a.txt\n+++ b/a.txt\n${hunk}`
  const input = commit('@@ -1,2 +1,3 @@\n one\n+middle\n two\n') + commit('@@ -1,3 +1,3 @@\n one\n-middle\n+MIDDLE\n two\n')
  expect(await applied({ 'a.txt': 'one\ntwo\n' }, input)).toEqual({ 'a.txt': 'one\nMIDDLE\ntwo\n' })
})

test('a later update that fits at two places is refused', async () => {
  const toolkit = new Toolkit({ workspace: workspaceOf({ 'a.txt': 'one\nx\ny\nend\n' }) })
  const head = '--- a/a.txt\n+++ b/a.txt\n'
  const input = `${head}@@ -3,2 +3,5 @@\n y\n+two\n+x\n+y\n end\n${head}@@ -5,2 +5,2 @@\n x\n-y\n+z\n`
  expect((await failureOf(toolkit.execute('apply_patch', { input }))).message).toBe(
    'Nothing was changed: `a.txt` is updated twice in the patch, and the hunks of the later update (from line 11 of the patch) fit the file as it is ' +
      'at another place than what the first update leaves. Send each update in a call of its own.',
  )
  await toolkit.close()
})

test('a series makes a file, gives it another name and changes it', async () => {
  const made = 'diff --git a/a.txt b/a.txt\nnew file mode 100755\nindex 0..1\n--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n'
  const changed = 'diff --git a/a.txt b/a.txt\nindex 1..2 100755\n--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n'
  expect(await applied({}, made + changed)).toEqual({ 'a.txt': 'one\n2\n' })
  const moved = 'diff --git a/old.txt b/a.txt\nsimilarity index 100%\nrename from old.txt\nrename to a.txt\n'
  expect(await applied({ 'old.txt': 'one\ntwo\n' }, moved + changed)).toEqual({ 'old.txt': null, 'a.txt': 'one\n2\n' })
})

test('an envelope that deletes a file and adds it gives it other content, which can be undone', async () => {
  const workspace = workspaceOf({ 'a.txt': 'old\n' })
  const toolkit = new Toolkit({ workspace, permissions: { deny: ['Edit(secret.txt)'] } })
  const before = await toolkit.checkpoint()
  const replacing = (name: string) => ({ input: `*** Begin Patch\n*** Delete File: ${name}\n*** Add File: ${name}\n+new\n*** End Patch` })
  const { details } = await toolkit.execute('apply_patch', replacing('a.txt'))
  expect(details.results).toEqual([{ path: 'a.txt', operation: 'update', additions: 1, deletions: 1 }])
  expect(readFileSync(path.join(workspace, 'a.txt'), 'utf8')).toBe('new\n')
  await toolkit.rollback(before)
  expect(readFileSync(path.join(workspace, 'a.txt'), 'utf8')).toBe('old\n')
  expect(toolkit.decide('apply_patch', replacing('secret.txt')).verdict).toBe('deny')
  await toolkit.close()
})

test('of two names of a diff the file is meant that is there', async () => {
  const diff = (old: string, now: string) => `--- ${old}\n+++ ${now}\n@@ -1 +1 @@\n-1\n+2\n`
  const files = { 'src/a.txt': '1\n' }
  for (const [old, now] of [
    ['project.orig/src/a.txt', 'project/src/a.txt'],
    ['src/a.txt.v1', 'src/a.txt'],
    ['a/src/a.txt 2024-01-01 10:00:00.000000000 +0100', 'b/src/a.txt 2024-01-02 10:00:00.000000000 +0100'],
  ])
    expect(await applied(files, diff(old, now)), old).toEqual({ 'src/a.txt': '2\n' })
  const toolkit = new Toolkit({ workspace: workspaceOf(files), permissions: { deny: ['Edit(src/**)'] } })
  expect(toolkit.decide('apply_patch', { input: diff('old/src/a.txt', 'new/src/a.txt') })).toMatchObject({
    verdict: 'deny',
    effects: { writes: ['src/a.txt'] },
  })
  expect((await failureOf(toolkit.execute('apply_patch', { input: diff('src/a.txt', 'lib/a.txt') }))).message).toBe(
    'Nothing was changed: line 1 of the patch names the file `src/a.txt` and `lib/a.txt`, which are not the same; give both the same name, or for a renamed file `rename from` and `rename to` lines.',
  )
  await toolkit.close()
})

test('what `diff -N` writes of a file that is not there makes and deletes it', async () => {
  const [now, epoch] = ['2024-01-01 00:00:00.000000000 +0000', '1970-01-01 00:00:00.000000000 +0000']
  const input = `--- a/gone.txt\t${now}\n+++ b/gone.txt\t${epoch}\n@@ -1 +0,0 @@\n-q\n` + `--- a/new.txt\t${epoch}\n+++ b/new.txt\t${now}\n@@ -0,0 +1 @@\n+q\n`
  expect(await applied({ 'gone.txt': 'q\n' }, input)).toEqual({ 'gone.txt': null, 'new.txt': 'q\n' })
})

test('a diff of added lines alone makes its file, or fills an empty one', async () => {
  const input = '--- a/new.txt\n+++ b/new.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n'
  expect(await applied({}, input)).toEqual({ 'new.txt': 'one\ntwo\n' })
  expect(await applied({ 'new.txt': '' }, input)).toEqual({ 'new.txt': 'one\ntwo\n' })
})

test.each([
  ['diff --git a/d b/d/a.txt\nsimilarity index 100%\nrename from d\nrename to d/a.txt\n'],
  ['*** Begin Patch\n*** Update File: d\n*** Move to: d/a.txt\n@@\n-1\n+2\n*** End Patch'],
  ['--- a/d\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n--- /dev/null\n+++ b/d/a.txt\n@@ -0,0 +1 @@\n+new\n'],
])('a file that is to become a directory takes two patches, which the refusal says', async (input) => {
  const toolkit = new Toolkit({ workspace: workspaceOf({ d: '1\n' }) })
  const error = await failureOf(toolkit.execute('apply_patch', { input }))
  await toolkit.close()
  expect(error.message).toBe(
    '`d/a.txt` would be below `d`, which is a file as long as the patch is not applied. Nothing was changed. Use two patches: one that moves `d` to another name or deletes it, then one that puts `d/a.txt` in its place.',
  )
})
