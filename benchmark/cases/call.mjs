// What a call costs beside its work.

import { mkdtempSync, promises } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { Toolkit } from 'tenon'
import { batched, measure, report } from '../measure.mjs'

export async function run() {
  const workspace = mkdtempSync(join(tmpdir(), 'tenon-bench-'))
  const toolkit = new Toolkit({ workspace })
  const list = toolkit.getTool('ls')
  const times = 200
  const rows = await measure(
    [
      { name: 'fs.promises.stat', run: batched(() => promises.stat(workspace), times), yardstick: true },
      { name: 'tenon: ls of an empty directory', run: batched(() => list.execute('1', {}), times) },
      { name: 'tenon: refused by validation', run: batched(() => list.execute('1', { limit: 'x' }).catch(() => {}), times) },
    ],
    30,
  )
  report(
    'call overhead, one call',
    rows.map((row) => ({ ...row, milliseconds: row.milliseconds / times })),
    'µs',
  )
  await toolkit.close()
}
