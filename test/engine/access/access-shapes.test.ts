import assert from 'node:assert/strict'
import { it } from 'node:test'
import { action, defineModel, resource } from 'lapidary'
import { compileAccess } from '../../../src/plan/access/access-shapes.ts'
import { createRightsFinder } from '../../../src/plan/access/rights.ts'

/** More than 200 combinations of these decisions. */
const bits = Array.from({ length: 8 }, (_, bit) => bit)
const isSet = (bit: number) => (auth: unknown) => (Number(auth) & (2 ** bit)) !== 0
/** Identities that differ in a decision. */
const others = Array.from({ length: 200 }, (_, index) => index + 1)

it('access shapes are shared by identities, and the least recently used of more than 200 is compiled again', () => {
  const findShape = compileAccess(
    defineModel(
      bits.map((bit) =>
        resource(`note${bit}`, {
          ...{ path: `/notes${bit}`, table: 'note', fields: {} },
          access: { read: isSet(bit) },
        }),
      ),
    ),
  )
  assert.ok(findShape)
  const first = findShape(0)
  for (const auth of others.slice(1)) findShape(auth)
  assert.equal(findShape(0), first)
  for (const auth of others) findShape(auth)
  assert.notEqual(findShape(0), first)
})

it('rights are shared by identities, and the least recently used of more than 200 are found again', () => {
  const actions = Object.fromEntries(
    bits.map((bit) => [`do${bit}`, action({ callable: isSet(bit), run: () => {} })]),
  )
  const findRights = createRightsFinder(
    defineModel([resource('note', { path: '/notes', table: 'note', fields: {}, actions })]),
  )
  const first = findRights(0)
  for (const auth of others.slice(1)) findRights(auth)
  assert.equal(findRights(0), first)
  for (const auth of others) findRights(auth)
  assert.notEqual(findRights(0), first)
})
