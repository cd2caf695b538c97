import { entryFormatContract } from './entry-format.contract.js'

entryFormatContract('Markdown', {
  'AGENTS.md': `# Orders

Paid orders only, always. GMV is net of discounts.

## How many orders were paid?

\`\`\`sql
SELECT count(*)
FROM orders
WHERE status = 'paid'
\`\`\`

- a list
  Q: "GMV by market"

  \`\`\`sql
  SELECT market, sum(amount) AS gmv
  FROM orders

  GROUP BY 1
  \`\`\`

| word | meaning |
|---|---|
| GMV | gross merchandise value |

\`\`\`\`sql
-- What was the last order?
SELECT max(id) FROM orders;
SELECT min(id) FROM orders;
\`\`\`\`
`,
})

entryFormatContract('pairs', {
  'pairs.jsonl': `{"question": "How many orders?", "sql": "SELECT count(*) FROM orders"}
{"question": "How many caf\\u00e9s?", "sql": "SELECT count(*)\\nFROM caf\\u00e9s"}
`,
  'pairs.json': `{
  "examples": [
    { "id": 1, "question": "How many orders?", "sql": "SELECT count(*) FROM orders" },
    { "id": 2, "question": "How many refunds?", "sql": "SELECT count(*) FROM refunds" },
    { "id": 3, "question": "How many \\"new\\" users?", "sql": "SELECT count(*) FROM \\"users\\"" }
  ]
}
`,
  'pairs.csv': `question,query,db
How many orders?,SELECT count(*) FROM orders,shop
"How many, really?","SELECT count(*), ""a""
FROM orders",shop
`,
  'semicolons.csv': `frage;sql
Wie viele?;SELECT count(*) FROM orders
"Wie viele; wirklich?";"SELECT ';' FROM orders"
`,
  'golden.yaml': `# golden queries
- question: How many orders?   # all of them
  sql: SELECT count(*) FROM orders
- question: "How many refunds?"
  sql: |
    SELECT count(*)
    FROM refunds

- question: 'How many users?'
  sql: "SELECT count(*) FROM users"
`,
  'verified.yaml': `examples:
  - { question: How many orders?, sql: SELECT count(*) FROM orders }
  - nl: x
---
examples:
  - question: How many refunds?
    sql: |-
      SELECT count(*) FROM refunds
`,
})
