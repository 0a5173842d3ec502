import { defineConfig } from 'vitest/config'

/** The tests of core, with short waits for a mutant that never ends. */
export default defineConfig({
  test: { include: ['packages/core/src/**/*.test.ts', 'packages/core/test/**/*.test.ts'], testTimeout: 20_000, isolate: false },
})
