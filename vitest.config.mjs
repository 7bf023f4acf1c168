import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    globalSetup: './__test__/support/state.ts',
    include: ['__test__/**/*.spec.ts'],
    pool: 'forks',
    testTimeout: 30_000,
  },
})
