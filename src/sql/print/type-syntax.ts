/** A type as SQL writes it, of the form in which it is compared; what is not known stays as it is. */
export function printType(type: string): string {
  const zoned = /^(timestamp|time)\(true\)$/u.exec(type)?.[1]
  if (zoned !== undefined) return `${zoned} with time zone`
  const element = /^array\(element_type=(\{.*\})\)$/u.exec(type)?.[1]
  if (element !== undefined) {
    const words = printTypeNode(JSON.parse(element))
    return words === undefined ? type : `${words}[]`
  }
  const [, key, value] = /^map\(key_type=(\{.*\}), value_type=(\{.*\})\)$/u.exec(type) ?? []
  if (key !== undefined && value !== undefined) {
    const words = [key, value].map((part) => printTypeNode(JSON.parse(part)))
    return words.includes(undefined) ? type : `map(${words.join(', ')})`
  }
  const fields = /^struct\(fields=(\[.*\]), true\)$/u.exec(type)?.[1]
  const named = fields === undefined ? undefined : fieldsOf(JSON.parse(fields))
  return named === undefined ? type : `struct(${named})`
}

/** Words of a type that says no more than they do. */
function printTypeNode(type: unknown): string | undefined {
  const { data_type: name, ...details } = recordOf(type)
  const said = Object.entries(details).filter(([, value]) => value !== null && value !== false)
  if (typeof name !== 'string') return undefined
  const [only, ...others] = said
  if (only === undefined) return name.replaceAll('_', '')
  if (others.length > 0) return undefined
  const [key, value] = only
  if (name === 'custom' && key === 'name' && typeof value === 'string') return value.toLowerCase()
  if (name === 'array' && key === 'element_type') {
    const element = printTypeNode(value)
    return element === undefined ? undefined : `${element}[]`
  }
  const fields = name === 'struct' && key === 'fields' ? fieldsOf(value) : undefined
  return fields === undefined ? undefined : `struct(${fields})`
}

function fieldsOf(fields: unknown): string | undefined {
  if (!Array.isArray(fields)) return undefined
  const words = fields.map((field) => {
    const { name, data_type: type, ...others } = recordOf(field)
    const known = printTypeNode(type)
    const isPlain = Object.values(others).every((value) => value === null)
    return typeof name === 'string' && known !== undefined && isPlain ? `${name} ${known}` : undefined
  })
  return words.includes(undefined) ? undefined : words.join(', ')
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
