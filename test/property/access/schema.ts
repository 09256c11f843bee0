import type { ColumnTypes } from '../../databases.ts'

/** An identity. */
export interface Identity {
  readonly id: string
  readonly level: number
  readonly word: string
  readonly friends: readonly string[]
  /** The tenant, in the scenarios that have tenants. */
  readonly org: number
}

/** The resource types. A thing of one type references one of the next, and the first two have a join table. */
export const types = ['red', 'green', 'blue'] as const
/** The name of a resource type. */
export type Type = (typeof types)[number]
/** The type that a type references. */
export const nextOf: Readonly<Record<Type, Type>> = { red: 'green', green: 'blue', blue: 'red' }
/** The type that references a type. */
export const previousOf: Readonly<Record<Type, Type>> = { green: 'red', blue: 'green', red: 'blue' }

/** The words that attributes have. */
export const words = ['ash', 'birch', 'cedar'] as const
/** The attributes that a scenario may hide: texts, an array, and JSON with a path. */
export const secrets = ['note', 'secret', 'tags', 'info'] as const
/** The attributes by which a scenario may forbid to filter and to sort. */
export const rankedAttributes = ['name', 'rank', 'place', 'marks', ...secrets, 'loud'] as const

/**
 * Returns the id of a row of a type. The ids of blue things are composite: two columns, the first of which several rows share.
 * @param number - the second column, or the only one
 */
export function toId(type: Type, number: string): string {
  return type === 'blue' ? `${Number(number) % 2},${number}` : number
}

/** The ids that a client may give to new blue things. No data has them. */
export const newIds = ['0,50', '1,51', '0,52', '1,53', '0,54', '1,55'] as const

/** A relationship: the related type, and whether it has many members. */
export interface Relationship {
  readonly to: Type
  readonly many: boolean
  /** The relationship of the other side. */
  readonly inverse: string
}

/** The relationships of a type, by name. */
export function relationshipsOf(type: Type): Readonly<Record<string, Relationship>> {
  return {
    next: { to: nextOf[type], many: false, inverse: 'previous' },
    previous: { to: previousOf[type], many: true, inverse: 'next' },
    ...(type === 'red' && { fans: { to: 'green', many: true, inverse: 'stars' } }),
    ...(type === 'green' && { stars: { to: 'red', many: true, inverse: 'fans' } }),
  }
}

/** The columns of the key that references a thing of the next type. */
export function nextColumns(type: Type): readonly [string, ...string[]] {
  return nextOf[type] === 'blue' ? ['next_part', 'next_id'] : ['next_id']
}

/** The tables. Generated ids do not depend on the rows that exist. */
export function createTables({ newId }: ColumnTypes): string {
  const isPostgres = !newId.startsWith('integer')
  const generated = newId.replace('integer primary key', 'integer primary key autoincrement')
  const [list, object, time] = isPostgres
    ? ['text[]', 'jsonb', 'timestamptz']
    : ['text', 'text', 'text']
  const things = types.map((type) => {
    const isBlue = type === 'blue'
    const id = isBlue ? 'part bigint not null, number bigint not null' : `id ${generated}`
    const keys = nextColumns(type).map((column) => `${column} bigint`)
    return `
      create table ${type} (${id}, name text, rank integer, note text, secret text, place ${object}, marks ${list},
        tags ${list}, info ${object}, org bigint default 1, gone ${time}, ${keys.join(', ')}${isBlue ? ', primary key (part, number)' : ''});
      create index ${type}_next on ${type} (${nextColumns(type).join(', ')});`
  })
  return `${things.join('')} create table fan (red_id bigint not null, green_id bigint not null, primary key (red_id, green_id));
    create index fan_green on fan (green_id);${isPostgres ? createPolicies : ''}`
}

/** The role of the sessions that the policies restrict. */
export const policedRole = 'lapidary_leaks'

/** Policies that hide the rows of other tenants from the role, whatever the rules say. */
const createPolicies = `
  do $$ begin create role ${policedRole}; exception when duplicate_object or unique_violation then null; end $$;
  grant usage on schema public to ${policedRole};
  grant all on all tables in schema public to ${policedRole};
  grant all on all sequences in schema public to ${policedRole};
  ${types
    .map(
      (type) =>
        `alter table ${type} enable row level security; create policy own on ${type} using (org = 1);`,
    )
    .join(' ')}`
