import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { storedAttributes } from './data.ts'
import type { Reference } from './reference.ts'
import { nextOf, type Type, types } from './schema.ts'
import { type Data, linked, type Thing } from './things.ts'

/** Checks that a request changed nothing that the reference does not allow. */
export function checkChanges(reference: Reference, before: Data, after: Data, hint: string): void {
  const check = (isAllowed: boolean, what: string) => assert.ok(isAllowed, `${hint}: ${what}`)
  for (const type of types) {
    const [old, current] = [before.things[type], after.things[type]]
    for (const id of new Set([...old.keys(), ...current.keys()])) {
      const change: RowChange = { type, was: old.get(id), is: current.get(id) }
      for (const violation of listViolations(reference, change, before, after))
        check(false, `${type} ${id}: ${violation}`)
    }
  }
  for (const pair of new Set([...before.fans, ...after.fans])) {
    if (before.fans.has(pair) === after.fans.has(pair)) continue
    const [red = '', green = ''] = pair.split(' ')
    for (const [type, id] of [
      ['red', red],
      ['green', green],
    ] as const) {
      const thing = before.things[type].get(id)
      // A new row is checked as such.
      if (thing === undefined)
        check(after.things[type].has(id), `linked ${type} ${id}, which does not exist`)
      else check(canLink(reference, type, thing, before), `linked or unlinked ${type} ${id}`)
    }
    check(reference.isWritable('red', 'fans'), 'wrote a relationship that is not writable')
  }
}

/** A row before and after a request; `undefined` where it does not exist. */
interface RowChange {
  readonly type: Type
  readonly was: Thing | undefined
  readonly is: Thing | undefined
}

function listViolations(
  reference: Reference,
  { type, was, is }: RowChange,
  before: Data,
  after: Data,
): string[] {
  if (was === undefined && is === undefined) return []
  if (was === undefined || is === undefined) {
    const isAllowed = is
      ? reference.allows('create', type, is, after)
      : was !== undefined &&
        reference.canRead(type, was, before) &&
        reference.allows('delete', type, was, before)
    return isAllowed ? [] : [is ? 'created' : 'deleted']
  }
  const attributes = storedAttributes.filter((name) => !isDeepStrictEqual(was[name], is[name]))
  const isLinked = was.next !== is.next
  if (attributes.length === 0 && !isLinked) return []
  const violations = attributes
    .filter((name) => !reference.isWritable(type, name))
    .map((name) => `wrote ${name}`)
  if (!reference.canRead(type, was, before)) violations.push('changed a hidden row')
  const isUpdated = (row: Thing, data: Data) => reference.allows('update', type, row, data)
  if (attributes.length > 0 && !(isUpdated(was, before) && isUpdated(is, after)))
    violations.push('updated')
  if (isLinked) violations.push(...listLinkViolations(reference, { type, was, is }, before, after))
  return violations
}

function listLinkViolations(
  reference: Reference,
  { type, was, is }: Readonly<{ type: Type; was: Thing; is: Thing }>,
  before: Data,
  after: Data,
): string[] {
  const violations: string[] = []
  if (!reference.isWritable(type, 'next'))
    violations.push('wrote a relationship that is not writable')
  const isAllowed =
    canLink(reference, type, was, before) && canLink(reference, type, is, after, false)
  if (!isAllowed) violations.push('linked')
  const other = nextOf[type]
  for (const [, target] of [
    ...linked(type, was, 'next', before),
    ...linked(type, is, 'next', before),
  ])
    if (reference.canRead(other, target, before) && !reference.allowsLinkTo(other, target, before))
      violations.push(`linked to or from ${other} ${target.id}`)
  const target = is.next === null ? undefined : before.things[other].get(is.next)
  const isNew = is.next !== null && target === undefined
  const isHidden = target !== undefined && !reference.canRead(other, target, before)
  if (isHidden || (isNew && !after.things[other].has(is.next ?? '')))
    violations.push(`linked ${other} ${is.next}, which does not exist for the identity`)
  return violations
}

/** Whether the identity may change the links that are stored in a row. */
function canLink(
  reference: Reference,
  type: Type,
  thing: Thing,
  data: Data,
  isBefore = true,
): boolean {
  if (isBefore && !reference.canRead(type, thing, data)) return false
  const operation = reference.hasLinkRule(type) ? 'relate' : 'update'
  return reference.allows(operation, type, thing, data)
}
