import assert from 'node:assert/strict'
import { it } from 'node:test'
import {
  attribute,
  computed,
  decimal,
  defineModel,
  enumeration,
  integer,
  integer64,
  json,
  type Kind,
  notNull,
  number,
  resource,
  text,
  toMany,
  toOne,
} from 'lapidary'

/**
 * What the compiler says of declarations. Nothing here is run: each wrong line stands under a comment that makes
 * the type check fail when the line is *not* refused.
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
    // Relationships lead to types of the same model.
    defineModel([person, computer]),
    defineModel([person, computer] as const, { pageSize: 5 }),
    // @ts-expect-error computer is not among the types
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

    // Kinds have the values that TypeScript has for them.
    computed(text, { n: notNull(integer64()) }, ({ n }) => (n + 1n).toString(16)),
    // @ts-expect-error a whole number of 64 bits is a bigint
    computed(number, { n: notNull(integer64()) }, ({ n }) => n + 1),
    computed(text, { price: notNull(decimal({ scale: 2 })) }, ({ price }) => price.padStart(8)),
    computed(enumeration(['open', 'closed']), { name: text }, ({ name }) =>
      name === null ? null : 'open',
    ),
    // @ts-expect-error there is no such value
    computed(enumeration(['open', 'closed']), { name: text }, () => 'half open'),
    computed(json, { name: text }, ({ name }) => ({ name, size: 2n ** 60n })),
    // @ts-expect-error JSON objects and arrays alone
    computed(json, { name: text }, () => 'text'),
    // @ts-expect-error there is no such option
    decimal({ digits: 2 }),
    // @ts-expect-error there is no such choice
    integer64({ largeValuesAs: 'double' }),

    // What is computed gets the columns it declares, read as their kinds, null where they may be.
    computed(text, { name: text }, ({ name }) => name?.toUpperCase() ?? null),
    computed(text, { name: notNull(text) }, ({ name }) => name.toUpperCase()),
    computed(number, { a: number, b: notNull(number) }, ({ a, b }) => (a ?? 0) + b),
    computed(text, { n: notNull(integer) }, ({ n }) =>
      typeof n === 'bigint' ? 'long' : n.toFixed(),
    ),
    // @ts-expect-error the column may be null
    computed(text, { name: text }, ({ name }) => name.toUpperCase()),
    // @ts-expect-error a column it did not declare
    computed(text, { name: text }, ({ email }) => email),
    // @ts-expect-error a text field computes texts
    computed(text, { name: notNull(text) }, ({ name }) => name.length),
    // @ts-expect-error texts always, not only at times
    computed(text, { name: text }, ({ name }) => (name === 'x' ? 5 : name)),
    // @ts-expect-error nor undefined: a value that is not there is null
    computed(text, { name: text }, ({ name }) => name ?? undefined),
    // @ts-expect-error nor a promise
    computed(text, { name: text }, async ({ name }) => name),
    // @ts-expect-error the values are not to be changed
    computed(text, { name: text }, (columns) => (columns.name = 'x')),
    // @ts-expect-error an integer may be too long for a number
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
    // @ts-expect-error so it is
    toMany('person'),
    // @ts-expect-error the name of a type, not the type
    toOne(person, { column: 'person_id' }),

    // Resources.
    // @ts-expect-error the table is missing
    resource('person', { path: '/persons', fields: {} }),
    // @ts-expect-error a kind is no field
    resource('person', { path: '/persons', table: 'person', fields: { name: text } }),
    // @ts-expect-error fields are computed by `computed`, not by any function
    resource('person', { path: '/persons', table: 'person', fields: { name: () => 'x' } }),
  ]
}

/** Kinds know the type of their values. */
function kinds(): readonly unknown[] {
  const texts: Kind<string> = text
  const integers: Kind<number | bigint> = integer
  // @ts-expect-error a kind of texts is none of numbers
  const numbers: Kind<number> = text
  return [texts, integers, numbers]
}

it('the type checker has read what stands here', () => {
  assert.equal(typeof declarations, typeof kinds)
})
