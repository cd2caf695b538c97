import { posix } from 'node:path'
import { z } from 'zod'
import type { Task } from '../../domains/tdd/task.js'
import { type Problem, problemsError } from '../../snapshot/file-problem.js'
import { validate } from '../../snapshot/validate-schema.js'
import { parseYaml } from '../../snapshot/yaml.js'
import { nearest } from '../../text/nearest-word.js'

const text = z.string().trim().min(1, 'must not be empty')
/** A list, or a text of which each line is an entry. */
const lines = z
  .union([z.array(text), z.string()])
  .transform((value) =>
    (typeof value === 'string' ? value.split('\n') : value)
      .map((line) => line.replace(/^\s*(?:[-*]|\d+[.)])\s+/, '').trimEnd())
      .filter((line) => line.trim() !== ''),
  )
const testPath = text.refine(
  (path) => /(^|\/)test_[^/]*\.py$/.test(path) && posix.normalize(path) === path && !path.startsWith('.'),
  'must be a file of tests relative to the project, as tests/unit/shop/test_calc.py',
)
const taskFile = z.strictObject({
  task: text,
  design: z.string().default(''),
  acceptance_criteria: lines.refine((list) => list.length > 0, 'must name a criterion'),
  interfaces: lines.default([]),
  target_test_path: testPath,
})

/** Names of the keys as people write them in headings. */
const headings: Readonly<Record<string, keyof z.input<typeof taskFile>>> = {
  task: 'task',
  design: 'design',
  'acceptance criteria': 'acceptance_criteria',
  interfaces: 'interfaces',
  'existing interfaces': 'interfaces',
  'target test path': 'target_test_path',
}

/** Reads a task from YAML or Markdown. Throws `task_invalid` with file, line and what to write. */
export function readTask(bytes: Uint8Array, file: string): Task {
  if (/\.(md|markdown|txt)$/i.test(file)) return readMarkdown(new TextDecoder().decode(bytes), file)
  const yaml = parseYaml(bytes, file, { code: 'task_invalid' })
  return taskOf(validate(taskFile, yaml, 'task_invalid'))
}

/** Reads the sections of a text: `## Acceptance Criteria`, or `Acceptance Criteria: …` at the start of a line. */
function readMarkdown(content: string, file: string): Task {
  const found = new Map<string, { readonly line: number; readonly parts: string[] }>()
  const problems: Problem[] = []
  let current: string[] | undefined
  let fenced = false
  for (const [at, line] of content.split('\n').entries()) {
    if (/^\s*(```|~~~)/.test(line)) fenced = !fenced
    const heading = fenced
      ? null
      : /^(?:#{1,6}\s+([^:#]+?)(?::\s*(.*?))?\s*#*|([A-Z][A-Za-z ]+):\s*(.*))$/.exec(line)
    const [, section, afterSection, label, afterLabel] = heading ?? []
    const name = (section ?? label)?.trim().toLowerCase() ?? ''
    const key = Object.hasOwn(headings, name) ? headings[name] : undefined
    if (key !== undefined) {
      if (found.has(key))
        problems.push({
          file,
          line: at + 1,
          column: 1,
          message: `${key} is there twice`,
          hint: 'Join the two.',
        })
      const rest = afterSection ?? afterLabel ?? ''
      current = rest === '' ? [] : [rest]
      found.set(key, { line: at + 1, parts: current })
    } else if (section !== undefined && current !== undefined && !isInside(found, section)) {
      const meant = nearest(name, Object.keys(headings))
      problems.push({
        ...{ file, line: at + 1, column: 1, message: `unknown section "${section.trim()}"` },
        hint:
          meant === undefined ? `Sections: ${Object.keys(headings).join(', ')}.` : `did you mean "${meant}"?`,
      })
      current = undefined
    } else current?.push(line)
  }
  if (problems.length > 0) throw problemsError('task_invalid', problems)
  const values = Object.fromEntries([...found].map(([key, { parts }]) => [key, withoutFences(parts)]))
  const checked = taskFile.safeParse(values)
  if (checked.success) return taskOf(checked.data)
  throw problemsError(
    'task_invalid',
    checked.error.issues.map((issue) => {
      const key = String(issue.path[0] ?? '')
      const name = Object.keys(headings).find((each) => headings[each] === key) ?? key
      const place = { file, line: found.get(key)?.line ?? 1, column: 1 }
      return found.has(key)
        ? { ...place, message: `${name}: ${issue.message}`, hint: undefined }
        : {
            ...place,
            message: `there is no section "${name}"`,
            hint: `Add \`## ${titled(name)}\` with its text.`,
          }
    }),
  )
}

/** Whether a heading may stand within the design, which is a document of its own. */
function isInside(found: ReadonlyMap<string, unknown>, section: string): boolean {
  return [...found.keys()].at(-1) === 'design' && !nearestHeading(section)
}

function nearestHeading(section: string): boolean {
  return nearest(section.trim().toLowerCase(), Object.keys(headings)) !== undefined
}

function withoutFences(parts: readonly string[]): string {
  return parts
    .filter((line) => !/^\s*(```|~~~)/.test(line))
    .join('\n')
    .trim()
}

function titled(name: string): string {
  return name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase())
}

function taskOf({
  acceptance_criteria: criteria,
  target_test_path: path,
  ...rest
}: z.output<typeof taskFile>): Task {
  return { ...rest, criteria, testPath: path }
}
