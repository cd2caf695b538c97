import { z } from 'zod'
import type { BenchmarkCase } from '../../benchmark/case.js'

/** One call of a tool in a small workspace, and what it should give: a case about the tool itself. */
export interface ToolCase extends BenchmarkCase {
  readonly kind: 'tool'
  readonly tool: string
  /** Path of its script, relative to the project root. */
  readonly script: string
  readonly probe: Probe
}

const text = z.string().refine((each) => each.trim() !== '', 'is empty')
const path = text.refine(
  (each) => !/^\/|(?:^|\/)\.\.(?:\/|$)/.test(each),
  'must be relative to the workspace',
)

const probe = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9-]*$/, 'may only contain small letters, digits and dashes'),
  /** Texts by path. */
  files: z.record(path, z.string()).default({}),
  target: z
    .strictObject({ path, function: text, test_path: path })
    .default({ path: 'pricing.py', function: 'total', test_path: 'tests/test_pricing.py' }),
  /** What the agent did before: files it wrote, and the test file that it ran last. */
  wrote: z.record(path, z.string()).default({}),
  ran: path.optional(),
  input: z.record(z.string(), z.unknown()).default({}),
  /** Fields of the result; `{contains: …}` for a text. */
  output: z.unknown().optional(),
  /** Part of the message, for a call that must fail. */
  fails: text.optional(),
  /** Texts of files afterwards; null for one that must not be there. */
  written: z.record(path, z.string().nullable()).default({}),
})

/** A workspace, a call and what it should give. */
export type Probe = z.output<typeof probe>

/** A file of probes beside the script of a tool. */
export const probeFile = z.strictObject({ probes: z.array(probe).min(1, 'is empty') })
