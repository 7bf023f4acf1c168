/** A smoke test only: that the package loads and works inside jest. The rest is vitest's. */
module.exports = {
  rootDir: '__test__/jest-smoke',
  testEnvironment: 'node',
  testMatch: ['**/*.test.js'],
  transform: {},
}
