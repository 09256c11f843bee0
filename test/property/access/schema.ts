import { idempotencyTable } from 'lapidary'
import { areDistributed, type ColumnTypes, isOnCitus } from '../../databases.ts'

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

/** The tenant of every identity that sends requests. */
export const ownTenant = 1
/** Another tenant, whose identities only fill the caches. */
export const otherTenant = 2

/**
 * Returns the id of a row of a type. The ids of blue things are composite: the column of the tenant, and another one.
 * @param number - the second column, or the only one
 */
export function toId(type: Type, number: string): string {
  return type === 'blue' ? `${ownTenant},${number}` : number
}

/** The ids that a client may give to new blue things. No data has them, but other tenants may have the last one. */
export const newIds = [
  ...['50', '51', '52', '53'].map((number) => toId('blue', number)),
  `${otherTenant},51`,
]

/** The columns of the id of a type. */
export function idColumns(type: Type): readonly string[] {
  return type === 'blue' ? ['org', 'number'] : ['id']
}

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

/** The columns of the key that references a thing of the next type: the tenant of the row is that of a blue thing. */
export function nextColumns(type: Type): readonly [string, ...string[]] {
  return nextOf[type] === 'blue' ? ['org', 'next_id'] : ['next_id']
}

/** The columns of a type that are unique besides its id. The last one has the value of the last one of the id. */
export function serialColumns(type: Type): readonly [string, ...string[]] {
  return type === 'blue' ? ['org', 'serial'] : ['serial']
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
    const id = isBlue ? 'number bigint not null' : `id ${generated}`
    return `
      create table ${type} (${id}, name text, rank integer, note text, secret text, place ${object}, marks ${list},
        tags ${list}, info ${object}, org bigint default ${ownTenant}, gone ${time}, next_id bigint,
        serial bigint generated always as (${isBlue ? 'number' : 'id'}) stored${isBlue ? ', primary key (org, number)' : ''});
      create ${areDistributed ? '' : 'unique '}index ${type}_serial on ${type} (${serialColumns(type).join(', ')});
      create index ${type}_next on ${type} (${nextColumns(type).join(', ')});`
  })
  return `${things.join('')} create table fan (red_id bigint not null, green_id bigint not null, primary key (red_id, green_id));
    create index fan_green on fan (green_id); ${idempotencyTable}${isPostgres ? createPolicies : ''}`
}

/** The role of the sessions that the policies restrict. */
export const policedRole = 'lapidary_leaks'

/** Policies that hide rows from the role, whatever the rules say. */
const createPolicies = `
  do $$ begin create role ${policedRole}${isOnCitus ? ' login' : ''}; exception when duplicate_object or unique_violation then null; end $$;
  do $$ begin
    execute format('grant usage on schema %I to ${policedRole}', current_schema());
    execute format('grant all on all tables in schema %I to ${policedRole}', current_schema());
    execute format('grant all on all sequences in schema %I to ${policedRole}', current_schema());
  end $$;
  ${types
    .map(
      (type) =>
        `alter table ${type} enable row level security; create policy own on ${type} using (gone is null);`,
    )
    .join(' ')}`
