import { describe, expect, it } from 'vitest'
import { extractSqlBlock } from '../../src/llm/extract-answer.js'
import { readJsonReply } from '../../src/llm/reply-json.js'

const good = '{"edits":[{"path":"kb/a.md"}]}'
const decoy = '{"edits":[{"path":"../x"}]}'
const fenced = `\`\`\`json\n${good}\n\`\`\``

function message(reply: string): string {
  const found = readJsonReply(reply)
  return found.kind === 'bad' ? found.message : 'read'
}

describe('a reply is read', () => {
  it.each([
    ['plain', good],
    ['after a byte order mark and blanks', `\ufeff \n${good}\n`],
    ['in a fence', fenced],
    ['in a fence with line ends of Windows', fenced.replaceAll('\n', '\r\n')],
    ['in a fence of one line', `\`\`\`json ${good} \`\`\``],
    ['in a fence of four', `\`\`\`\`\n${good}\n\`\`\`\``],
    ['in a fence of tildes', `~~~json\n${good}\n~~~`],
    ['in a fence with a blank before its language', fenced.replace('json', ' JSON')],
    ['in a fence between words', `Here is the repair:\n\n${fenced}\nIt gives the filter back.`],
    ['after thinking', `<think>${decoy}</think>\n${good}`],
    ['after thinking in capitals', `<THINKING >${decoy}</Thinking >${fenced}`],
    ['after reasoning and analysis', `<reasoning>a</reasoning>\n<analysis>b</analysis>${good}`],
    ['after thinking in brackets', `[THINK]${decoy}[/THINK]${good}`],
    ['after thinking that the chat template began', `The filter is lost.\n</think>\n\n${good}`],
  ])('%s', (_name, reply) => {
    expect(readJsonReply(reply)).toEqual({ kind: 'json', value: JSON.parse(good) })
  })

  it('with fences and tags inside of its texts', () => {
    const value = { text: 'x\n```sql\nSELECT 1\n```\n```sql\nSELECT 2\n```\n</think> y' }
    const json = JSON.stringify(value)
    expect(readJsonReply(json)).toEqual({ kind: 'json', value })
    expect(readJsonReply(`\`\`\`json\n${json}\n\`\`\``)).toEqual({ kind: 'json', value })
  })

  it('with characters written as two halves', () => {
    expect(readJsonReply('{"a":"\\ud83d\\ude00"}')).toEqual({ kind: 'json', value: { a: '😀' } })
  })
})

describe('a reply is refused', () => {
  it.each([
    ['of two fences', `${fenced}\n${fenced}`, 'it contains more than one block'],
    [
      'with an object beside the fence',
      `${decoy.slice(1)} ${decoy}\n${fenced}`,
      'it contains JSON outside its block',
    ],
    ['whose fence does not end', fenced.slice(0, -3), 'its block of JSON does not end'],
    ['whose thinking does not end', `<reasoning>${good}`, 'its reasoning does not end'],
    ['that only thinks', `<think>${good}</think>`, 'it is empty'],
    ['with thinking after it', `${good}<think>x</think>`, /^it is not one JSON object/],
    [
      'with a second end of thinking',
      `<think>a</think>${decoy}</think>${good}`,
      /^it is not one JSON object/,
    ],
    ['with words before it', `Sure: ${good}`, /^it is not one JSON object: "Sure: \{[^\n]*$/],
    ['of words', "I'm sorry,\n I can't\u0007", 'it is not one JSON object: "I\'m sorry, I can\'t"'],
    ['of many words', 'no '.repeat(40), /^it is not one JSON object: "(?:no )+n…"$/],
    ['with a key twice', '{"edits":[],"edits":[1]}', 'it has the key edits twice in one object'],
    ['with a key twice, spelt otherwise', '{"edits":[],"\\u0065dits" :[1]}', /edits twice/],
    ['with a key twice deep inside', '{"a":[{"b":{"c":1},"c":{"d":1,"d":2}}]}', /the key d twice/],
    ['with half a character', '{"a":["x\\ud800"]}', 'it contains half a surrogate pair'],
  ])('%s', (_name, reply, expected) => {
    expect(message(reply)).toMatch(expected)
  })

  it.each([
    ['line ends', `\`\`\`json${'\n'.repeat(900_000)}x`],
    ['blank lines', `\`\`\`json${' \n'.repeat(400_000)}\`\`\`x`],
    ['tags', '<think></think>'.repeat(60_000)],
    ['ends of tags', '</think>'.repeat(100_000)],
    ['quotes', `{"a":"${'\\"'.repeat(400_000)}`],
    ['ticks', '`'.repeat(900_000)],
  ])('at once where it is full of %s', (_name, reply) => {
    expect(message(reply)).not.toBe('read')
  })

  it('not for one key in two objects', () => {
    expect(message('{"a":{"x":"y: {"},"b":[{"x":1},{"x":2}],"x":3}')).toBe('read')
  })
})

describe('a block of SQL', () => {
  const block = '```sql\nSELECT 1\nFROM t\n```'
  it.each([
    ['alone', block],
    ['between words', `Here it is:\n\n${block}\nIt counts the rows.`],
    ['after thinking', `<think>${block}</think>\n${block}`],
    ['by the name of a dialect', block.replace('sql', 'SQLite')],
    ['in a fence of tildes', block.replaceAll('```', '~~~')],
    ['with line ends of Windows', block.replaceAll('\n', '\r\n')],
  ])('%s is found', (_, reply) => {
    expect(extractSqlBlock(reply)).toBe('SELECT 1\nFROM t')
  })

  it.each([
    ['a second block', `${block}\nor\n${block}`],
    ['no end', '```sql\nSELECT 1'],
    ['another language', block.replace('sql', 'python')],
    ['no language', block.replace('sql', '')],
    ['nothing in it', '```sql\n\n```'],
    ['no fence', 'SELECT 1'],
  ])('with %s is none', (_, reply) => {
    expect(extractSqlBlock(reply)).toBeUndefined()
  })
})
