import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')

/** The text of a page of the repository. */
export function pageText(path: string): string {
  return readFileSync(resolve(root, path), 'utf8')
}

/** A file that a page shows: a code block below a comment `<!-- name: path -->`. */
export interface ShownFile {
  readonly path: string
  readonly text: string
}

/** The file that a page shows under a name; throws where it shows none. */
export function shownFile(page: string, name: string): ShownFile {
  const pattern = new RegExp(`^( *)<!-- ${name}: (\\S+) -->\\n *\`\`\`\\w+\\n([\\s\\S]*?\\n) *\`\`\`$`, 'm')
  const found = pattern.exec(page)
  if (found === null) throw new Error(`the page shows no file named ${name}`)
  const [, indent = '', path = '', text = ''] = found
  return { path, text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), '') }
}

/** The YAML block of a page that begins so; throws where there is none. */
export function shownYaml(page: string, beginning: string): string {
  const blocks = [...page.matchAll(/^```yaml\n([\s\S]*?\n)```$/gm)].map(([, text = '']) => text)
  const found = blocks.find((text) => text.startsWith(beginning))
  if (found === undefined) throw new Error(`the page shows no YAML that begins with ${beginning}`)
  return found
}

/** The lines of the shell block below a comment `<!-- name -->`, without remarks; throws if there is none. */
export function shownCommands(page: string, name: string): string[] {
  const found = new RegExp(`^<!-- ${name} -->\\n\`\`\`sh\\n([\\s\\S]*?\\n)\`\`\`$`, 'm').exec(page)
  if (found === null) throw new Error(`the page shows no commands named ${name}`)
  return commandsOf(found[1] ?? '')
}

/** The commands of a shell block, one a line, without remarks. */
export function commandsOf(block: string): string[] {
  return block
    .split('\n')
    .map((line) => line.replace(/(^|\s)#.*$/, '').trim())
    .filter((line) => line !== '')
}
