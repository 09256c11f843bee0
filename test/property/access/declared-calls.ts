import {
  type Actions,
  action,
  type FieldRule,
  type IdQuery,
  idQuery,
  integer,
  sql,
  text,
} from 'lapidary'
import { type Type, words } from './schema.ts'

/** The columns of the id of a type, as SQL selects them. */
function idOf(type: Type) {
  return type === 'blue' ? sql`org, number` : sql`id`
}

/** The queries of a type. They see all rows, as every SQL of an application does. */
export function declareQueries(type: Type): Readonly<Record<string, IdQuery>> {
  return {
    ranked: idQuery(
      { least: integer },
      ({ least }) => sql`select ${idOf(type)} from ${sql.id(type)} where rank >= ${least}`,
    ),
    named: idQuery(
      { word: text },
      ({ word }) => sql`select ${idOf(type)} from ${sql.id(type)} where name = ${word}`,
    ),
  }
}

/** The actions of one resource. */
export const actionNames = ['check', 'rename', 'change'] as const
/** The actions of a collection. */
export const collectionActionNames = ['count', 'find', 'look', 'add'] as const

/**
 * The actions of a type.
 * @param callable - who may call them, by name
 * @param hasCollection - whether there are actions of the collection, which a rule on rows forbids
 */
export function declareActions(
  type: Type,
  callable: Readonly<Record<string, FieldRule>>,
  hasCollection: boolean,
): Actions {
  const ruled = (name: string) => ({
    ...(callable[name] !== undefined && { callable: callable[name] }),
  })
  const ofResource: Actions = {
    check: action({ ...ruled('check'), run: () => {} }),
    rename: action({
      ...ruled('rename'),
      parameters: { word: text },
      returns: { resource: type },
      async run({ id, parameters: { word }, tx }) {
        await tx.update(type, id, { name: word })
        return id
      },
    }),
    // Several writes: an error of the second one rolls the first one back.
    change: action({
      ...ruled('change'),
      parameters: { other: text },
      returns: { resource: type },
      async run({ id, parameters: { other }, tx }) {
        await tx.update(type, id, { rank: 3 })
        await tx.relate(type, id, 'next', { replace: other })
        return id
      },
    }),
  }
  return hasCollection ? { ...ofResource, ...declareCollectionActions(type, ruled) } : ofResource
}

function declareCollectionActions(
  type: Type,
  ruled: (name: string) => Readonly<{ callable?: FieldRule }>,
): Actions {
  return {
    count: action({
      ...{ on: 'collection', ...ruled('count') },
      returns: { meta: { count: integer } },
      run: async ({ tx }) => ({ count: (await tx.list(type)).meta.count }),
    }),
    find: action({
      ...{ on: 'collection', ...ruled('find') },
      parameters: { least: integer },
      returns: { resources: type },
      sql: ({ least }) => sql`select ${idOf(type)} from ${sql.id(type)} where rank >= ${least}`,
    }),
    // Returns the id that the client sent, whether the row is hidden or absent.
    look: action({
      ...{ on: 'collection', ...ruled('look') },
      parameters: { id_of_row: text },
      returns: { resource: type },
      run: ({ parameters }) => parameters.id_of_row,
    }),
    add: action({
      ...{ on: 'collection', ...ruled('add') },
      parameters: { word: text, id_of_row: text },
      returns: { resource: type },
      async run({ parameters: { word, id_of_row }, tx }) {
        const isBlue = type === 'blue'
        const { id } = await tx.create(type, {
          name: word,
          rank: words.length,
          ...(isBlue && { id: id_of_row }),
        })
        return id
      },
    }),
  }
}
