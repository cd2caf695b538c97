import { describe, expect, it } from 'vitest'
import { renderTemplate } from '../../src/subagent/template.js'

describe('a template filled in', () => {
  it('says what it is told, however often and in whatever order', () => {
    const text = '{{ a }} and {{ b }}'
    const told = [
      { a: '1', b: '2' },
      { a: '1', b: '2' },
      { a: '2', b: '1' },
      { a: '1', b: '2' },
    ].map((variables) => renderTemplate(text, variables, 'here'))
    expect(told).toEqual(['1 and 2', '1 and 2', '2 and 1', '1 and 2'])
  })

  it('notices a list that changed within', () => {
    const list = ['x']
    const say = () => renderTemplate('{% for each in list %}{{ each }}{% endfor %}', { list }, 'here')
    expect(say()).toBe('x')
    list.push('y')
    expect(say()).toBe('xy')
  })

  it('knows a variable by a name that a loop of its own has, too', () => {
    const text = '{% for each in list %}{{ each }}{% endfor %}{{ each }}'
    expect(renderTemplate(text, { list: ['x'], each: 'y' }, 'here')).toBe('xy')
  })
})
