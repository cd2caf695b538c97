/** Formats of knowledge that a project may name; `auto` decides for each file. */
export const knowledgeFormats = ['auto', 'native', 'markdown', 'pairs'] as const
