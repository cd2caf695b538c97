import { AutotestError } from '../errors.js'
import { nearest } from '../nearest.js'
import { demoFlags, runFlags, storeFlags } from './flags.js'

const commands = ['demo', 'runs', 'apply', 'revert']
const flags = [...Object.keys({ ...runFlags, ...storeFlags, ...demoFlags }), 'help', 'version']

/** What the parser of the command line complained about, with the nearest flag or command. */
export function usageError(message: string): AutotestError {
  const unknown = /^Unknown (?:argument|command)s?: (.*)$/s.exec(message)?.[1]?.split(',')[0]?.trim()
  const seeHelp = 'see autotest --help'
  if (unknown === undefined)
    return new AutotestError('usage', message.replaceAll('\n', ' '), { hint: seeHelp })
  const typed = process.argv.find(
    (arg) => arg === `--${unknown}` || arg.startsWith(`--${unknown}=`) || arg === `-${unknown}`,
  )
  const isFlag = typed !== undefined
  const suggestion = nearest(unknown, isFlag ? flags : commands)
  const meant =
    suggestion === undefined
      ? seeHelp
      : `did you mean ${isFlag ? '--' : 'autotest '}${suggestion}? (${seeHelp})`
  return new AutotestError(
    'usage',
    isFlag ? `unknown flag ${typed.split('=')[0]}` : `unknown command ${unknown}`,
    { hint: meant },
  )
}
