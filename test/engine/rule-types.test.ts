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
 * What the compiler says of hooks. Nothing here is run: each wrong line stands under a comment that makes the type check
 * fail when the line is *not* refused.
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
          // @ts-expect-error it may have been left out
          attributes.name.length
          // @ts-expect-error computed by the database, so never sent
          attributes.total
          // @ts-expect-error computed, so never sent
          attributes.loud
          // @ts-expect-error a relationship is no attribute
          attributes.whole
          // @ts-expect-error no such attribute
          attributes.nobody
          // @ts-expect-error what is sent is not to be changed, but returned
          attributes.name = 'x'
          const ids: readonly string[] | undefined = relationships.parts?.ids
          // @ts-expect-error nobody knows what the auth context is before it is narrowed
          auth.name
          const rows: Promise<readonly Readonly<Record<string, unknown>>[]> = query(sql`select 1`)
          assert.ok([name, size, state, ids, rows])
          return { stamp: 'x', size: 5n, state: 'open' }
        },
        async afterCreate({ id, attributes }) {
          const known: string = id
          const name: string | null = attributes.name
          // @ts-expect-error a column may be null, whatever bodies must bring
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
          // @ts-expect-error only what was asked for is there
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

/** What the compiler says of validators and defaults. */
function validators(): readonly unknown[] {
  return [
    attribute(text, { validate: z.string().min(1) }),
    attribute(integer, { validate: z.number().int() }),
    attribute(text, { validate: z.enum(['a', 'b']) }),
    // @ts-expect-error it looks at numbers
    attribute(text, { validate: z.number() }),
    // @ts-expect-error it makes numbers
    attribute(text, { validate: z.string().transform((value) => value.length) }),
    attribute(text, { default: 'x' }),
    attribute(boolean, { default: () => true }),
    // @ts-expect-error no text
    attribute(text, { default: 5 }),
    // @ts-expect-error it makes no text
    attribute(text, { default: () => 5 }),
    resource('thing', {
      ...thing,
      validate: z.object({ name: z.string(), size: z.bigint().nullable() }),
    }),
    resource('thing', {
      ...thing,
      validate: z.object({ name: z.string().optional() }).transform(() => 1),
    }),
    // @ts-expect-error the name is a text
    resource('thing', { ...thing, validate: z.object({ name: z.number() }) }),
    // @ts-expect-error no such attribute
    resource('thing', { ...thing, validate: z.object({ nobody: z.string() }) }),
  ]
}

it('the type checker has read what stands here', () => {
  assert.equal(typeof hooks, typeof validators)
})
