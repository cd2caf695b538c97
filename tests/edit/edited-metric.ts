import type { YamlEdit } from '../../src/edit/edit-types.js'
import { editYaml } from '../../src/edit/yaml-edit.js'

/** What an edit of a metric changes. */
export type Change = Omit<YamlEdit, 'kind' | 'path' | 'entry'>

/** The text of a metric after the change. */
export function edit(text: string, change: Change): string {
  const bytes = new TextEncoder().encode(text)
  const target = { kind: 'edit_metric', path: 'kb/metrics/dau.yaml', entry: 'metric:dau' } as const
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(editYaml(bytes, { ...target, ...change }))
}

export const metric = `# Who came by
metric: dau
title: Daily active users   # as people say it
aliases: [DAU, daily active users] # keep short
snippet: dau.sql

parameters:
  market: { type: enum, values: { ID: [Indonesia], TH: [Thailand] } }
  period: { type: date_range }
`

export const block = `metric: dau
aliases:
  - DAU # the usual
  # spelled out
  - daily active users

parameters:
  market:
    type: enum
    values:
      ID: [Indonesia]
      TH:
        - Thailand
`
