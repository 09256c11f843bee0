import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import { storedAttributes } from './data.ts'
import type { Reference } from './reference.ts'
import { nextOf, type Type, types } from './schema.ts'
import type { Data, Thing } from './things.ts'

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
    const operation = after.fans.has(pair) ? 'link' : 'unlink'
    for (const [type, id, name] of [
      ['red', red, 'fans'],
      ['green', green, 'stars'],
    ] as const) {
      const thing = before.things[type].get(id)
      const created = after.things[type].get(id)
      // A new row is also checked as such.
      if (thing === undefined)
        check(
          created !== undefined && reference.allowsLink(operation, type, name, created, after),
          `linked ${type} ${id}, which does not exist or must not be linked`,
        )
      else
        check(
          reference.canRead(type, thing, before) &&
            mayLink(reference, operation, { type, name, thing }, before),
          `${operation}ed ${type} ${id}`,
        )
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
      ? reference.allows('create', type, is, after) &&
        isLinkedAsAllowed(reference, type, is, before, after)
      : was !== undefined &&
        reference.canRead(type, was, before) &&
        reference.allows('delete', type, was, before)
    return isAllowed ? [] : [is ? 'created' : 'deleted']
  }
  const attributes = storedAttributes.filter((name) => !isDeepStrictEqual(was[name], is[name]))
  const isLinked = was.next !== is.next
  if (attributes.length === 0 && !isLinked) return []
  const violations = attributes
    .filter((name) => !reference.isWritable(type, name) || reference.isFixed(type, name))
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
  if (!reference.isWritable(type, 'next') || reference.isFixed(type, 'next'))
    violations.push('wrote a relationship that is not writable')
  const linked = { ...was, next: is.next }
  if (is.next !== null) {
    const isAllowed =
      mayLink(reference, 'link', { type, name: 'next', thing: was }, before) &&
      (mayLink(reference, 'link', { type, name: 'next', thing: linked }, before) ||
        mayLink(reference, 'link', { type, name: 'next', thing: is }, after))
    if (!isAllowed) violations.push('linked')
  }
  if (
    was.next !== null &&
    !mayLink(reference, 'unlink', { type, name: 'next', thing: was }, before)
  )
    violations.push('unlinked')
  const hasNoRule = (['link', 'unlink'] as const).every(
    (operation) => reference.linkRule(operation, type, 'next') === undefined,
  )
  if (hasNoRule && !reference.allows('update', type, is, after)) violations.push('updated')
  const other = nextOf[type]
  for (const [operation, key] of [
    ['unlink', was.next],
    ['link', is.next],
  ] as const) {
    const end = key === null ? undefined : before.things[other].get(key)
    if (end === undefined || !reference.canRead(other, end, before)) continue
    if (!reference.allowsLink(operation, other, 'previous', end, before))
      violations.push(`${operation}ed ${other} ${end.id}`)
  }
  const target = is.next === null ? undefined : before.things[other].get(is.next)
  const isNew = is.next !== null && target === undefined
  const isHidden = target !== undefined && !reference.canRead(other, target, before)
  if (isHidden || (isNew && !after.things[other].has(is.next ?? '')))
    violations.push(`linked ${other} ${is.next}, which does not exist for the identity`)
  return violations
}

/** Whether the links of a new row are allowed. */
function isLinkedAsAllowed(
  reference: Reference,
  type: Type,
  created: Thing,
  before: Data,
  after: Data,
): boolean {
  if (created.next === null) return true
  const end = before.things[nextOf[type]].get(created.next)
  return (
    reference.allowsLink('link', type, 'next', created, after) &&
    (end === undefined || reference.allowsLink('link', nextOf[type], 'previous', end, before))
  )
}

/** A row and its relationship. */
interface LinkEnd {
  readonly type: Type
  readonly name: string
  readonly thing: Thing
}

/** Whether the identity may link or unlink a row that changes: by the rule of the relationship or, without one, that for updates. */
function mayLink(
  reference: Reference,
  operation: 'link' | 'unlink',
  { type, name, thing }: LinkEnd,
  data: Data,
): boolean {
  return reference.linkRule(operation, type, name) === undefined
    ? reference.allows('update', type, thing, data)
    : reference.allowsLink(operation, type, name, thing, data)
}
