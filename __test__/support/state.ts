import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Sessions with a name are kept in a directory of this run, never in somebody's home. */
export default function setup(): () => void {
  const directory = mkdtempSync(join(tmpdir(), 'tenon-test-state-'))
  process.env.TENON_STATE_DIR = directory
  return () => rmSync(directory, { recursive: true, force: true })
}
