import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    globalSetup: './__test__/support/state.ts',
    pool: 'forks',
    // One for each processor: most of a test is waiting for a program that it started. By default one processor is left free.
    maxWorkers: '100%',
    // A loaded machine can take a server longer to start than a test waits. Vitest names those that passed the second time.
    retry: process.env.CI ? 1 : 0,
    testTimeout: 30_000,
    projects: [
      { extends: true, test: { name: 'local', include: ['__test__/**/*.spec.ts'] } },
      // The vocabularies once more, over an engine that is another process.
      { extends: true, test: { name: 'remote', include: ['__test__/dialects/*.spec.ts'], setupFiles: './__test__/support/remote-engine.ts' } },
      // And over one in a container, where Docker can be had.
      {
        extends: true,
        test: {
          name: 'container',
          include: ['__test__/dialects/*.spec.ts'],
          globalSetup: './__test__/support/container.ts',
          setupFiles: './__test__/support/container-engine.ts',
        },
      },
    ],
  },
})
