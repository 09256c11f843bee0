import { randomUUID } from 'node:crypto'
import {
  attribute,
  defineModel,
  type Kind,
  type ResourceDeclaration,
  resource,
  text,
  toMany,
  toOne,
  uuid,
} from 'lapidary'
import type { ColumnTypes } from '../databases.ts'
import { type Many, type Pair, turned } from './pairs.ts'

/** One end of a link: a type, and the relationship by which it leads to the other end. */
export interface End {
  readonly type: string
  readonly path: string
  readonly field: string
  readonly many: boolean
  /** Whether the type declares the relationship. */
  readonly isDeclared: boolean
}

/** How ids look in a table and on the wire. */
export interface Ids {
  /** The type of the column, and whatever makes it a key. */
  readonly column: (columnTypes: ColumnTypes) => string
  /** The type of columns that refer to it. */
  readonly key: (columnTypes: ColumnTypes) => string
  readonly kind: Kind<string> | undefined
  /** Whether a client gives the ids of what it creates. */
  readonly isGiven: boolean
  /** The id of row n. */
  readonly of: (n: number) => string
}

/** A way in which tables can link rows of two types, or of one. Rows are numbered from 1 on both ends. */
export interface Links {
  readonly sentence: string
  readonly near: End
  readonly far: End
  /** Whether both ends are of one type. */
  readonly isSelf: boolean
  readonly ids: Ids
  readonly model: ReturnType<typeof defineModel>
  /** Writes the SQL that makes the tables, with as many rows on both ends, and links. */
  readonly tables: (rows: number, pairs: readonly Pair[]) => (columnTypes: ColumnTypes) => string
  /** Links that the tables hold in a test that says nothing else. */
  readonly pairs: readonly Pair[]
}

const odd = ['A b/c', 'B"q"\\', 'C%2F?#', 'D.ü𝔊;', "E'&=+"]

/** Every kind of ids. */
const idKinds = {
  integers: {
    column: ({ newId }) => newId,
    key: ({ id }) => id,
    kind: undefined,
    isGiven: false,
    of: String,
  },
  uuids: {
    column: ({ uuid }) => `${uuid} primary key not null`,
    key: ({ uuid }) => uuid,
    kind: uuid,
    isGiven: false,
    of: (n) => `0000000a-0000-4000-8000-${String(n).padStart(12, '0')}`,
  },
  texts: {
    column: () => 'text primary key not null',
    key: () => 'text',
    kind: text,
    isGiven: true,
    of: (n) => odd[n - 1] ?? `F ${String(n).padStart(5, '0')}`,
  },
} as const satisfies Record<string, Ids>

/** What tells one way of linking from another. */
interface Way {
  /** Whether each end leads to many. */
  readonly many: Many
  readonly ids?: Ids
  readonly isSelf?: boolean
  /** What keys refer to. */
  readonly references?: 'id' | 'code'
  /** What stands in a join table beside the two keys. */
  readonly join?: (columnTypes: ColumnTypes) => string
  /** How often a join table holds the same link. */
  readonly repeats?: number
  /** Ends that declare no relationship. */
  readonly undeclared?: 'near' | 'far'
}

const quoted = (value: string) => `'${value.replaceAll("'", "''")}'`

function links(sentence: string, way: Way): Links {
  const { many, isSelf = false, undeclared } = way
  const [isNearMany, isFarMany] = many
  const near: End = {
    ...{ type: 'near', path: '/nears', many: isNearMany, isDeclared: undeclared !== 'near' },
    field: isNearMany ? 'fars' : 'far',
  }
  const far: End = {
    ...{ type: isSelf ? 'near' : 'far', path: isSelf ? '/nears' : '/fars', many: isFarMany },
    ...{ field: isFarMany ? 'nears' : 'near', isDeclared: undeclared !== 'far' },
  }
  const own = { sentence, near, far, isSelf, ids: way.ids ?? idKinds.integers }
  return {
    ...own,
    model: modelOf(own, way),
    tables: (rows, pairs) => (columnTypes) =>
      [...tablesOf(own, way, columnTypes), ...filled(own, way, { rows, pairs })].join(';\n'),
    pairs: pairsOf(many),
  }
}

type Own = Pick<Links, 'sentence' | 'near' | 'far' | 'isSelf' | 'ids'>

function pairsOf([isNearMany, isFarMany]: Many): Pair[] {
  if (isNearMany) return [[1, 1], [1, 2], [2, 1], [3, 3], [4, 1]] // biome-ignore format: pairs
  return isFarMany ? [[1, 1], [2, 1], [3, 2]] : [[1, 2], [2, 1], [3, 4]] // biome-ignore format: pairs
}

function modelOf({ near, far, isSelf, ids }: Own, { many, references = 'id' }: Way) {
  const [isNearMany, isFarMany] = many
  const through = { table: 'near_far', from: 'near_id', to: 'far_id' }
  const key = { column: 'far_id', references }
  const nearField = isNearMany ? toMany(far.type, { through }) : toOne(far.type, key)
  const reverse = { ...through, from: through.to, to: through.from }
  const farField = isNearMany
    ? toMany(near.type, { through: reverse })
    : isFarMany
      ? toMany(near.type, key)
      : toOne(near.type, { ...key, foreignKey: 'other' })
  const id = ids.kind && { kind: ids.kind, ...(ids.isGiven && { client: 'required' as const }) }
  const declare = ({ type, path }: End, fields: ResourceDeclaration['fields']) =>
    resource(type, {
      ...{ path, table: type, ...(id && { id }) },
      fields: {
        name: attribute(text),
        ...(references === 'code' && { code: attribute(text, { default: () => randomUUID() }) }),
        ...fields,
      },
    })
  const nearFields = near.isDeclared ? { [near.field]: nearField } : {}
  const farFields = far.isDeclared ? { [far.field]: farField } : {}
  const types: ResourceDeclaration[] = isSelf
    ? [declare(near, { ...nearFields, ...farFields })]
    : [declare(near, nearFields), declare(far, farFields)]
  return defineModel(types, { maxPageSize: null })
}

function tablesOf(
  { far, isSelf, ids }: Own,
  { many, references = 'id', join }: Way,
  columnTypes: ColumnTypes,
): string[] {
  const [isNearMany, isFarMany] = many
  const keyType = references === 'id' ? ids.key(columnTypes) : 'text'
  const code = references === 'code' ? ', code text not null unique' : ''
  const refersTo = `references "${far.type}" (${references}) on delete set null`
  const key = isNearMany
    ? ''
    : `, far_id ${keyType}${isFarMany ? '' : ' unique'} ${refersTo} deferrable initially deferred`
  const table = (name: string, more: string) =>
    `create table "${name}" (id ${ids.column(columnTypes)}, name text${more})`
  const both = isSelf
    ? [table('near', `${code}${key}`)]
    : [table('far', code), table('near', `${code}${key}`)]
  const refers = (type: string) => `${keyType} not null references "${type}" (id) on delete cascade`
  const beside = join?.(columnTypes) ?? ''
  const joined = `create table near_far (near_id ${refers('near')}, far_id ${refers(far.type)}${beside})`
  return [...both, ...(isNearMany ? [joined] : [])]
}

interface Filling {
  readonly rows: number
  readonly pairs: readonly Pair[]
}

function filled(
  { far, isSelf, ids }: Own,
  { many, references = 'id', repeats = 1 }: Way,
  { rows, pairs }: Filling,
): string[] {
  const numbers = Array.from({ length: rows }, (_, at) => at + 1)
  const id = (n: number) => quoted(ids.of(n))
  const hasCode = references === 'code'
  const insert = (type: string) => {
    const rows = numbers.map((n) => `(${id(n)}, '${type[0]}${n}'${hasCode ? `, 'c${n}'` : ''})`)
    return `insert into "${type}" (id, name${hasCode ? ', code' : ''}) values ${rows.join(', ')}`
  }
  const key = (n: number) => (hasCode ? `'c${n}'` : id(n))
  const linked = pairs.flatMap(([one, other]) =>
    many[0]
      ? Array.from(
          { length: repeats },
          () => `insert into near_far (near_id, far_id) values (${id(one)}, ${id(other)})`,
        )
      : [`update near set far_id = ${key(other)} where id = ${id(one)}`],
  )
  return [...(isSelf ? [] : [insert(far.type)]), insert('near'), ...linked]
}

/** Every way of linking that tables have. */
export const everyWay: readonly Links[] = [
  links('a key on the near end', { many: [false, true] }),
  links('a unique key on the near end', { many: [false, false] }),
  links('a join table', { many: [true, true], join: () => ', primary key (near_id, far_id)' }),
  links('a join table with columns of its own', {
    many: [true, true],
    join: ({ newId }) =>
      `, id ${newId}, made text not null default 'now', note text, unique (near_id, far_id)`,
  }),
  links('a join table without a key, which holds links twice', { many: [true, true], repeats: 2 }),
  links('a key that refers to a column that is not the id', {
    ...{ many: [false, true], references: 'code' },
  }),
  links('a unique key that refers to a column that is not the id', {
    ...{ many: [false, false], references: 'code' },
  }),
  links('a tree', { many: [false, true], isSelf: true }),
  links('a chain', { many: [false, false], isSelf: true }),
  links('friends', {
    many: [true, true],
    isSelf: true,
    join: () => ', primary key (near_id, far_id)',
  }),
  links('a key that is a UUID', { many: [false, true], ids: idKinds.uuids }),
  links('a unique key that is a UUID', { many: [false, false], ids: idKinds.uuids }),
  links('a join table of UUIDs', { many: [true, true], ids: idKinds.uuids }),
  links('a key that is an odd text', { many: [false, true], ids: idKinds.texts }),
  links('a unique key that is an odd text', { many: [false, false], ids: idKinds.texts }),
  links('friends of odd names', { many: [true, true], ids: idKinds.texts, isSelf: true }),
  links('a key of which only its own end tells', { many: [false, true], undeclared: 'far' }),
  links('a key of which only the far end tells', { many: [false, true], undeclared: 'near' }),
  links('a unique key of which only the far end tells', {
    ...{ many: [false, false], undeclared: 'near' },
  }),
  links('a join table of which one end tells', { many: [true, true], undeclared: 'far' }),
]

/** A link as one of its ends has it. */
export interface Direction {
  readonly from: End
  readonly to: End
  readonly many: Many
  /** Links from the near end as links from this one, and back. */
  readonly turn: (pairs: readonly Pair[]) => Pair[]
}

/** The directions in which a way can be gone: those that are declared. */
export function directionsOf({ near, far }: Links): Direction[] {
  const there: Direction = {
    ...{ from: near, to: far, many: [near.many, far.many], turn: (pairs) => [...pairs] },
  }
  const back: Direction = { from: far, to: near, many: [far.many, near.many], turn: turned }
  return [there, back].filter(({ from }) => from.isDeclared)
}
