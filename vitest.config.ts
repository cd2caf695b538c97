import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['tests/**/*.test.ts', 'packages/*/tests/**/*.test.ts'],
    globalSetup: ['tests/build-once.ts'],
    // What a machine has not is left out, and said last.
    reporters: ['default', './tests/left-out.ts'],
    // Files share what is loaded, the parser above all; what a file opens it closes.
    isolate: false,
    // Many tests run whole programs: a busy machine is no failure. No test measures time or memory, which bench/ does; what must
    // not be quadratic is given so much that it would not end within this limit.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: Math.max(2, availableParallelism() - 1),
  },
})
