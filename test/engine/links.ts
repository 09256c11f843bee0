import { randomUUID } from 'node:crypto'
import {
  attribute,
  defineModel,
  integer,
  type Kind,
  type ResourceDeclaration,
  resource,
  text,
  toMany,
  toOne,
  uuid,
} from 'lapidary'
import type { ColumnTypes } from '../databases.ts'
import { type Many, type Pair, reversed } from './pairs.ts'

/** One end of a link: a type, and the relationship by which it leads to the other end. */
export interface End {
  readonly type: string
  readonly path: string
  readonly field: string
  readonly many: boolean
  /** Whether the type declares the relationship. */
  readonly isDeclared: boolean
}

/** The ids in a table and in documents. */
interface Ids {
  /** The names of the columns. */
  readonly names: readonly string[]
  /** The types of the columns, with the constraints that make one column a key. */
  readonly columns: (columnTypes: ColumnTypes) => readonly string[]
  /** The types of columns that refer to them. */
  readonly keys: (columnTypes: ColumnTypes) => readonly string[]
  readonly kind: Kind<string> | readonly (Kind<string> | Kind<number>)[] | undefined
  /** Whether a client gives the ids of what it creates. */
  readonly isGiven: boolean
  /** The id of row n. */
  readonly of: (n: number) => string
  /** The values of its columns. */
  readonly values: (n: number) => readonly string[]
}

/** A variant of links between rows of two types, or of one. Rows are numbered from 1 on both ends. */
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
  /** The stored links, by default. */
  readonly pairs: readonly Pair[]
}

const odd = ['A b/c', 'B"q"\\', 'C%2F?#', 'D.ü𝔊;', "E'&=+"]

const uuidOf = (n: number) => `0000000a-0000-4000-8000-${String(n).padStart(12, '0')}`
const textOf = (n: number) => odd[n - 1] ?? `F ${String(n).padStart(5, '0')}`

/** Texts as a part of an id, and as they are escaped there. */
const parts = [['', ''], ['', ''], ['-,', '-~1'], ['.~0/', '.~00/'], ["é,~1'%", "é~1~01'%"]] as const // biome-ignore format: pairs

const partOf = (n: number): readonly [value: string, escaped: string] =>
  parts[n - 1] ?? [`ü ${String(n).padStart(5, '0')}`, `ü ${String(n).padStart(5, '0')}`]
const largeOf = (n: number) => String(9007199254740993n + BigInt(n))

/** Every kind of ids. */
const idKinds = {
  integers: {
    names: ['id'],
    columns: ({ newId }) => [newId],
    keys: ({ id }) => [id],
    kind: undefined,
    isGiven: false,
    of: String,
    values: (n) => [String(n)],
  },
  uuids: {
    names: ['id'],
    columns: ({ uuid }) => [`${uuid} primary key not null`],
    keys: ({ uuid }) => [uuid],
    kind: uuid,
    isGiven: false,
    of: uuidOf,
    values: (n) => [uuidOf(n)],
  },
  texts: {
    names: ['id'],
    columns: () => ['text primary key not null'],
    keys: () => ['text'],
    kind: text,
    isGiven: true,
    of: textOf,
    values: (n) => [textOf(n)],
  },
  pairs: {
    names: ['part', 'no'],
    columns: ({ id }) => ['text not null', `${id} not null`],
    keys: ({ id }) => ['text', id],
    kind: [text, integer],
    isGiven: true,
    of: (n) => `${partOf(n)[1]},${largeOf(n)}`,
    values: (n) => [partOf(n)[0], largeOf(n)],
  },
} as const satisfies Record<string, Ids>

/** The options of a variant of links. */
interface LinkOptions {
  /** Whether each end leads to many. */
  readonly many: Many
  readonly ids?: Ids
  readonly isSelf?: boolean
  /** The column that keys reference. */
  readonly references?: 'id' | 'code'
  /** The further columns of a join table. */
  readonly join?: (columnTypes: ColumnTypes) => string
  /** The number of rows of a join table with the same link. */
  readonly repeats?: number
  /** Ends that declare no relationship. */
  readonly undeclared?: 'near' | 'far'
}

const quoted = (value: string) => `'${value.replaceAll("'", "''")}'`

function links(sentence: string, options: LinkOptions): Links {
  const { many, isSelf = false, undeclared } = options
  const [isNearMany, isFarMany] = many
  const near: End = {
    ...{ type: 'near', path: '/nears', many: isNearMany, isDeclared: undeclared !== 'near' },
    field: isNearMany ? 'fars' : 'far',
  }
  const far: End = {
    ...{ type: isSelf ? 'near' : 'far', path: isSelf ? '/nears' : '/fars', many: isFarMany },
    ...{ field: isFarMany ? 'nears' : 'near', isDeclared: undeclared !== 'far' },
  }
  const own = { sentence, near, far, isSelf, ids: options.ids ?? idKinds.integers }
  return {
    ...own,
    model: modelOf(own, options),
    tables: (rows, pairs) => (columnTypes) =>
      [...tablesOf(own, options, columnTypes), ...filled(own, options, { rows, pairs })].join(
        ';\n',
      ),
    pairs: pairsOf(many),
  }
}

type Own = Pick<Links, 'sentence' | 'near' | 'far' | 'isSelf' | 'ids'>

function pairsOf([isNearMany, isFarMany]: Many): Pair[] {
  if (isNearMany) return [[1, 1], [1, 2], [2, 1], [3, 3], [4, 1]] // biome-ignore format: pairs
  return isFarMany ? [[1, 1], [2, 1], [3, 2]] : [[1, 2], [2, 1], [3, 4]] // biome-ignore format: pairs
}

function modelOf({ near, far, isSelf, ids }: Own, { many, references = 'id' }: LinkOptions) {
  const [isNearMany, isFarMany] = many
  const through = {
    table: 'near_far',
    from: columnsOf('near', ids.names),
    to: columnsOf('far', ids.names),
  }
  const key =
    references === 'code'
      ? { column: 'far_id', references }
      : { column: columnsOf('far', ids.names), references: single(ids.names) }
  const nearField = isNearMany ? toMany(far.type, { through }) : toOne(far.type, key)
  const reverse = { ...through, from: through.to, to: through.from }
  const farField = isNearMany
    ? toMany(near.type, { through: reverse })
    : isFarMany
      ? toMany(near.type, key)
      : toOne(near.type, { ...key, foreignKey: 'other' })
  const column = single(ids.names)
  const id = ids.kind && {
    column,
    kind: ids.kind,
    ...(ids.isGiven && { client: 'required' as const }),
  }
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

/** A list of columns as a declaration has it: one column by its name. */
const single = (names: readonly string[]) => (names.length === 1 ? (names[0] ?? '') : names)

/** The columns that refer to the id of a type. */
const columnsOf = (type: string, names: readonly string[]) =>
  single(names.map((name) => `${type}_${name}`))

function tablesOf(
  { far, isSelf, ids }: Own,
  { many, references = 'id', join }: LinkOptions,
  columnTypes: ColumnTypes,
): string[] {
  const [isNearMany, isFarMany] = many
  const idNames = ids.names.join(', ')
  const [keys, target, types] =
    references === 'id'
      ? [ids.names.map((name) => `far_${name}`), idNames, ids.keys(columnTypes)]
      : [['far_id'], 'code', ['text']]
  const code = references === 'code' ? ', code text not null unique' : ''
  const list = keys.join(', ')
  const key = isNearMany
    ? ''
    : `, ${keys.map((name, at) => `${name} ${types[at]}`).join(', ')}${isFarMany ? '' : `, unique (${list})`},
       foreign key (${list}) references "${far.type}" (${target}) on delete set null deferrable initially deferred`
  const columns = ids.columns(columnTypes).map((type, at) => `${ids.names[at]} ${type}`)
  const primary = ids.names.length > 1 ? `, primary key (${idNames})` : ''
  const table = (name: string, more: string) =>
    `create table "${name}" (${columns.join(', ')}, name text${more}${primary})`
  const both = isSelf
    ? [table('near', `${code}${key}`)]
    : [table('far', code), table('near', `${code}${key}`)]
  const joinColumns = ['near', 'far'].flatMap((type) =>
    ids.names.map((name, at) => `${type}_${name} ${ids.keys(columnTypes)[at]} not null`),
  )
  const refers = (prefix: string, type: string) =>
    `foreign key (${ids.names.map((name) => `${prefix}_${name}`).join(', ')}) references "${type}" (${idNames}) on delete cascade`
  const beside = join?.(columnTypes) ?? ''
  const joined = `create table near_far (${joinColumns.join(', ')}${beside}, ${refers('near', 'near')}, ${refers('far', far.type)})`
  return [...both, ...(isNearMany ? [joined] : [])]
}

interface Filling {
  readonly rows: number
  readonly pairs: readonly Pair[]
}

function filled(
  { far, isSelf, ids }: Own,
  { many, references = 'id', repeats = 1 }: LinkOptions,
  { rows, pairs }: Filling,
): string[] {
  const numbers = Array.from({ length: rows }, (_, at) => at + 1)
  const values = (n: number) => ids.values(n).map(quoted)
  const hasCode = references === 'code'
  const names = ids.names.join(', ')
  const insert = (type: string) => {
    const rows = numbers.map(
      (n) => `(${values(n).join(', ')}, '${type[0]}${n}'${hasCode ? `, 'c${n}'` : ''})`,
    )
    return `insert into "${type}" (${names}, name${hasCode ? ', code' : ''}) values ${rows.join(', ')}`
  }
  const keys = (n: number) => (hasCode ? [`far_id = 'c${n}'`] : isEqual('far_', n))
  const isEqual = (prefix: string, n: number) =>
    values(n).map((value, at) => `${prefix}${ids.names[at]} = ${value}`)
  const joined = ['near', 'far'].flatMap((type) => ids.names.map((name) => `${type}_${name}`))
  const linked = pairs.flatMap(([one, other]) =>
    many[0]
      ? Array.from(
          { length: repeats },
          () =>
            `insert into near_far (${joined.join(', ')}) values (${[...values(one), ...values(other)].join(', ')})`,
        )
      : [`update near set ${keys(other).join(', ')} where ${isEqual('', one).join(' and ')}`],
  )
  return [...(isSelf ? [] : [insert(far.type)]), insert('near'), ...linked]
}

/** Every variant of links between tables. */
export const linkVariants: readonly Links[] = [
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
  links('a key that only its own end declares', { many: [false, true], undeclared: 'far' }),
  links('a key that only the far end declares', { many: [false, true], undeclared: 'near' }),
  links('a unique key that only the far end declares', {
    ...{ many: [false, false], undeclared: 'near' },
  }),
  links('a join table that one end declares', { many: [true, true], undeclared: 'far' }),
  links('a key of two columns', { many: [false, true], ids: idKinds.pairs }),
  links('a join table of keys of two columns', { many: [true, true], ids: idKinds.pairs }),
  links('a chain of keys of two columns', {
    ...{ many: [false, false], ids: idKinds.pairs, isSelf: true },
  }),
  links('a key of two columns that only the far end declares', {
    ...{ many: [false, true], ids: idKinds.pairs, undeclared: 'near' },
  }),
]

/** A link as one of its ends has it. */
export interface Direction {
  readonly from: End
  readonly to: End
  readonly many: Many
  /** Links from the near end as links from this one, and back. */
  readonly orient: (pairs: readonly Pair[]) => Pair[]
}

/** The directions of links: those that are declared. */
export function directionsOf({ near, far }: Links): Direction[] {
  const there: Direction = {
    ...{ from: near, to: far, many: [near.many, far.many], orient: (pairs) => [...pairs] },
  }
  const back: Direction = { from: far, to: near, many: [far.many, near.many], orient: reversed }
  return [there, back].filter(({ from }) => from.isDeclared)
}
