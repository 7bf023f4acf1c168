import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    globalSetup: './__test__/support/state.ts',
    include: ['__test__/**/*.spec.ts'],
    pool: 'forks',
    testTimeout: 30_000,
    // A toolkit that is closed waits up to 12 s for a helper that does not answer.
    hookTimeout: 30_000,
  },
})
