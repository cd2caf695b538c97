import { literalPattern } from '../../text/literal-pattern.js'

/** Marks a test as skipped, with the reason; the text stays as it is where it has no such test. */
export function skipTest(text: string, name: string, reason: string): string {
  const lines = text.split('\n')
  const plain = literalPattern(name.replace(/\[.*$/, ''))
  const at = lines.findIndex((line) => new RegExp(`^\\s*(?:async\\s+)?def ${plain}\\(`).test(line))
  if (at < 0) return text
  const indent = /^\s*/.exec(lines[at] ?? '')?.[0] ?? ''
  let first = at
  while (first > 0 && lines[first - 1]?.startsWith(`${indent}@`) === true) first--
  lines.splice(first, 0, `${indent}@pytest.mark.skip(reason=${JSON.stringify(reason)})`)
  return withPytest(lines).join('\n')
}

/** Imports pytest where nobody does: behind the docstring and imports from the future. */
function withPytest(lines: readonly string[]): readonly string[] {
  if (lines.some((line) => /^import pytest\b/.test(line))) return lines
  const first = lines.findIndex((line) => /^(import|from) (?!__future__)/.test(line))
  const at = first < 0 ? lines.findIndex((line) => /^(@|def |async def |class )/.test(line)) : first
  return [...lines.slice(0, at), 'import pytest', ...(first < 0 ? ['', ''] : []), ...lines.slice(at)]
}
