import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  attribute,
  boolean,
  computed,
  enumeration,
  expression,
  integer,
  integer64,
  json,
  resource,
  sql,
  text,
  toMany,
  toOne,
} from 'lapidary'
import { z } from 'zod'

const fields = {
  name: attribute(text, { required: true }),
  size: attribute(integer64()),
  state: attribute(enumeration(['open', 'shut'])),
  options: attribute(json),
  stamp: attribute(text, { access: 'read-only' }),
  loud: computed(text, { name: text }, ({ name }) => name),
  total: expression(integer, () => sql`1`),
  whole: toOne('thing', { column: 'whole_id' }),
  parts: toMany('thing', { column: 'whole_id' }),
}
const thing = { path: '/things', table: 'thing', fields } as const

/**
 * Type errors in hooks. Nothing here runs: each wrong line follows a comment that makes the type check fail if the line
 * is *not* an error.
 */
function hooks(): readonly unknown[] {
  return [
    resource('thing', {
      ...thing,
      hooks: {
        beforeCreate({ attributes, relationships }, { auth, query }) {
          const name: string | null | undefined = attributes.name
          const size: bigint | null | undefined = attributes.size
          const state: 'open' | 'shut' | null | undefined = attributes.state
          // @ts-expect-error it may be missing
          attributes.name.length
          // @ts-expect-error computed by the database, so never sent
          attributes.total
          // @ts-expect-error computed, so never sent
          attributes.loud
          // @ts-expect-error a relationship is not an attribute
          attributes.whole
          // @ts-expect-error no such attribute
          attributes.nobody
          // @ts-expect-error a hook returns changes instead of assigning them
          attributes.name = 'x'
          const ids: readonly string[] | undefined = relationships.parts?.ids
          // @ts-expect-error the auth context is unknown until it is narrowed
          auth.name
          const rows: Promise<readonly Readonly<Record<string, unknown>>[]> = query(sql`select 1`)
          assert.ok([name, size, state, ids, rows])
          return { stamp: 'x', size: 5n, state: 'open' }
        },
        async afterCreate({ id, attributes }) {
          const known: string = id
          const name: string | null = attributes.name
          // @ts-expect-error a stored value may be null even if the attribute is required
          attributes.name.length
          assert.ok([known, name])
        },
        beforeUpdate: (current, change) => ({
          name: change.attributes.name ?? current.attributes.name,
        }),
        afterUpdate(updated, before) {
          const sizes: (bigint | null)[] = [updated.attributes.size, before.attributes.size]
          assert.ok(sizes)
        },
        beforeDelete: ({ attributes }) => void attributes.options,
        afterRead(resources) {
          // @ts-expect-error only requested attributes are present
          for (const { attributes } of resources) attributes.name.length
        },
      },
    }),
    resource('thing', { ...thing, hooks: { beforeCreate: () => undefined } }),
    resource('thing', { ...thing, hooks: { beforeCreate: async () => ({ name: null }) } }),
    // @ts-expect-error no such attribute
    resource('thing', { ...thing, hooks: { beforeCreate: () => ({ nobody: 1 }) } }),
    // @ts-expect-error not of its kind
    resource('thing', { ...thing, hooks: { beforeCreate: () => ({ size: 'large' }) } }),
    // @ts-expect-error not among its values
    resource('thing', { ...thing, hooks: { beforeUpdate: async () => ({ state: 'ajar' }) } }),
    // @ts-expect-error computed, so it cannot be stored
    resource('thing', { ...thing, hooks: { beforeCreate: () => ({ total: 5 }) } }),
    // @ts-expect-error no such hook
    resource('thing', { ...thing, hooks: { onCreate: () => undefined } }),
  ]
}

/** Type errors in validators and defaults. */
function validators(): readonly unknown[] {
  return [
    attribute(text, { validate: z.string().min(1) }),
    attribute(integer, { validate: z.number().int() }),
    attribute(text, { validate: z.enum(['a', 'b']) }),
    // @ts-expect-error it validates numbers
    attribute(text, { validate: z.number() }),
    // @ts-expect-error it returns numbers
    attribute(text, { validate: z.string().transform((value) => value.length) }),
    attribute(text, { default: 'x' }),
    attribute(boolean, { default: () => true }),
    // @ts-expect-error not a string
    attribute(text, { default: 5 }),
    // @ts-expect-error it does not return a string
    attribute(text, { default: () => 5 }),
    resource('thing', {
      ...thing,
      validate: z.object({ name: z.string(), size: z.bigint().nullable() }),
    }),
    resource('thing', {
      ...thing,
      validate: z.object({ name: z.string().optional() }).transform(() => 1),
    }),
    // @ts-expect-error the name is a string
    resource('thing', { ...thing, validate: z.object({ name: z.number() }) }),
    // @ts-expect-error no such attribute
    resource('thing', { ...thing, validate: z.object({ nobody: z.string() }) }),
  ]
}

it('the file compiles', () => {
  assert.equal(typeof hooks, typeof validators)
})
