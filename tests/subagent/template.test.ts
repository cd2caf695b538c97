import { describe, expect, it } from 'vitest'
import { checkAttributes, renderTemplate } from '../../src/subagent/template.js'

const here = { file: 'a.yaml', key: 'text', line: 1, isLiteral: false }

describe('a template filled in', () => {
  it('says what it is told, however often and in whatever order', () => {
    const text = '{{ a }} and {{ b }}'
    const told = [
      { a: '1', b: '2' },
      { a: '1', b: '2' },
      { a: '2', b: '1' },
      { a: '1', b: '2' },
    ].map((variables) => renderTemplate(text, variables, here))
    expect(told).toEqual(['1 and 2', '1 and 2', '2 and 1', '1 and 2'])
  })

  it('notices a list that changed within', () => {
    const list = ['x']
    const say = () => renderTemplate('{% for each in list %}{{ each }}{% endfor %}', { list }, here)
    expect(say()).toBe('x')
    list.push('y')
    expect(say()).toBe('xy')
  })

  it('knows a variable by a name that a loop of its own has, too', () => {
    const text = '{% for each in list %}{{ each }}{% endfor %}{{ each }}'
    expect(renderTemplate(text, { list: ['x'], each: 'y' }, here)).toBe('xy')
  })
})

describe('range in a template', () => {
  it('counts as Jinja does', () => {
    const say = (range: string) => renderTemplate(`{% for i in ${range} %}{{ i }} {% endfor %}`, {}, here)
    expect(say('range(3)')).toBe('0 1 2 ')
    expect(say('range(1, 6, 2)')).toBe('1 3 5 ')
    expect(say('range(3, 0, -1)')).toBe('3 2 1 ')
    expect(say('range(3, 1)')).toBe('')
  })

  it.each(['range(1000000000)', 'range(1, 5, 0)'])('%s is refused, and the process lives', (range) => {
    expect(() => renderTemplate(`{% for i in ${range} %}x{% endfor %}`, {}, here)).toThrow(
      /a\.yaml:1: text cannot be filled in: range\(\) may have 10000 numbers at most/,
    )
  })
})

describe('a template without an end in sight', () => {
  const loops = (depth: number, text: string) =>
    `${'{% for i in range(1000) %}'.repeat(depth)}${text}${'{% endfor %}'.repeat(depth)}`

  it('is given up where its loops take too many steps', () => {
    expect(() => renderTemplate(loops(4, 'x'), {}, here)).toThrow(
      /a\.yaml:1: text cannot be filled in: it needs more than 300000 steps/,
    )
    expect(renderTemplate(loops(1, 'x'), {}, here)).toBe('x'.repeat(1000))
    // A loop without a body evaluates nothing but its list.
    const empty = '{% for a in range(60) %}{% for b in range(10000) %}{% endfor %}{% endfor %}'
    expect(() => renderTemplate(empty, {}, here)).toThrow(/it needs more than 300000 steps/)
  })

  it('is given up where it doubles its text', () => {
    const doubling = `{% set n = namespace(t="x") %}{% for i in range(LENGTH) %}{% set n.t = n.t + n.t %}{% endfor %}{{ n.t }}`
    expect(renderTemplate(doubling.replace('LENGTH', '10'), {}, here)).toBe('x'.repeat(1024))
    expect(() => renderTemplate(doubling.replace('LENGTH', '26'), {}, here)).toThrow(
      /a\.yaml:1: text cannot be filled in: it needs more than 300000 steps/,
    )
  })

  it('is given up where it works on a long text or list time and again', () => {
    const question = 'x'.repeat(100_000)
    const again = (what: string) => `{% for i in range(400) %}{% if ${what} %}{% endif %}{% endfor %}`
    expect(() => renderTemplate(again('question | upper'), { question }, here)).toThrow(/300000 steps/)
    const entries = Array.from({ length: 1000 }, () => 1)
    expect(() => renderTemplate(again('entries | sort'), { entries }, here)).toThrow(/300000 steps/)
    expect(renderTemplate('{{ question | upper }}', { question }, here)).toHaveLength(100_000)
  })
})

describe('attributes of variables', () => {
  const examples = {
    question: 'text',
    entries: [{ path: 'a', text: 'b' }],
    tables: [{ name: 'orders', columns: [{ name: 'id' }] }],
  }
  const check = (text: string) => checkAttributes(text, examples, here)

  it.each([
    ['{{ entries[0].txt }}', 'entries[0].txt', 'text'],
    ['{% for entry in entries %}{{ entry.txt }}{% endfor %}', 'entry.txt', 'text'],
    ['{% for entry in entries %}{{ entry["txt"] | upper }}{% endfor %}', 'entry.txt', 'text'],
    ['{% for t in tables %}{% for c in t.columns %}{{ c.nam }}{% endfor %}{% endfor %}', 'c.nam', 'name'],
    ['{% for e in entries if e.paht %}{{ e.path }}{% endfor %}', 'e.paht', 'path'],
    ['{% if false %}{{ question.lenght }}{% endif %}', 'question.lenght', 'length'],
    ['{{ entries | map(attribute="path") }}{{ entries.lenght }}', 'entries.lenght', 'length'],
  ])('%s: %s', (text, _attribute, guess) => {
    expect(() => check(text)).toThrow(
      expect.objectContaining({ code: 'agent_invalid', hint: `did you mean \`${guess}\`?` }),
    )
  })

  it.each([
    '{% for entry in entries %}{{ loop.index }} {{ entry.path }}: {{ entry.text | trim }}{% endfor %}',
    '{% for entry in entries %}{{ entry.title | default("none") }}{% endfor %}',
    '{% for entry in entries %}{% if entry.title is defined %}x{% endif %}{% endfor %}',
    '{% for entry in entries %}{% for key, value in entry.items() %}{{ key }}{% endfor %}{% endfor %}',
    '{% set entry = namespace(a=1) %}{{ entry.a }}',
    '{% macro m(entries) %}{{ entries.any }}{% endmacro %}{{ m(question) }}',
    '{{ question.upper() }} {{ entries.length }} {{ entries | length }}',
    '{% for question in tables %}{{ question.name }}{% endfor %}{{ question }}',
  ])('%s is fine', (text) => {
    expect(() => check(text)).not.toThrow()
  })
})
