import type { Options } from 'yargs'
import { AutotestError } from '../errors.js'
import { nearest } from '../text/nearest-word.js'
import { agentExportFlags, guardFlags, sandboxFlags } from './agent-flags.js'
import { compareFlags } from './compare/flags.js'
import { demoFlags } from './demo-flags.js'
import { doctorFlags } from './doctor/flags.js'
import { auditFlags, projectFlags, runFlags } from './flags.js'
import { commandGroups } from './help/command-groups.js'
import { initFlags } from './init-flags.js'
import { kbCheckFlags } from './kb-check-flags.js'
import {
  decisionsFlags,
  mergeFlags,
  pruneFlags,
  rejectFlags,
  reportFlags,
  revertFlags,
  showFlags,
  storeFlags,
  whyFlags,
} from './store-flags.js'
import { gateAnswerFlags, gatesFlags, tddFlags } from './tdd-flags.js'
import { generateFlags, mutantsFlags, registryFlags } from './testgen-flags.js'

type Flags = Readonly<Record<string, Options>>

/** The arguments of a command, used to suggest the intended one. */
interface CommandSpec {
  readonly flags: Flags
  readonly commands?: readonly string[]
  /** Required arguments, as the help shows them. */
  readonly requiredArguments?: string
}

const commandSpecs: Readonly<Record<string, CommandSpec>> = {
  '': {
    flags: runFlags,
    commands: ['help', ...commandGroups.flatMap((group) => group.commands.map(({ name }) => name))],
  },
  init: { flags: initFlags },
  demo: { flags: demoFlags },
  reject: { flags: rejectFlags, requiredArguments: 'a run (its id, its first characters, or last)' },
  decisions: { flags: decisionsFlags, commands: ['list', 'forget'] },
  'decisions list': { flags: decisionsFlags },
  'decisions forget': { flags: decisionsFlags, requiredArguments: 'the id of a decision' },
  compare: { flags: compareFlags },
  audit: { flags: auditFlags },
  doctor: { flags: doctorFlags },
  kb: { flags: {}, commands: ['check'], requiredArguments: 'what to do: check' },
  check: { flags: kbCheckFlags },
  'kb check': { flags: kbCheckFlags },
  agent: { flags: projectFlags, commands: ['check', 'export'] },
  'agent export': { flags: agentExportFlags },
  'agent check': { flags: projectFlags },
  generate: { flags: generateFlags, requiredArguments: 'files, folders or FILE::FUNCTION' },
  mutants: { flags: mutantsFlags, requiredArguments: 'a function, as FILE::FUNCTION' },
  registry: { flags: registryFlags, commands: ['list', 'sync'] },
  'registry list': { flags: registryFlags },
  'registry sync': { flags: registryFlags },
  serve: { flags: {} },
  mcp: { flags: projectFlags },
  tdd: { flags: tddFlags, requiredArguments: 'the file of a task' },
  gates: { flags: gatesFlags, commands: ['list', 'answer'] },
  'gates list': { flags: gatesFlags },
  'gates answer': { flags: gateAnswerFlags, requiredArguments: 'the id of a gate, as g-12ab' },
  roles: { flags: { config: guardFlags.config } },
  sandbox: { flags: sandboxFlags, requiredArguments: 'a command behind --' },
  guard: { flags: guardFlags },
  runs: { flags: storeFlags, commands: ['list', 'show', 'diff', 'prune'] },
  'runs list': { flags: storeFlags },
  'runs show': { flags: showFlags, requiredArguments: 'a run (its id, its first characters, or last)' },
  'runs diff': { flags: storeFlags, requiredArguments: 'two runs (ids, last, last~1 or previous)' },
  'runs prune': { flags: pruneFlags },
  report: { flags: reportFlags },
  merge: { flags: mergeFlags, requiredArguments: 'the folders of reports of the shards' },
  apply: { flags: storeFlags, requiredArguments: 'a dry run, or its plan.json' },
  why: { flags: whyFlags, requiredArguments: 'a case id' },
  revert: { flags: revertFlags, requiredArguments: 'a run (its id, its first characters, or last)' },
}

/** Returns the usage error with a suggestion of the nearest flag, command or value. */
export function usageError(message: string, args: readonly string[]): AutotestError {
  const command = commandOf(args)
  const shape: CommandSpec = commandSpecs[command] ?? { flags: runFlags }
  const called = command === '' ? 'autotest' : `autotest ${command}`
  const seeHelp = `see ${called} --help`

  const unknown = /^Unknown (?:argument|command)s?: (.*)$/s.exec(message)?.[1]?.split(', ')[0]?.trim()
  if (unknown !== undefined) {
    const typed = typedFlag(unknown, args)
    if (typed !== undefined) return unknownFlag(typed, called, shape.flags)
    const { commands } = shape
    if (commands === undefined) {
      const isQuery = command === 'compare' && /\s/u.test(unknown)
      const hint = isQuery ? `write queries as --expected SQL --generated SQL; ${seeHelp}` : seeHelp
      return usage(`${called}: "${unknown}" is not expected here`, hint)
    }
    const meant = nearest(unknown, commands)
    const path = command === '' ? unknown : `${command} ${unknown}`
    return usage(
      `unknown command ${path}`,
      meant === undefined
        ? `${seeHelp}; the commands are ${commands.join(', ')}`
        : `did you mean ${called} ${meant}?`,
    )
  }
  const valueless = /^Not enough arguments following: (.*)$/s.exec(message)?.[1]?.trim()
  if (valueless !== undefined) {
    const isSql = valueless === 'expected' || valueless === 'generated'
    const dashes = isSql
      ? `; write a value that begins with a dash after =, as in ${dashed(valueless)}='--…'`
      : ''
    return usage(`${dashed(valueless)} needs a value`, `${flagHint(valueless) ?? seeHelp}${dashes}`)
  }

  const choice = /Argument: ([\w-]+), Given: "?(.*?)"?, Choices: (.*)$/s.exec(message)
  if (choice !== null) {
    const [, flag = '', given = '', list = ''] = choice
    const choices = list.split(', ').map((word) => word.trim().replaceAll('"', ''))
    const meant = nearest(given, choices)
    return usage(
      `${dashed(flag)} ${given}: must be one of ${choices.join(', ')}`,
      meant === undefined ? seeHelp : `did you mean ${dashed(flag)} ${meant}?`,
    )
  }
  if (message.startsWith('Not enough non-option arguments') && shape.requiredArguments !== undefined)
    return usage(`${called} needs ${shape.requiredArguments}`, seeHelp)
  return usage(message.replaceAll(/\s+/g, ' '), seeHelp)
}

/** Rejects values that the parser accepts: words for numbers, empty values, one flag twice. */
export function checkValues(values: Readonly<Record<string, unknown>>, args: readonly string[]): void {
  for (const [name, options] of Object.entries<Options>({ ...runFlags, ...demoFlags, ...compareFlags })) {
    const value = values[name]
    const flag = dashed(name)
    if (options.type === 'boolean') {
      const given = args.find((arg) => arg.startsWith(`${flag}=`))?.slice(flag.length + 1)
      if (given !== undefined && given !== 'true' && given !== 'false')
        throw usage(`${flag} takes no value, not "${given}"`, `Write ${flag} alone.`)
    } else if (Array.isArray(value) && options.array !== true) {
      throw usage(`${flag} was given ${value.length} times`, 'Give it once.')
    } else if (typeof value === 'number' && Number.isNaN(value)) {
      throw usage(`${flag} ${typedValue(flag, args)}: must be a whole number`, flagHint(name))
    } else if (name !== 'resume' && name !== 'jsonl' && isBlank(value)) {
      throw usage(`${flag} needs a value, and "" is none`, flagHint(name))
    }
  }
}

function isBlank(value: unknown): boolean {
  return Array.isArray(value) ? value.every(isBlank) : typeof value === 'string' && /^[\s,]*$/.test(value)
}

function unknownFlag(typed: string, called: string, flags: Flags): AutotestError {
  const name = typed.replace(/^-+/, '')
  const elsewhere = Object.entries(commandSpecs).find(([, shape]) => Object.hasOwn(shape.flags, name))?.[0]
  if (elsewhere !== undefined) {
    const owner = elsewhere === '' ? 'autotest without a command' : `autotest ${elsewhere}`
    return usage(`${called} has no flag ${typed}`, `It is a flag of ${owner}; see ${called} --help`)
  }
  const meant = nearest(name, [...Object.keys(flags), 'help', 'version'])
  const seeHelp = `see ${called} --help`
  return usage(
    `unknown flag ${typed}`,
    meant === undefined ? seeHelp : `did you mean --${meant}? (${seeHelp})`,
  )
}

/** Returns the flag as typed, without its value; undefined if the word is no flag. */
function typedFlag(name: string, args: readonly string[]): string | undefined {
  const typed = args.find((arg) => arg === `--${name}` || arg.startsWith(`--${name}=`) || arg === `-${name}`)
  return typed?.split('=')[0] ?? args.find((arg) => /^-\w/.test(arg) && arg.includes(name))
}

function typedValue(flag: string, args: readonly string[]): string {
  const at = args.findLastIndex((arg) => arg === flag || arg.startsWith(`${flag}=`))
  const typed = args[at] ?? ''
  return typed.includes('=') ? typed.slice(flag.length + 1) : (args[at + 1] ?? '')
}

/** Returns the command that the words name, as far as they name one. */
function commandOf(args: readonly string[]): string {
  const words = args.filter((arg) => !arg.startsWith('-'))
  const two = words.slice(0, 2).join(' ')
  if (Object.hasOwn(commandSpecs, two)) return two
  return words[0] !== undefined && Object.hasOwn(commandSpecs, words[0]) ? words[0] : ''
}

function flagHint(name: string): string | undefined {
  const flag = Object.entries<Options>({ ...runFlags, ...demoFlags, ...compareFlags }).find(
    ([long, options]) => long === name || options.alias === name,
  )?.[1]
  return flag?.describe === undefined ? undefined : `It stands for: ${flag.describe}`
}

function dashed(name: string): string {
  return name.length === 1 ? `-${name}` : `--${name}`
}

function usage(message: string, hint: string | undefined): AutotestError {
  return new AutotestError('usage', message, { hint })
}
