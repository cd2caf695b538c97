import { parser } from '@lezer/markdown'
import { lineCounter } from '../entries/text-lines.js'

/** A link to another file of the project. */
export interface FileLink {
  /** As written, without its anchor. */
  readonly target: string
  /** From 1. */
  readonly line: number
}

/** Returns the links of a Markdown text that name a file by a relative path. */
export function fileLinks(file: string): FileLink[] {
  const lineOf = lineCounter(file)
  const links: FileLink[] = []
  parser.parse(file).iterate({
    enter: ({ name, from, to }) => {
      if (name !== 'URL') return
      const url = file.slice(from, to).replaceAll(/^<|>$/g, '')
      const target = url.split(/[?#]/)[0] ?? ''
      // A scheme, an absolute path, an anchor and a placeholder name no file beside this one.
      if (target === '' || /^[a-z][\w+.-]*:|^\/|^#|^www\.|@|[{}<>$*]/i.test(url)) return
      links.push({ target: decoded(target), line: lineOf(from) })
    },
  })
  return links
}

function decoded(target: string): string {
  try {
    return decodeURI(target)
  } catch {
    return target
  }
}
