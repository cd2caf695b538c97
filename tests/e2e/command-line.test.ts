import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { autotestEach, autotestProcess, type Ended, removeFolders } from './sample.js'
import { smallProject, userFiles } from './small-project.js'

let dir = ''
let before = {}
beforeAll(() => {
  dir = smallProject()
  before = userFiles(dir)
})
afterAll(removeFolders)

const mistakes = [
  ['--max-retires 2', 'unknown flag --max-retires', 'did you mean --max-retries?'],
  ['--no-yes', 'unknown flag --no-yes', 'see autotest --help'],
  ['-x', 'unknown flag -x', 'see autotest --help'],
  ['--max-retries abc', '--max-retries abc: must be a whole number', 'plans tried for one cause'],
  ['--max-retries=1.5', '--max-retries 1.5: must be a whole number', ''],
  ['--max-retries -1', '--max-retries -1: must not be negative', ''],
  ['--max-retries', '--max-retries needs a value', 'plans tried for one cause'],
  ['--concurrency 0', '--concurrency 0: must be at least 1', ''],
  ['--concurrency 4 --concurrency 5', '--concurrency was given 2 times', 'Give it once.'],
  [
    '--policy evidenc',
    '--policy evidenc: must be one of evidence, both, results, structure',
    '--policy evidence?',
  ],
  ['--min-grade E3', '--min-grade E3: must be one of E1, E2', ''],
  [
    '--reporter csv',
    '--reporter csv: must be one of console, plain, json, junit, markdown, summary, github',
    '',
  ],
  ['--max-time 5', '--max-time 5: must be a duration', '30s'],
  ['--max-scan 5', '--max-scan 5: must be a size as in 10GB, or a duration as in 5m', ''],
  ['--yes=maybe', '--yes takes no value', 'Write --yes alone.'],
  ['--tags=,', '--tags needs a value', ''],
  ['--id', '--id needs a value', 'only this case'],
  ['-o', '-o needs a value', '.json .xml .md'],
  ['--output report.txt', 'report.txt: unknown report format', 'Use .html, .json, .xml (JUnit) or .md'],
  ['--dry-run --no-repair', '--dry-run and --no-repair cannot be combined', ''],
  ['--yes --no-commit', '--yes and --no-commit cannot be combined', ''],
  ['--list --output a.json', '--list and --output cannot be combined', 'Use only one of them'],
  ['--tgas gmv', 'unknown flag --tgas', 'did you mean --tags?'],
  ['--last-failed --id gmv_id', '--last-failed and --id cannot be combined', ''],
  ['--engine oracle:shop', 'unknown engine "oracle:"', 'duckdb:, sqlite:'],
  ['--engine sqlit:shop.sqlite', 'unknown engine "sqlit:"', 'Did you mean "sqlite:"?'],
  ['--agent tempalte', '--agent tempalte: unknown agent kind', 'did you mean `template`?'],
  ['--agent module:none.mjs', 'agent none.mjs does not exist', 'export default'],
  ['--config none.yaml', 'none.yaml: no such file', '--config'],
  ['--kb nowhere', 'the knowledge base nowhere is missing or empty', '--kb'],
  ['--benchmark none', 'none: no such file or folder', '--benchmark'],
  ['--resume', 'nothing to resume: no interrupted run', 'no run of this project yet'],
  ['rejekt', 'unknown command rejekt', 'did you mean autotest reject?'],
  ['decisions lst', 'unknown command decisions lst', 'did you mean autotest decisions list?'],
  ['rums', 'unknown command rums', 'did you mean autotest runs?'],
  ['runs shwo', 'unknown command runs shwo', 'did you mean autotest runs show?'],
  ['runs zebra', 'unknown command runs zebra', 'list, show, diff'],
  ['runs show', 'autotest runs show needs a run', ''],
  ['runs diff r-1', 'autotest runs diff needs two runs', ''],
  ['apply', 'autotest apply needs a dry run', ''],
  ['apply a b', 'autotest apply: "b" is not expected here', ''],
  ['compare SELECT\t1 SELECT\t2', '', 'write queries as --expected SQL --generated SQL'],
  ['demo --yes', 'autotest demo has no flag --yes', ''],
  ['revert nothing', 'no run "nothing"', ''],
]

describe('a mistake on the command line is named, with what was meant, and nothing runs', () => {
  let answers: Ended[] = []
  beforeAll(async () => {
    answers = await autotestEach(
      dir,
      mistakes.map(([line = '']) => line.split(' ')),
    )
  })
  afterAll(() => expect(userFiles(dir)).toEqual(before))

  it.each(mistakes.map(([line = '', message = '', hint = ''], at) => ({ line, message, hint, at })))(
    'autotest $line',
    ({ message, hint, at }) => {
      expect(answers[at]).toMatchObject({
        code: 2,
        out: '',
        err: expect.stringContaining(`error  ${message}`),
      })
      expect(answers[at]?.err).toContain(hint)
      expect(answers[at]?.err).not.toMatch(/^ +at |bug/m)
    },
  )

  it('as a process too: exit code 2 and the reason on standard error', async () => {
    expect(await autotestProcess(dir, ['--max-retires', '2'])).toMatchObject({
      code: 2,
      out: '',
      err: 'error  unknown flag --max-retires\n       did you mean --max-retries? (see autotest --help)\n',
    })
  })
})

describe('help', () => {
  it('of every command says what it does, within 100 columns', async () => {
    const commands = [
      'help run',
      'demo',
      'doctor',
      'runs',
      'runs list',
      'runs show',
      'runs diff',
      'apply',
      'revert',
    ]
    const answers = await autotestEach(
      dir,
      commands.map((command) =>
        command === 'help run' ? ['help', 'run'] : [...command.split(' '), '--help'],
      ),
    )
    for (const [at, { code, out, err }] of answers.entries()) {
      expect(out).toContain(`autotest ${commands[at]?.replace('help run', '') ?? ''}`.trim())
      expect(out).toContain('--help')
      expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(100)
      expect([code, err]).toEqual([0, ''])
    }
  })

  it('tells every flag of the main command, examples and the exit codes', async () => {
    const { out } = await autotestProcess(dir, ['help', 'run'])
    for (const flag of [
      '--tags',
      '--id',
      '--dry-run',
      '--max-retries',
      '--resume',
      '--output',
      '--min-grade',
    ])
      expect(out).toContain(flag)
    expect(out).toContain('autotest --dry-run')
    expect(out).toMatch(/^ {2}130 {2}interrupted$/m)
  })

  it('is reached by -h, help and help TOPIC, and says which topics there are', async () => {
    const [first, short, word, group, command, none] = await autotestEach(dir, [
      ['--help'],
      ['-h'],
      ['help'],
      ['help', 'history'],
      ['help', 'gates', 'answer'],
      ['help', 'rum'],
    ])
    expect(short?.out).toBe(first?.out)
    expect(word?.out).toBe(first?.out)
    expect(group?.out).toMatch(/^ {2}autotest report \[run\] /m)
    expect(group?.out).not.toContain('autotest mutants')
    expect(command?.out).toMatch(/^autotest gates answer <id>$/m)
    expect(none).toMatchObject({ code: 2, err: expect.stringContaining('did you mean `autotest help run`?') })
  })

  it('gives the version alone', async () => {
    expect(await autotestProcess(dir, ['-V'])).toEqual(await autotestProcess(dir, ['--version']))
    expect(await autotestProcess(dir, ['--version'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    })
  })
})
