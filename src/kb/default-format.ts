import type { KnowledgeAdapter } from './knowledge-adapter.js'
import { nativeFormat } from './native/native-format.js'

/** The format of a knowledge base that specifies none. */
export const defaultFormat: KnowledgeAdapter = nativeFormat
