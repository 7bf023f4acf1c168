// Of the project `container`: a Docker engine of its own with one container, for all files.

import type { TestProject } from 'vitest/node'

import { noDocker, startDocker } from './machines.js'

declare module 'vitest' {
  export interface ProvidedContext {
    container: { host: string; id: string } | undefined
  }
}

export default async function setup(project: TestProject) {
  if (noDocker !== undefined) {
    project.provide('container', undefined)
    return
  }
  const docker = await startDocker()
  // Directories of tests have the same names on both sides, and their servers the same addresses.
  project.provide('container', { host: docker.host, id: docker.runOnline('/tmp', '/tmp') })
  return docker.stop
}
