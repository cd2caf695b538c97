import { defaultFormat } from '../../src/kb/default-format.js'
import { iniFormat } from './ini-format.js'
import { knowledgeAdapterContract } from './knowledge-adapter.contract.js'

knowledgeAdapterContract({
  format: defaultFormat,
  foreignPath: 'kb/metrics/revenue.sql',
  files: {
    'kb/metrics/revenue.yaml': `# What the shop earns.
metric: revenue
title: Turnover of paid sales
aliases: [revenue, "turnover"] # as finance says
snippet: revenue.sql
parameters:
  market: { type: enum, values: { ID: [Indonesia], TH: [Thailand] } }
`,
    'kb/snippets/revenue.sql':
      'SELECT sum(amount)\nFROM sales -- one row a sale\nWHERE market = {{ market }}\n',
    'kb/metrics/tax.yaml': 'metric: tax\naliases: [tax]\nsnippet: tax.sql\n',
    'kb/snippets/tax.sql': 'SELECT sum(tax) FROM sales\n',
  },
})

knowledgeAdapterContract({
  format: iniFormat,
  foreignPath: 'kb/notes.md',
  files: {
    'kb/answers.md': `# What the shop knows.

[revenue]
title = Turnover of paid sales
words = revenue, turnover
market = ID: Indonesia; TH: Thailand
sql = SELECT sum(amount)
  FROM sales -- one row a sale
  WHERE market = {{ market }}

[tax]
words = tax
sql = SELECT sum(tax) FROM sales
`,
  },
})
