import v8 from 'node:v8'

/** Where collecting garbage more often gets dearer than the memory is worth, in bytes: two halves of 4 MB. */
const enough = 8_000_000

/**
 * Keeps V8's young generation from growing to three times 16 MB, which it does while a large benchmark is read. One
 * that is kept smaller from the beginning ages too early what is garbage a moment later, so that it is to grow first.
 */
export function keepYoungGenerationSmall(): void {
  const young = v8.getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')
  if (young !== undefined && young.space_size >= enough) stopYoungGenerations()
}

/**
 * Keeps the young generation of every thread at its size. Each thread that starts lets all of them grow again, so that
 * this is the first thing it does.
 */
export function stopYoungGenerations(): void {
  v8.setFlagsFromString('--semi-space-growth-factor=1')
}

/**
 * Bytes of bytecode after which V8 looks at a function that is run again and again: eight times its own figure. By that,
 * threads that compile what is run for a tenth of a second only take the processor from the processes that are just starting.
 */
const compiledLater = 540_000

/** Leaves a short program to the interpreter. */
export function compileLater(): void {
  v8.setFlagsFromString(`--interrupt-budget=${compiledLater}`)
}

/** From here on, memory is worth more than the time that collecting garbage more often takes. */
const manyCases = 2000

/** Keeps the old generation from growing while a large benchmark is asked. */
export function keepOldGenerationSmall(cases: number): void {
  if (cases > manyCases) v8.setFlagsFromString('--heap-growing-percent=20')
}
