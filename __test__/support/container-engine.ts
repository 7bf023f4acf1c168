// Of the project `container`: where `toolkitOf` finds its engine, or why the file is skipped.

import { beforeEach, inject } from 'vitest'

import { noDocker } from './machines.js'

const container = inject('container')

if (container) {
  process.env.TENON_TEST_CONTAINER = container.id
  process.env.DOCKER_HOST = container.host
} else {
  beforeEach(({ skip }) => skip(noDocker))
}
