import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  type Attribute,
  attribute,
  computed,
  decimal,
  defineModel,
  enumeration,
  integer,
  integer64,
  json,
  type Kind,
  type Model,
  type NoActions,
  type NoParameters,
  type NoQueries,
  notNull,
  number,
  type ResourceDeclaration,
  resource,
  type ToMany,
  type ToOne,
  text,
  toMany,
  toOne,
} from 'lapidary'

/**
 * Type errors in declarations. Nothing here runs: each wrong line follows a comment that makes the type check fail if the
 * line is *not* an error.
 */
function declarations(): readonly unknown[] {
  const person = resource('person', {
    path: '/persons',
    table: 'person',
    fields: { computers: toMany('computer', { column: 'person_id' }) },
  })
  const computer = resource('computer', {
    path: '/computers',
    table: 'computer',
    fields: { owner: toOne('person', { column: 'person_id' }) },
  })
  const astray = resource('astray', {
    path: '/astrays',
    table: 'astray',
    fields: { owner: toOne('persn', { column: 'person_id' }), size: attribute(integer) },
  })

  return [
    // The target of a relationship is a type of the same model.
    defineModel([person, computer]),
    defineModel([person, computer] as const, { pageSize: 5 }),
    // @ts-expect-error the type computer is not in the model
    defineModel([person]),
    // @ts-expect-error there is no type persn
    defineModel([person, computer, astray]),
    // @ts-expect-error there is no type persn, whatever the options
    defineModel([person, computer, astray], { pageSize: 5 }),

    // The options of a model.
    defineModel([], { clientIds: 'forbid', idMismatch: 'conflict', maxPageSize: 100 }),
    // @ts-expect-error there is no such choice
    defineModel([], { clientIds: 'accept' }),
    // @ts-expect-error there is no such option
    defineModel([], { pagesize: 5 }),

    // The TypeScript types of kinds.
    computed(text, { n: notNull(integer64()) }, ({ n }) => (n + 1n).toString(16)),
    // @ts-expect-error a 64-bit integer is a bigint
    computed(number, { n: notNull(integer64()) }, ({ n }) => n + 1),
    computed(text, { price: notNull(decimal({ scale: 2 })) }, ({ price }) => price.padStart(8)),
    computed(enumeration(['open', 'closed']), { name: text }, ({ name }) =>
      name === null ? null : 'open',
    ),
    // @ts-expect-error there is no such value
    computed(enumeration(['open', 'closed']), { name: text }, () => 'half open'),
    computed(json, { name: text }, ({ name }) => ({ name, size: 2n ** 60n })),
    // @ts-expect-error only JSON objects and arrays
    computed(json, { name: text }, () => 'text'),
    // @ts-expect-error there is no such option
    decimal({ digits: 2 }),
    // @ts-expect-error there is no such choice
    integer64({ largeValuesAs: 'double' }),

    // A computed attribute gets its declared columns as their kinds; nullable ones may be null.
    computed(text, { name: text }, ({ name }) => name?.toUpperCase() ?? null),
    computed(text, { name: notNull(text) }, ({ name }) => name.toUpperCase()),
    computed(number, { a: number, b: notNull(number) }, ({ a, b }) => (a ?? 0) + b),
    computed(text, { n: notNull(integer) }, ({ n }) => n.toFixed()),
    // @ts-expect-error the column is nullable
    computed(text, { name: text }, ({ name }) => name.toUpperCase()),
    // @ts-expect-error the column is not declared
    computed(text, { name: text }, ({ email }) => email),
    // @ts-expect-error a text attribute must return a string
    computed(text, { name: notNull(text) }, ({ name }) => name.length),
    // @ts-expect-error a text attribute must always return a string
    computed(text, { name: text }, ({ name }) => (name === 'x' ? 5 : name)),
    // @ts-expect-error it must return null, not undefined
    computed(text, { name: text }, ({ name }) => name ?? undefined),
    // @ts-expect-error it must not return a promise
    computed(text, { name: text }, async ({ name }) => name),
    // @ts-expect-error the values are read-only
    computed(text, { name: text }, (columns) => (columns.name = 'x')),
    computed(number, { n: notNull(integer) }, ({ n }) => n + 1),

    // Attributes.
    attribute(text, {
      required: true,
      access: 'write-only',
      filter: true,
      sort: false,
      column: 'c',
    }),
    // @ts-expect-error there is no such access
    attribute(text, { access: 'writeonly' }),
    // @ts-expect-error there is no such option
    attribute(text, { require: true }),
    // @ts-expect-error a kind, not its name
    attribute('text'),

    // Relationships.
    // @ts-expect-error the column is missing
    toOne('person', {}),
    // @ts-expect-error the column is missing
    toMany('person'),
    // @ts-expect-error the name of a type, not the type
    toOne(person, { column: 'person_id' }),

    // Resources.
    // @ts-expect-error the table is missing
    resource('person', { path: '/persons', fields: {} }),
    // @ts-expect-error a kind is not a field
    resource('person', { path: '/persons', table: 'person', fields: { name: text } }),
    // @ts-expect-error a computed attribute is declared by `computed`
    resource('person', { path: '/persons', table: 'person', fields: { name: () => 'x' } }),
  ]
}

/** The value types of kinds. */
function kinds(): readonly unknown[] {
  const texts: Kind<string> = text
  const integers: Kind<number> = integer
  // @ts-expect-error a text kind is not a number kind
  const numbers: Kind<number> = text
  return [texts, integers, numbers]
}

/** True if two types are the same. */
type Same<One, Other> =
  (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false

/** The options that the types of declarations carry. */
function carried(): readonly unknown[] {
  const required: Same<typeof name, Attribute<string, true, 'read-write', false, 'textual'>> = true
  const name = attribute(text, { required: true })
  const limited: Same<typeof stamp, Attribute<string, false, 'read-only', true, 'textual'>> = true
  const stamp = attribute(text, { access: 'read-only', default: () => 'now' })
  const owned: Same<typeof owner, ToOne<'person', 'read-only'>> = true
  const owner = toOne('person', { column: 'person_id', access: 'read-only' })
  const ownedMany: Same<typeof parts, ToMany<'part', 'read-write', false>> = true
  const parts = toMany('part', { column: 'whole_id' })
  const view = resource('view', {
    path: '/views',
    table: 'view',
    id: { column: 'key', kind: text, client: 'required' },
    access: 'read-only',
    fields: { name },
  })
  const declared: Same<
    typeof view,
    ResourceDeclaration<
      'view',
      { readonly name: typeof name },
      'read-only',
      'required',
      NoQueries,
      NoActions,
      NoParameters
    >
  > = true
  // The type of a declaration follows from its options, not from the expected type.
  const inPlace = defineModel([
    resource('part', {
      path: '/parts',
      table: 'part',
      fields: { name: attribute(text), whole: toOne('part', { column: 'whole_id' }) },
    }),
  ])
  const declaredInPlace: Same<
    typeof inPlace.declarations.part,
    ResourceDeclaration<
      'part',
      {
        readonly name: Attribute<string, false, 'read-write', false, 'textual'>
        readonly whole: ToOne<'part', 'read-write'>
      },
      'read-write',
      undefined,
      NoQueries,
      NoActions,
      NoParameters
    >
  > = true
  const model = defineModel([view])
  const ofModel: Same<typeof model.declarations.view, typeof view> = true
  const anyModel: Model = model
  return [
    declaredInPlace,
    required,
    limited,
    owned,
    ownedMany,
    declared,
    ofModel,
    anyModel,
    owner,
    stamp,
    parts,
  ]
}

it('the file compiles', () => {
  assert.equal(typeof declarations, typeof kinds)
  assert.equal(typeof declarations, typeof carried)
})
