import { describe, expect, it } from 'vitest'
import {
  findAttributeLine,
  findSyntaxErrorLine,
  findVariableLine,
  formatLocation,
} from '../../src/subagent/template-locations.js'

describe('the line that keeps a template from being read', () => {
  it.each([
    ['a tag that is not closed', 'a\n{{ question\nit is {{ other }}', 2],
    ['the last tag, not closed', 'a\n{{ other }}\n{% if a', 3],
    ['an expression that is none', 'a\n{{ other }}\n{{ question + }}', 3],
    ['a statement that there is not', 'a\n{% fro x in y %}', 2],
    ['a loop without an end', '{% if a %}\n{% endif %}\n{% for x in y %}\nx', 3],
    ['an end without a beginning', 'a\n{% if a %}x{% endif %}\n{% endfor %}', 3],
    ['a comment that is not closed', 'a\n{# b', 2],
  ])('is that of %s', (_name, text, line) => {
    expect(findSyntaxErrorLine(text)).toBe(line)
  })

  it('is none of a template that can be read', () => {
    const text = `{{ '{{ market }}' }} isn't
{% for x in y %}{% if x %}{{ x["}}"] }}{% elif z %}{% else %}{% endif %}{% endfor %}{# '{{' #}{% set a = 1 %}`
    expect(findSyntaxErrorLine(text)).toBeUndefined()
  })
})

it('a variable is found where it is used, and not in words, texts or as an attribute', () => {
  const text = 'name\n{{ other.name }}\n{{ "name" }}\n{# name #}\n{% if not name %}{% endif %}'
  expect(findVariableLine(text, 'name')).toBe(5)
  expect(findVariableLine(text, 'nam')).toBeUndefined()
})

it.each([
  ['txt\n{{ entry.txt }}', 2],
  ['{{ txt }}\n\n{{ entry["txt"] }}', 3],
  ['{{ txt }}\n{{ entry | txt }}', 2],
])('an attribute or filter is found: %j', (text, line) => {
  expect(findAttributeLine(text, 'txt')).toBe(line)
})

it('a place is the line in the file where the template has its own lines there, else that of its key', () => {
  const place = { file: 'agents/a.yaml', key: 'node_context', line: 7 }
  expect(formatLocation({ ...place, isLiteral: true }, 3)).toBe('agents/a.yaml:10: node_context')
  expect(formatLocation({ ...place, isLiteral: true })).toBe('agents/a.yaml:7: node_context')
  expect(formatLocation({ ...place, isLiteral: false }, 3)).toBe('agents/a.yaml:7: node_context')
})
