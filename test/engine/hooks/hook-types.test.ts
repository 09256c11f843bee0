import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  attribute,
  boolean,
  computed,
  declare,
  defineModel,
  enumeration,
  expression,
  type Hooks,
  integer,
  integer64,
  json,
  type Kind,
  type ResourceChange,
  resource,
  type StoredResource,
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
        beforeCreate({ attributes, relationships }, context) {
          const { auth, query } = context
          const name: string | undefined = attributes.name
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
          const complete: string | null | undefined = relationships.whole
          // @ts-expect-error a to-one relationship is an id or null
          relationships.whole?.ids
          // @ts-expect-error no such relationship
          relationships.nobody
          // @ts-expect-error an attribute is not a relationship
          relationships.name
          // @ts-expect-error there is no stored resource yet
          context.members('parts')
          // @ts-expect-error the auth context is unknown until it is narrowed
          auth.name
          const rows: Promise<readonly Readonly<Record<string, unknown>>[]> = query(sql`select 1`)
          assert.ok([name, size, state, ids, complete, rows])
          return { stamp: 'x', size: 5n, state: 'open', whole: '1', parts: ['2'] }
        },
        async afterCreate({ id, attributes }) {
          const known: string = id
          const name: string = attributes.name
          // @ts-expect-error a value that is not required may be null
          attributes.stamp.length
          assert.ok([known, name])
        },
        beforeUpdate: (current, change) => ({
          name: change.attributes.name ?? current.attributes.name,
          whole: change.relationships.whole === null ? current.relationships.whole : undefined,
        }),
        async afterUpdate(updated, before, { members, type }) {
          const sizes: (bigint | null)[] = [updated.attributes.size, before.attributes.size]
          const wholes: (string | null)[] = [updated.relationships.whole]
          const parts: readonly string[] = await members('parts')
          const only: 'thing' = type
          // @ts-expect-error a to-one relationship has no members
          await members('whole')
          // @ts-expect-error the ids of a to-many relationship are read by members
          updated.relationships.parts
          assert.ok([sizes, wholes, parts, only])
        },
        beforeDelete: ({ attributes }) => (attributes.options ? { state: 'shut' } : undefined),
        afterCommit(committed, { log, requestId, ip, signal }) {
          if (committed.operation !== 'delete') {
            const size: bigint | null = committed.resource.attributes.size
            log.info({ size, requestId, ip, aborted: signal.aborted }, committed.operation)
          }
          // @ts-expect-error a new resource has no earlier state
          if (committed.operation === 'create') committed.before
        },
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
    // @ts-expect-error a number is not an id
    resource('thing', { ...thing, hooks: { beforeCreate: () => ({ whole: 5 }) } }),
    // @ts-expect-error a to-many relationship takes a list
    resource('thing', { ...thing, hooks: { beforeDelete: () => ({ parts: '5' }) } }),
    // @ts-expect-error the transaction is over
    resource('thing', { ...thing, hooks: { afterCommit: (_, { query }) => query(sql`select 1`) } }),
    // @ts-expect-error no such hook
    resource('thing', { ...thing, hooks: { onCreate: () => undefined } }),
  ]
}

/** Fields are inferred from `fields` only, independently of the position and the types of hooks and validators. */
function inference(): readonly unknown[] {
  const hooksFirst = resource('thing', {
    path: '/things',
    table: 'thing',
    hooks: {
      beforeCreate: async ({ attributes }) => ({ name: attributes.name?.trim() ?? null }),
      beforeUpdate(current: StoredResource, change: ResourceChange) {
        return current.id === '1' && change.attributes.name ? { name: 'one' } : undefined
      },
    },
    validate: z
      .object({ name: z.string().nullable(), state: z.enum(['open', 'shut']).nullish() })
      .refine(({ name }) => name !== 'x'),
    fields: {
      name: attribute(text, { validate: z.string().trim() }),
      state: attribute(enumeration(['open', 'shut'])),
      size: attribute(integer),
    },
  })
  const { size } = hooksFirst.fields
  const kind: Kind<number | bigint> = size.kind
  const hooks: Hooks<typeof fields> = { afterCreate: ({ attributes }) => void attributes.size }
  const maybe = Math.random() > 2 ? { extra: attribute(text) } : {}
  return [
    kind,
    defineModel([hooksFirst]),
    resource('thing', { ...thing, hooks }),
    resource('thing', {
      ...thing,
      validate: z.object({ name: z.string(), size: z.optional(z.bigint()) }),
      hooks: { beforeCreate: () => ({ state: 'open' }) },
    }),
    defineModel([
      resource('thing', {
        path: '/things',
        table: 'thing',
        fields: { ...maybe, name: attribute(text) },
        hooks: { beforeCreate: ({ attributes }) => ({ name: attributes.name ?? 'none' }) },
      }),
    ]),
  ]
}

/** The auth context has the type that the application declares. */
function authContext(): readonly unknown[] {
  interface User {
    readonly name: string
  }
  const own = declare<{ auth: User | undefined }>()
  const declared = own.resource('thing', {
    ...thing,
    hooks: {
      beforeCreate: (_, { auth }) => ({ stamp: auth?.name ?? null }),
      // @ts-expect-error the user may be undefined
      afterDelete: (_, { auth }) => void auth.name,
    },
  })
  const plain = resource('other', { ...thing, path: '/others' })
  return [
    own.defineModel([declared, plain], {
      hooks: {
        begin: async ({ auth, query }) => void (await query(sql`select ${auth?.name}`)),
        afterUpdate(updated, before, { type, auth }) {
          const types: 'thing' | 'other' = type
          const values: unknown[] = [
            updated.attributes.name,
            before.relationships.whole,
            auth?.name,
          ]
          assert.ok([types, values])
        },
        // @ts-expect-error the user has no such member
        beforeRead: ({ auth }) => void auth?.nobody,
      },
    }),
    // @ts-expect-error there is no type thing
    own.defineModel([plain]),
    // @ts-expect-error no such attribute
    own.resource('thing', { ...thing, hooks: { beforeCreate: () => ({ nobody: 1 }) } }),
    defineModel([declared, plain], {
      hooks: {
        // @ts-expect-error the auth context is unknown until it is narrowed
        afterCommit: (_, { auth }) => void auth.name,
      },
    }),
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
  assert.equal(typeof inference, typeof authContext)
})
