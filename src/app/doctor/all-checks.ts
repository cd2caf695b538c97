import { agentCheck } from './agent-checks.js'
import type { Check } from './check.js'
import { engineChecks } from './engine-checks.js'
import { folderChecks, machineFolderChecks } from './folder-checks.js'
import { gitChecks, machineGitChecks } from './git-checks.js'
import { modelChecks } from './model-checks.js'
import { projectChecks } from './project-checks.js'
import { runDatabaseCheck } from './run-database-check.js'
import { nodeChecks } from './runtime-checks.js'
import { unitTestChecks } from './unit-test-checks.js'

/**
 * Every check, in the order of output: first the machine, then the project. A new one is a file here, or a
 * part of the file of its kind, and an entry of this list.
 */
export const checks: readonly Check[] = [
  ...nodeChecks,
  ...machineGitChecks,
  ...machineFolderChecks,
  ...projectChecks,
  ...gitChecks,
  ...folderChecks,
  runDatabaseCheck,
  ...engineChecks,
  agentCheck,
  ...unitTestChecks,
  ...modelChecks,
]
