import { gateFailures } from '../../domains/tdd/task-state.js'
import type { Guideline } from '../../roles/guideline.js'
import type { Role } from '../../roles/role.js'

/** What is said about each role where only its name is known. */
const work: Readonly<Record<string, readonly string[]>> = {
  'test-writer': [
    'Read the task, its design and its acceptance criteria.',
    'Read existing interfaces and types to understand the expected API surface.',
    'Write test files that define the expected behavior, and no implementation code.',
    'Run the tests to confirm that they fail (RED), because the implementation does not exist yet.',
    'Name tests `test_{function}_{scenario}_{outcome}`.',
    'Include positive and negative cases, and the edge cases of the acceptance criteria.',
    'Publish a STATUS_UPDATE when the tests are ready for the coder.',
  ],
  coder: [
    'Read the tests; they are the specification, and you cannot change them.',
    'Write the least code that makes them pass (GREEN).',
    'Where there is a diagnosis, apply its fix first.',
    'Clean up while the tests pass (REFACTOR).',
    `After ${gateFailures - 1} failures in a row of one test, hand over to Gate 6.`,
  ],
  debugger: [
    'Receive the failure: test output, source files, error messages.',
    'Trace from the failing assertion backward through the code to the cause.',
    'Name file, function and line, expected and actual, the recommended fix, and the confidence (high, medium, low).',
    'Never fix code; the coder applies the fix.',
    'Where failures have different causes, put the one with the most impact first.',
  ],
}

/** Returns the prompt of a role as a coding agent is told it. */
export function rolePrompt({ name, mode, writes, refuses }: Role, prompt: string): string {
  const rules = work[name] ?? []
  return [
    prompt.trim(),
    '',
    `- Cognitive mode: ${mode}`,
    `- Writes: ${writes.length === 0 ? 'nothing' : writes.map((each) => `\`${each}\``).join(', ')}`,
    ...(writes.length === 0 || refuses.length === 0
      ? []
      : [`- Never writes: ${refuses.map((each) => `\`${each}\``).join(', ')}`]),
    '',
    ...rules.map((rule, at) => `${at + 1}. ${rule}`),
  ].join('\n')
}

/** Returns the table of roles. */
export function rolesTable(roles: readonly Role[]): string {
  const rows = roles.map(({ name, aliases, mode, writes }) => {
    const allowed = writes.length === 0 ? 'nothing' : writes.map((each) => `\`${each}\``).join(', ')
    return `| ${[name, ...aliases].join(', ')} | ${mode} | ${allowed} |`
  })
  return ['## Roles', '', '| Agent | Cognitive mode | Writes |', '|---|---|---|', ...rows].join('\n')
}

/** Returns the skill by which a coding agent leads a task through the three roles. */
export function executionSkill(command: string): string {
  return [
    '# TDD with three agents',
    '',
    '1. RED: the test-writer writes failing tests from the specification. They must fail because code is missing or wrong, not because of a syntax error or a misspelt import.',
    '2. GREEN: the coder writes the least code that makes them pass. The tests may not change.',
    `3. DIAGNOSE: at the ${gateFailures}th failure in a row of one test, and at each one after it, Gate 6 asks the user; choice A invokes the debugger.`,
    '4. FIX: the coder applies the fix of the diagnosis.',
    '5. REFACTOR: the coder cleans up while the tests pass.',
    '6. Run the full test suite. All tests must pass before the next task.',
    '',
    '| Fail count | Action | Agent |',
    '|---|---|---|',
    `| 1-${gateFailures - 1} | try again | coder |`,
    `| ${gateFailures} | Gate 6 | the user decides |`,
    `| ${gateFailures + 1} and more | Gate 6 again | the user decides |`,
    '',
    `The same, led by a program that counts and holds each role to its folders: \`${command} tdd TASK\`.`,
    '',
    'What the test-writer is given: Task, Design, Acceptance Criteria, Existing Interfaces, Target Test Path. What it returns:',
    '',
    '```json',
    '{"status": "complete", "subagent": "test-writer", "files_created": ["…"], "test_count": 8, "test_results": {"passed": 0, "failed": 8, "skipped": 0}, "red_confirmed": true, "handoff": "…"}',
    '```',
    '',
    'What the debugger is given: Test Name, Failure Count, Test Output, Source Files, Error Log. What it returns:',
    '',
    '```json',
    '{"status": "complete", "subagent": "debugger", "diagnosis": {"root_cause": "…", "failing_location": {"file": "…", "function": "…", "line": 42}, "expected_vs_actual": {"expected": "…", "actual": "…"}, "recommended_fix": "…", "confidence": "high"}, "handoff": "…"}',
    '```',
  ].join('\n')
}

/** Returns the rules by their names: gates, workflow, choice of an agent, work at the same time. */
export function ruleTexts(roles: readonly Role[], command: string): Readonly<Record<string, string>> {
  const writers = roles.filter(({ writes }) => writes.length > 0)
  return {
    'hitl-gates': [
      '## Gate 6: Test Failures',
      '',
      `Opens at the ${gateFailures}th failure in a row of one test, and at each one after it. There is no default answer.`,
      '',
      '```',
      'Tests failing repeatedly ([N] times): [test name]',
      '',
      'Options:',
      ' A) Invoke debugger agent for root-cause analysis',
      ' B) Continue manual debugging (current coder retries)',
      ' C) Skip test and proceed (mark as known issue)',
      ' D) Abort task',
      '```',
      '',
      `Where \`${command} tdd\` leads the work: \`${command} gates\`, \`${command} gates answer ID --choice A\`.`,
    ].join('\n'),
    workflow: [
      '## Step 6: Parallel Build',
      '',
      'For each atomic task:',
      '',
      '1. Invoke the test-writer with the task.',
      '2. It writes the test files; RED is confirmed.',
      '3. Invoke the coder with the task and the test files: "Make these tests pass with minimal code."',
      '4. It writes the implementation (GREEN).',
      '5. If the tests pass, the task is complete.',
      `6. If a test fails ${gateFailures} times in a row, Gate 6.`,
      '',
      '## Step 7: Testing',
      '',
      '1. Run the full test suite.',
      `2. If a test fails repeatedly, Gate 6; with choice A the debugger's report goes to the coder, and the tests run again.`,
      '3. All tests must pass before Step 8.',
    ].join('\n'),
    'identity-selection': [
      '## Agents and their one cognitive mode',
      '',
      '| Agent | Cognitive mode |',
      '|---|---|',
      ...roles.map(({ name, aliases, mode }) => `| ${[name, ...aliases].join(', ')} | ${mode} |`),
    ].join('\n'),
    'parallel-coordination': [
      '## Who writes where',
      '',
      'Agents of different roles never write the same file, so that they can work at the same time.',
      '',
      '| Agent | Writes |',
      '|---|---|',
      ...writers.map(({ name, writes }) => `| ${name} | ${writes.map((each) => `\`${each}\``).join(', ')} |`),
      '| every other | nothing |',
    ].join('\n'),
  }
}

/** Returns the description of the guidelines. */
export function guidelinesText(guidelines: readonly Guideline[]): string {
  const rows = guidelines.map(({ id, priority, description, condition, action }) => {
    const agents = condition.agents?.join(', ') ?? 'all'
    return `| ${id} | ${agents} | ${action.type} | ${priority} | ${description} |`
  })
  return [
    '## Guidelines',
    '',
    'Files in `agents/guidelines/`; `autotest guard` evaluates them before a tool is used. Where two contradict each other, the higher priority holds.',
    '',
    '| Guideline | Agents | Action | Priority | What it does |',
    '|---|---|---|---|---|',
    ...rows,
  ].join('\n')
}
