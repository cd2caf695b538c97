/** What is to be built, and when it is right. */
export interface Task {
  readonly task: string
  readonly design: string
  /** One criterion each; examples such as `add(1, 2) == 3` become tests without a model. */
  readonly criteria: readonly string[]
  /** Where what is tested is, or will be: `src/shop/calc.py: def add(a, b)`. */
  readonly interfaces: readonly string[]
  /** Relative to the project's root. */
  readonly testPath: string
}
