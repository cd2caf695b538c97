import { agentCheck } from './agent.js'
import type { Check } from './check.js'
import { engineChecks } from './engine.js'
import { folderChecks, machineFolderChecks } from './folders.js'
import { gitChecks, machineGitChecks } from './git.js'
import { modelChecks } from './models.js'
import { nodeChecks } from './node.js'
import { projectChecks } from './project.js'
import { runDatabaseCheck } from './run-database.js'

/**
 * Every check, in the order of its line: first the machine, then the project. A new one is a file here, or a part of its
 * family's, and an entry of this list.
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
  ...modelChecks,
]
