import { isMap, isSeq, type Node, type YAMLMap } from 'yaml'
import { readYamlFile } from '../entries/yaml-file.js'
import type { Field, PairRecord, Records } from './record.js'

/** Reads the mappings of the lists in a YAML file, at whatever depth. */
export function readYamlRecords(path: string, file: string): Records {
  const yaml = readYamlFile(path, file)
  const records: PairRecord[] = []
  const fieldsOf = ({ items }: YAMLMap): Map<string, Field> => {
    const fields = new Map<string, Field>()
    for (const { key, value } of items) {
      const name = yaml.textOf(key)?.value
      const text = yaml.textOf(value)
      if (name !== undefined && text !== undefined && !fields.has(name)) fields.set(name, text)
    }
    return fields
  }
  const visit = (node: unknown): void => {
    if (isSeq(node)) {
      for (const item of node.items) {
        if (isMap(item) && yaml.isSound(item)) {
          records.push({ fields: fieldsOf(item), whole: yaml.wholeOf(item), line: yaml.lineOf(item as Node) })
        }
        visit(item)
      }
    } else if (isMap(node)) for (const { value } of node.items) visit(value)
  }
  for (const root of yaml.roots) {
    // A file of one case is a record, too.
    if (isMap(root) && yaml.isSound(root)) {
      const [start = 0, , end = 0] = root.range ?? []
      records.push({ fields: fieldsOf(root), whole: { start, end }, line: yaml.lineOf(root) })
    }
    visit(root)
  }
  return { records, skipped: yaml.skipped, readOnly: yaml.readOnly }
}
