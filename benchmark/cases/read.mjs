// A page of 100 lines near the end of files of four sizes.

import { createReadStream, promises } from 'node:fs'
import { dirname } from 'node:path'
import { createInterface } from 'node:readline'

import { Toolkit } from 'tenon'
import { textFile } from '../corpora.mjs'
import { batched, measure, report } from '../measure.mjs'
import { ofPi } from '../pi.mjs'

const PAGE = 100

export async function run() {
  for (const [label, bytes, rounds, times] of [
    ['1 KB', 1e3, 30, 50],
    ['100 KB', 1e5, 30, 30],
    ['10 MB', 1e7, 15, 1],
    ['1 GB', 1e9, 3, 1],
  ]) {
    const path = textFile(bytes)
    const toolkit = new Toolkit({ workspace: dirname(path) })
    const lines = (await toolkit.execute('read', { file_path: path, limit: 1 })).details.lines
    const offset = Math.max(1, lines - 150)
    const read = toolkit.getTool('read')
    const large = bytes >= 1e9
    const contenders = [
      large
        ? { name: 'readline', run: () => byReadline(path, offset), yardstick: true }
        : { name: 'readFile + split + number', run: batched(() => byReadFile(path, offset), times), yardstick: true },
      { name: 'tenon read', run: batched(() => read.execute('1', { file_path: path, offset, limit: PAGE }), times) },
      ...(large ? [] : ofPi((pi) => piRead(pi.createReadTool(dirname(path)), path, offset, times))),
    ]
    report(
      `read, ${label}, ${PAGE} lines near the end`,
      (await measure(contenders, rounds)).map((row) => ({ ...row, milliseconds: row.milliseconds / times })),
    )
    await toolkit.close()
  }
}

function piRead(tool, path, offset, times) {
  return { name: 'pi read', run: batched(() => tool.execute('1', { path, offset, limit: PAGE }), times) }
}

async function byReadFile(path, offset) {
  const lines = (await promises.readFile(path, 'utf8')).split('\n')
  return lines
    .slice(offset - 1, offset - 1 + PAGE)
    .map((line, index) => `${offset + index}\t${line}`)
    .join('\n')
}

async function byReadline(path, offset) {
  const page = []
  let number = 0
  for await (const line of createInterface({ input: createReadStream(path) })) {
    number += 1
    if (number >= offset && number < offset + PAGE) page.push(`${number}\t${line}`)
  }
  return page.join('\n')
}
