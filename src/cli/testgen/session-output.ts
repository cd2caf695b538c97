import { sourceText } from '../../app/project/find-python.js'
import type { TestingSession } from '../../app/testgen/testing-session.js'

/** Returns `autotest generate: Python 3.11.7 (.venv), pytest 9.2.0, bubblewrap: no network, …`. */
export function environmentLine(command: string, { python, sandbox }: TestingSession): string {
  return `autotest ${command}: Python ${python.version} (${sourceText(python)}), pytest ${python.pytest}, ${sandbox.description}`
}
