import {
  array,
  attribute,
  boolean,
  bytes,
  computed,
  date,
  datetime,
  decimal,
  declare,
  defineModel,
  email,
  enumeration,
  expression,
  idQuery,
  integer,
  integer64,
  json,
  notNull,
  nullable,
  number,
  type RowRule,
  resource,
  sql,
  storedAs,
  tableFunction,
  text,
  time,
  toMany,
  toOne,
  url,
  uuid,
} from 'lapidary'

// Exports every kind of declaration without a type of its own, so that the compiler has to write each type into the
// declaration file.

export const kinds = {
  ...{ boolean, bytes, date, datetime, email, integer, json, number, text, time, url, uuid },
}
export const amount = decimal({ precision: 10, scale: 2 })
export const state = enumeration(['draft', 'public'])
export const large = integer64({ largeValuesAs: 'string' })

export const title = attribute(text, { required: true, default: 'Untitled' })
export const slug = attribute(text, { access: 'immutable', default: () => crypto.randomUUID() })
export const password = attribute(text, { access: 'write-only', column: 'password_hash' })
export const price = attribute(amount, { access: 'read-only', filter: false, sort: false })
export const words = computed(
  integer,
  { body: notNull(text), note: text },
  ({ body, note }) => `${body} ${note ?? ''}`.split(' ').length,
)
export const year = expression(integer, (column) => sql`cast(${column('created')} as integer)`)
export const author = toOne('person', { column: 'author_id' })
export const profile = toOne('profile', { column: 'person_id', foreignKey: 'other' })
export const comments = toMany('comment', { column: 'article_id', access: 'read-only' })
export const tags = toMany('tag', {
  through: { table: 'article_tag', from: 'article_id', to: 'tag_id' },
})

export const fields = { title, slug, password, price, words, year, author, tags }
export const article = resource('article', {
  path: '/articles',
  table: 'article',
  id: { kind: uuid, client: 'optional' },
  scope: (column) => sql`${column('deleted_at')} is null`,
  insertDefaults: { created: 2026 },
  fields: { ...fields, state: attribute(state, { default: 'draft' }), data: attribute(json) },
  hooks: {
    beforeCreate: ({ attributes }) => ({ slug: attributes.title ?? null }),
    afterRead: (resources) => void resources.length,
  },
})
export const person = resource('person', {
  path: '/people',
  table: 'person',
  fields: { name: attribute(text), articles: toMany('article', { column: 'author_id' }) },
})
export const tag = resource('tag', {
  path: '/tags',
  table: 'tag',
  access: 'read-only',
  fields: { name: attribute(text) },
})
export const resources = [article, person, tag] as const
export const model = defineModel(resources)

// An application with an auth context exports the functions of `declare` from one module.
export interface User {
  readonly id: string
}
export const team = declare<{ auth: User }>()
export const { action, auth, resource: teamResource, defineModel: defineTeamModel } = team
export const me = auth(({ id }) => id)
export const own: RowRule<User> = { filter: [{ name: 'owner', op: 'eq', val: me }] }
export const rules = { read: true, update: own } as const
export const close = action({
  parameters: { note: text, day: nullable(date) },
  returns: { resource: 'note' },
  run: async ({ id }) => id,
})
export const search = idQuery({ words: text }, ({ words }) => sql`select id from find(${words})`)
export const note = teamResource('note', {
  path: '/notes',
  table: 'note',
  access: rules,
  actions: { close },
  queries: { search },
  fields: {
    owner: attribute(text),
    tags: attribute(array(text)),
    at: attribute(storedAs(datetime, 'epoch-seconds')),
  },
})
export const total = teamResource('total', {
  path: '/totals',
  table: tableFunction({ since: date }, ({ since }) => sql`select * from totals(${since})`),
  access: 'read-only',
  fields: { amount: attribute(amount) },
})
export const teamModel = defineTeamModel([note, total])
