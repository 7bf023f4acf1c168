import { accessSync, constants } from 'node:fs'
import path from 'node:path'

import { test } from 'vitest'

/** Whether a program is found by its name. */
function isInstalled(name: string): boolean {
  return (process.env.PATH ?? '').split(path.delimiter).some((directory) => {
    try {
      accessSync(path.join(directory, name), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

/** `test`, or where one of these programs is missing, what skips and names it. Windows, where names have endings, is not looked at. */
export function testWith(...programs: string[]) {
  const missing = process.platform === 'win32' ? [] : programs.filter((name) => !isInstalled(name))
  if (missing.length === 0) return test
  const skipped = (title: string, ...rest: [any]) => test.skip(`${title} (skipped: ${missing.join(' and ')} not installed)`, ...rest)
  return Object.assign(skipped, { skipIf: () => skipped }) as unknown as typeof test
}
