import { cpSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { smallProject } from '../small-project.js'

const roles = resolve(import.meta.dirname, '../../../agents')

/** A small project whose agent is a model at `baseUrl`. */
export function llmProject(
  baseUrl: string,
  files: Readonly<Record<string, string | null>> = {},
  config = '',
): string {
  const dir = smallProject({
    'autotest.config.yaml': `engine: sqlite:shop.sqlite
as_of: 2025-12-31
agent: { kind: llm }
llm:
  base_url: ${baseUrl}
  key_env: TEST_MODEL_KEY
  timeout: 10s
  roles: { sql: { model: tiny } }
  prices: { tiny: { in: 1, out: 2 } }
${config}`,
    ...files,
  })
  mkdirSync(join(dir, 'agents'), { recursive: true })
  for (const role of ['sql', 'repairer', 'judge', 'debugger'])
    cpSync(join(roles, `${role}.yaml`), join(dir, 'agents', `${role}.yaml`), { force: false })
  // The tools of the debugger.
  cpSync(join(roles, 'tdd'), join(dir, 'agents/tdd'), { recursive: true })
  return dir
}

export const modelKey = 'sk-test-key-4711-do-not-show'
export const keyed = { TEST_MODEL_KEY: modelKey }
