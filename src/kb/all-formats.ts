import type { EntryFormat } from './entries/entry-format.js'
import { markdownFormat } from './markdown/markdown-format.js'
import { pairsFormat } from './pairs/pairs-format.js'

/** The formats of entries, the most particular first: `auto` takes the first that claims a file. */
export const entryFormats: readonly EntryFormat[] = [markdownFormat, pairsFormat]
