import {
  array,
  attribute,
  auth,
  computed,
  defineModel,
  expression,
  type FieldAccess,
  integer,
  json,
  type LinkAccess,
  type Model,
  resource,
  sql,
  text,
  toMany,
  toOne,
} from 'lapidary'
import { declareActions, declareQueries } from './declared-calls.ts'
import { isOfRow, type Rules, type TypeRules } from './random-rules.ts'
import {
  type Identity,
  nextColumns,
  nextOf,
  policedRole,
  previousOf,
  serialColumns,
  types,
} from './schema.ts'

/** What hides rows besides the rules. */
interface Hiding {
  /** Whether rows belong to tenants and are deleted softly. */
  readonly isScoped: boolean
  /** Whether policies of PostgreSQL hide rows. */
  readonly isPoliced: boolean
}

/** Declares the model of some rules. */
export function declareModel(rules: Rules, { isScoped, isPoliced }: Hiding): Model {
  const resources = types.map((type) => {
    const { access, callable, isNumbered } = rules[type]
    const ruled = (name: string) => listRights(rules[type], name)
    const changed = (name: string) => ({
      ...ruled(name),
      ...(rules[type].immutable.includes(name) && { access: 'immutable' as const }),
    })
    const isPreviousFixed = rules[previousOf[type]].immutable.includes('next')
    const joined = {
      ...(type === 'red' && {
        fans: toMany('green', {
          ...{ through: { table: 'fan', from: 'red_id', to: 'green_id' } },
          ...ruled('fans'),
        }),
      }),
      ...(type === 'green' && {
        stars: toMany('red', {
          ...{ through: { table: 'fan', from: 'green_id', to: 'red_id' } },
          ...ruled('stars'),
        }),
      }),
    }
    return resource(type, {
      ...{ path: `/${type}`, table: type, access },
      ...(isScoped && { softDelete: 'gone' }),
      ...(type === 'blue' && {
        id: { column: ['org', 'number'], kind: [integer, integer], client: 'required' },
      }),
      queries: declareQueries(type),
      actions: declareActions(type, callable, !isOfRow(access.call)),
      fields: {
        name: attribute(text, ruled('name')),
        rank: attribute(integer, ruled('rank')),
        note: attribute(text, changed('note')),
        secret: attribute(text, changed('secret')),
        place: attribute(json, { paths: { word: text }, ...ruled('place') }),
        marks: attribute(array(text), ruled('marks')),
        tags: attribute(array(text), changed('tags')),
        info: attribute(json, { paths: { 'place.word': text }, ...changed('info') }),
        mixed: computed(
          text,
          { name: text, secret: text },
          ({ name, secret }) => `${name} ${secret}`,
          ruled('mixed'),
        ),
        loud: expression(text, (column) => sql`upper(${column('note')})`, ruled('loud')),
        next: toOne(nextOf[type], {
          column: [...nextColumns(type)],
          // Every key references a row, though a policy may hide it.
          ...(isPoliced && { enforced: true }),
          ...(isNumbered && { references: [...serialColumns(nextOf[type])] }),
          ...changed('next'),
        }),
        previous: toMany(previousOf[type], {
          column: [...nextColumns(previousOf[type])],
          count: true,
          ...(isNumbered && { references: [...serialColumns(type)] }),
          // Writes from this side would change the other one.
          ...(isPreviousFixed && { access: 'read-only' as const }),
          ...ruled('previous'),
        }),
        ...(isNumbered && {
          ownNumber: attribute(integer, {
            ...{ column: 'serial', access: 'read-only', ...ruled('ownNumber') },
          }),
          nextNumber: attribute(integer, { column: 'next_id', access: 'read-only' }),
        }),
        ...joined,
      },
    })
  })
  return defineModel(resources as never, {
    ...{ pageSize: 4, maxPageSize: null, clientIds: 'forbid' },
    atomic: { actions: true },
    // All identities are one principal, so that one repeats what another one has written.
    principal: () => 'everybody',
    ...(isScoped && {
      tenant: { column: 'org', value: auth((identity: Identity) => identity.org) },
    }),
    ...(isPoliced && { session: { role: policedRole } }),
  }) as Model
}

/** The rules of a field. */
function listRights(rules: TypeRules, name: string): FieldAccess & LinkAccess {
  const rights = (['readable', 'writable', 'filterable', 'sortable'] as const).map(
    (right) => [right, rules[right][name]] as const,
  )
  return {
    ...Object.fromEntries(rights.filter(([, rule]) => rule !== undefined)),
    ...rules.links[name],
  }
}
