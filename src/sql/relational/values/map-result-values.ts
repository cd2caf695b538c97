import { conjunction, conjuncts, type Expression, type SelectShape } from '../../shape/query-shape.js'
import { mapAll } from '../../shape/rewrite-query.js'

/** The query with other values in what it shows, in HAVING and in the order; the same where none changes. */
export function mapResultValues(select: SelectShape, change: (value: Expression) => Expression): SelectShape {
  const outputs = mapAll(select.outputs, change)
  const having = conjuncts(select.having)
  const changed = mapAll(having, change)
  const orderBy = mapAll(select.orderBy, (item) => {
    const by = change(item.by)
    return by === item.by ? item : { ...item, by }
  })
  if (outputs === select.outputs && changed === having && orderBy === select.orderBy) return select
  return { ...select, outputs, orderBy, having: changed === having ? select.having : conjunction(changed) }
}
