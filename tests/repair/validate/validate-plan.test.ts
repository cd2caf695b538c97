import { describe, expect, it } from 'vitest'
import { applyEdits } from '../../../src/edit/apply-edits.js'
import type { Edit } from '../../../src/edit/edit-types.js'
import { AutotestError } from '../../../src/errors.js'
import type { RepairTypes } from '../../../src/repair/model/diagnosis.js'
import type { Validator } from '../../../src/repair/model/repair-domain.js'
import type { RepairPlan } from '../../../src/repair/model/repair-plan.js'
import { type Validation, validatePlan } from '../../../src/repair/validate/validate-plan.js'
import { snapshotOf } from '../../kb/knowledge-files.js'
import { inputOf } from '../repair-input.js'

const path = 'kb/notes/a.md'
const snapshot = snapshotOf({ [path]: 'one\n' })
const replacing = (search: string, replace: string): Edit => ({ kind: 'edit_note', path, search, replace })
const seenAs = (reason: string, edit: Edit) => new Map([[applyEdits(snapshot, [edit]).hash, reason]])

/** What becomes of a plan in a domain that allows every place; its own check is not expected to be asked. */
function validated(
  edits: readonly Edit[],
  validator: Partial<Validator<RepairTypes>> = {},
  { seen = new Map<string, string>(), isFromModel = false } = {},
): Validation<RepairTypes> {
  const plan: RepairPlan = {
    label: 'wrong_definition',
    subject: 'a note',
    title: 'hand-made',
    reasoning: '',
    edits,
    cases: [],
    goldExposed: true,
    size: 1,
    signature: '',
  }
  const input = inputOf({ validator: { checkPlace: () => undefined, ...validator } })
  return validatePlan(plan, { snapshot, seen }, isFromModel, input)
}

describe('validatePlan', () => {
  it('accepts what its domain accepts, with the knowledge as it would be', () => {
    const edit = replacing('one', 'two')
    expect(validated([edit], { check: () => undefined })).toEqual({
      kind: 'valid',
      candidate: applyEdits(snapshot, [edit]),
    })
  })

  it('refuses what its domain refuses, with the reason and what it suspects', () => {
    const suspect = () => 'the case is stale'
    const asked: boolean[] = []
    const check: Validator<RepairTypes>['check'] = (_plan, _before, _after, isFromModel) => {
      asked.push(isFromModel)
      return { reason: 'not here', suspect }
    }
    const outcome = validated([replacing('one', 'two')], { check }, { isFromModel: true })
    expect(outcome).toEqual({ kind: 'invalid', reason: 'not here', suspect })
    expect(asked).toEqual([true])
  })

  it('refuses a place that its domain does not allow, and an edit that does not fit', () => {
    const checkPlace = () => {
      throw new AutotestError('path_refused', 'outside the knowledge base')
    }
    expect(validated([replacing('one', 'two')], { checkPlace })).toEqual({
      kind: 'invalid',
      reason: 'outside the knowledge base',
    })
    expect(validated([replacing('three', 'two')])).toMatchObject({
      kind: 'invalid',
      reason: expect.stringContaining(path),
    })
  })

  it('refuses what changes nothing', () => {
    expect(validated([replacing('one', 'two'), replacing('two', 'one')])).toEqual({
      kind: 'invalid',
      reason: 'the edit changes nothing',
    })
  })

  it('refuses knowledge that was tried before, whose outcome is reported already', () => {
    const edit = replacing('one', 'two')
    const seen = seenAs('the same knowledge was tried before', edit)
    const refused = { kind: 'invalid', reason: 'the same knowledge was tried before' }
    expect(validated([edit], {}, { seen })).toEqual({ ...refused, isAlreadyReported: true })
  })

  it('refuses a file larger than 256 KB', () => {
    expect(validated([replacing('one', 'x'.repeat(300_000))])).toEqual({
      kind: 'invalid',
      reason: `${path} would be larger than 256 KB`,
    })
  })
})
