import { sql } from 'kysely'
import { isAuthValue } from '../../model/declare/access.ts'
import type { Sql } from '../../model/dialect.ts'
import { getRelationship, getResourceType, type ResourceType } from '../../model/model.ts'
import type { RowLayout } from '../../plan/row-layout.ts'
import type { WriteShape } from '../../plan/write.ts'
import type { WriteColumn } from '../../plan/write-builder.ts'
import { compileDeniedWrites, type DeniedWrite } from '../access/denied-write.ts'
import { isDeletable } from '../access/write-locks.ts'
import { idPartParams, isEqualKey, isInIdList, toKey } from '../keys/keys.ts'
import { linkKeyAt } from '../keys/link-keys.ts'
import { hasSpellings } from '../read/linkage.ts'
import { compileLoad } from '../read/select.ts'
import {
  assignedParam,
  compileStatement,
  constant,
  generatedParam,
  type Statement,
} from '../statement.ts'
import {
  and,
  asIdText,
  columnAt,
  columnsAt,
  getAttribute,
  idColumn,
  inScope,
  isRowInScope,
  isRowReadable,
  matchesRequestedId,
  type Target,
  tableAt,
  tableName,
} from '../tables.ts'
import { compileLink } from './link-changes.ts'
import { changesOneRow, hasVersion, isStillPlain } from './one-row.ts'
import { compileVisibleKeys } from './unlink-checks.ts'
import {
  type Assignment,
  columnNames,
  compileChangedRows,
  compileIncrement,
  compileKey,
  compileWrittenRow,
  isChangedByTriggers,
  zipColumns,
} from './written-columns.ts'

/** The statements of a write. */
export interface CompiledWrite {
  /** Inserts the row and returns its id; `undefined` if the row exists. */
  readonly insert: Statement | undefined
  /** What may deny the values of `insert` or `update`, as far as they decide it. */
  readonly denied: readonly DeniedWrite[]
  /** Whether `insert` returns the id as stored. On SQLite it does not if there are triggers. */
  readonly returnsStoredId: boolean
  /** Returns the id of the row that was inserted last, where a trigger may have changed it after `insert` returned. */
  readonly insertedId: Statement | undefined
  /** Whether what follows the write of the row needs the id that it returned: the plan has none, or a trigger may change it. */
  readonly needsId: boolean
  /**
   * Set if `insert` and the updates return the row of the response. It is loaded apart (`Statement.load`), because a write succeeds
   * also when its response cannot be shown.
   */
  readonly returned: Pick<Statement, 'load'> | undefined
  /** Whether the written row has to match the scope of its type. */
  readonly hasScope: boolean
  /** Updates the row's own columns; `undefined` if there are none. */
  readonly update: Statement | undefined
  /** Whether the statement that writes the row is the whole write, and decides alone whether it succeeds. */
  readonly writesInOneStatement: boolean
  /** The same as `update` if this statement is the whole write; it changes no row if something else may decide by now. */
  readonly updateAtOnce: Statement | undefined
  /** The same for a row with one of some versions; `undefined` if the version of the type is no column. */
  readonly updateIfVersion: Statement | undefined
  /** The statements that change the members of each link of the shape; they take the row's id and the members' `ids`. */
  readonly links: readonly (readonly Statement[])[]
  /** The statements that link the resource in the path to the new row; they take its id, and the new id as `ids`. */
  readonly parent: readonly Statement[]
}

/**
 * Compiles the statements of a create or an update. Parameter n is the value of the shape's column n.
 * @param returned - the layout of the row that the statement of the row returns, unless others change it later
 */
export function compileWrite(
  shape: WriteShape,
  target: Target,
  returned?: RowLayout,
): CompiledWrite {
  const resource = getResourceType(target.model, shape.type)
  const isNew = shape.row !== 'existing'
  const triggers = isNew ? target.facts.triggersOf(resource.table) : undefined
  const sent = compileSentColumns(shape, resource, target)
  const inserted = isNew ? compileInsertedColumns(sent, resource, target) : undefined
  const writesRow = isNew || sent.length > 0
  const writesInOneStatement = writesRow && isOneRow(shape, resource, target)
  const layout = writesRow && writesRowAlone(shape) ? returned : undefined
  const written = { resource, row: layout && compileWrittenRow(layout, resource, target) }
  return {
    insert: inserted && compileInsert(shape, inserted, written, target),
    denied: mayBeKnown(shape, resource, target)
      ? compileDeniedWrites(resource, { sent, inserted }, target)
      : [],
    returnsStoredId: triggers?.newId === undefined,
    insertedId: triggers?.newId === 'by rowid' ? compileInsertedId(resource, target) : undefined,
    needsId: needsId(shape, resource, target),
    returned: layout && { load: compileLoad(layout, target) },
    hasScope: (resource.unrestricted ?? resource).scope !== undefined,
    ...(isNew ? noUpdates : compileUpdates(sent, written, target, writesInOneStatement)),
    writesInOneStatement,
    links: compileLinks(shape, resource, target),
    parent: compileParent(shape, target),
  }
}

function compileLinks(
  { row, links }: WriteShape,
  resource: ResourceType,
  target: Target,
): (readonly Statement[])[] {
  const { lastInsertId } = target.dialect
  const linking = row === 'new' ? { ...target, insertedRow: lastInsertId } : target
  return links.map((change) => compileLink(resource, change, linking))
}

/** The numbers of rows of one insert, so that a shape has few statements. */
export const insertSizes = [64, 32, 16, 8, 4, 2, 1] as const

/**
 * Compiles an insert of several rows of a shape. The values of each row follow those of the row before it; behind them is its id, if the
 * shape has one.
 * @param layout - of the rows that it returns, which are loaded apart, as by `CompiledWrite.returned`. Default: their ids
 */
export function compileInserts(
  shape: WriteShape,
  rows: number,
  target: Target,
  layout?: RowLayout,
): Statement {
  const resource = getResourceType(target.model, shape.type)
  const hasId = shape.row === 'newWithId'
  const width = shape.columns.length + (hasId ? 1 : 0)
  const inserted = Array.from({ length: rows }, (_, row) => {
    const first = row * width
    const id = hasId ? idPartParams(first + shape.columns.length, resource.id, target.dialect) : []
    const sent = compileNewColumns(shape, resource, target, { id, first })
    return compileInsertedColumns(sent, resource, target)
  })
  const names = sql.join((inserted[0] ?? []).map(([name]) => sql.id(name)))
  const values = inserted.map((columns) => sql`(${sql.join(columns.map(([, value]) => value))})`)
  const returned = layout
    ? compileWrittenRow(layout, resource, target)
    : asIdText(columnNames(resource.id.columns), resource.id, target)
  const insert = sql`insert into ${tableName(resource.table)} (${names}) values ${sql.join(values)} returning ${returned}`
  return { ...compileStatement(insert, target.dialect), isWrite: true }
}

function compileParent({ parent }: WriteShape, target: Target): Statement[] {
  if (parent === undefined) return []
  const { type, ...link } = parent
  return compileLink(getResourceType(target.model, type), { ...link, change: 'add' }, target)
}

function isOneRow(shape: WriteShape, resource: ResourceType, target: Target): boolean {
  return writesRowAlone(shape) && changesOneRow(resource, target)
}

function writesRowAlone({ links, parent }: WriteShape): boolean {
  return links.length === 0 && parent === undefined
}

function needsId(shape: WriteShape, resource: ResourceType, target: Target): boolean {
  if (shape.row === 'new') return !isFoundAsLastInsert(shape, resource, target)
  const changes = target.facts.triggersOf(resource.table)?.changes
  return shape.row === 'newWithId' && changes?.has('insert') === true
}

/** Whether the values of a write may decide its rules. Those of a row that links change, or a view computes, are known after it. */
function mayBeKnown({ row, links }: WriteShape, { table }: ResourceType, target: Target): boolean {
  return row !== 'existing' || (links.length === 0 && !isChangedByTriggers(table, target))
}

/** Whether a new row is found as the last insert. Statements of other tables do not find it. */
function isFoundAsLastInsert(
  { parent }: WriteShape,
  { scope }: ResourceType,
  { dialect, access }: Target,
): boolean {
  return dialect.lastInsertId !== undefined && !parent && !scope && !access
}

/** Compiles the columns that a write sets to the values of its plan, with the id of an insert. */
function compileSentColumns(
  shape: WriteShape,
  resource: ResourceType,
  target: Target,
): readonly Assignment[] {
  if (shape.row === 'existing') return compileUpdatedColumns(shape, resource, target)
  return compileNewColumns(shape, resource, target, {
    id: compileNewId(shape, resource, target),
    first: 0,
  })
}

/** Compiles the columns of a new row. @param first - the index of its first value */
function compileNewColumns(
  shape: WriteShape,
  resource: ResourceType,
  target: Target,
  { id, first }: Readonly<{ id: readonly Sql[]; first: number }>,
): readonly Assignment[] {
  return [
    ...zipColumns(resource.id.columns, id),
    ...shape.columns.flatMap((column, index) =>
      compileAssignments(column, first + index, resource, target),
    ),
  ]
}

/** Compiles the columns that an insert sets, each once. */
function compileInsertedColumns(
  sent: readonly Assignment[],
  resource: ResourceType,
  target: Target,
): readonly Assignment[] {
  const { insertDefaults } = resource
  const columns: Assignment[] = [...sent]
  const assigned = new Set(columns.map(([name]) => name))
  columns.push(...compileGeneratedParts(resource, assigned))
  columns.push(...compileFirstVersion(resource, assigned, target))
  for (const [name, value] of insertDefaults)
    if (!assigned.has(name))
      columns.push([name, sql`${isAuthValue(value) ? value : constant(value, target.dialect)}`])
  return columns
}

/** The type of a written row, and the columns that its statement returns for the response; `undefined` if it is read. */
interface WrittenRow {
  readonly resource: ResourceType
  readonly row: Sql | undefined
}

function compileInsert(
  shape: WriteShape,
  columns: readonly Assignment[],
  { resource, row }: WrittenRow,
  target: Target,
): Statement {
  const names = sql.join(columns.map(([name]) => sql.id(name)))
  const values = sql.join(columns.map(([, value]) => value))
  const isQuery =
    target.dialect.insertsQueries && shape.columns.some((each) => looksUp(each, resource, target))
  const given = isQuery ? sql`select ${values}` : sql`values (${values})`
  const inserted = columns.length === 0 ? sql`default values` : sql`(${names}) ${given}`
  const returning = row ? sql` returning ${row}` : compileReturning(shape, resource, target)
  const insert = sql`insert into ${tableName(resource.table)} ${inserted}${returning}`
  return { ...compileStatement(insert, target.dialect), isWrite: true }
}

/** Whether a key is looked up by the id of the row that has it. */
function looksUp(column: WriteColumn, resource: ResourceType, target: Target): boolean {
  if (column.is === 'attribute') return false
  const { model } = target
  const parent = column.is === 'parent' ? getResourceType(model, column.type) : resource
  const { link, to } = getRelationship(parent, column.relationship)
  const [other, key] =
    column.is === 'parent' ? [parent, link.ownKey] : [getResourceType(model, to), link.otherKey]
  return hasSpellings(other, target) || key.some((name) => !other.id.columns.includes(name))
}

/** Compiles the columns of the id that an insert sets; none if the database generates it, or if they are fields. */
function compileNewId(
  { row }: WriteShape,
  { id, table }: ResourceType,
  { dialect, facts }: Target,
): Sql[] {
  if (row === 'newWithId') return idPartParams('id', id, dialect)
  const triggers = facts.triggersOf(table)
  if (triggers?.newId !== 'next integer' || id.kind.codec !== 'id') return []
  const [name] = id.columns
  // The view may leave rows of its table out.
  const origin = triggers.origins?.get(name)
  const [column, from] = origin
    ? [sql.id(origin.column), sql.id(origin.table)]
    : [sql.id(name), tableName(table)]
  // One transaction writes at a time, so no other can take the same id.
  return [sql`(select coalesce(max(${column}), 0) + 1 from ${from})`]
}

/** Compiles the columns of a composite id with UUIDs that are generated for each insert. */
function compileGeneratedParts({ ids }: ResourceType, assigned: ReadonlySet<string>): Assignment[] {
  return ids.generatedParts.flatMap((column): Assignment[] =>
    assigned.has(column) ? [] : [[column, generatedParam(() => crypto.randomUUID())]],
  )
}

/**
 * Compiles the column that is the version of a new row: it starts at random, so that the row does not have the version of a deleted one
 * whose id it has. Ids return where clients choose them, and on SQLite without `autoincrement`.
 */
function compileFirstVersion(
  { version, insertDefaults }: ResourceType,
  assigned: ReadonlySet<string>,
  { dialect }: Target,
): Assignment[] {
  if (version === undefined || version === dialect.rowVersion) return []
  if (assigned.has(version) || insertDefaults.some(([column]) => column === version)) return []
  return [[version, generatedParam(() => 1 + Math.floor(Math.random() * maxFirstVersion))]]
}

/** From there, an integer of 32 bits counts as many updates again. */
const maxFirstVersion = 2 ** 30

/** Compiles the clause with which an insert returns the id of the new row; none where a rule makes it impossible. */
function compileReturning({ row }: WriteShape, { id, table }: ResourceType, target: Target): Sql {
  if (target.facts.triggersOf(table)?.silentRule !== undefined) return sql``
  const idText = asIdText(columnNames(id.columns), id, target)
  const lastInsertId = row === 'new' ? target.dialect.lastInsertId : undefined
  return sql` returning ${lastInsertId?.retain(idText) ?? idText}`
}

/** Compiles the query for the id of the row that SQLite inserted last: a trigger may have changed it since. */
function compileInsertedId({ id, table }: ResourceType, target: Target): Statement {
  const idText = asIdText(columnsAt(0, id.columns), id, target)
  return compileStatement(
    sql`select ${idText} from ${tableAt(0, table)} where ${sql.ref('t0.rowid')} = last_insert_rowid()`,
    target.dialect,
  )
}

/** Compiles the columns that an update sets. */
function compileUpdatedColumns(
  shape: WriteShape,
  resource: ResourceType,
  target: Target,
): readonly Assignment[] {
  return shape.columns.flatMap((column, parameter) =>
    compileAssignments(column, parameter, resource, target).map(([name, value]): Assignment => {
      const hiddenKey = compileHiddenKey(column, name, resource, target)
      return [name, hiddenKey ? sql`coalesce(${value}, ${hiddenKey})` : value]
    }),
  )
}

type CompiledUpdates = Pick<CompiledWrite, 'update' | 'updateAtOnce' | 'updateIfVersion'>

const noUpdates: CompiledUpdates = {
  update: undefined,
  updateAtOnce: undefined,
  updateIfVersion: undefined,
}

function compileUpdates(
  columns: readonly Assignment[],
  written: WrittenRow,
  target: Target,
  writesInOneStatement: boolean,
): CompiledUpdates {
  const { resource } = written
  const update = compileUpdate(columns, written, target)
  if (!writesInOneStatement) return { ...noUpdates, update }
  const isPlain = isStillPlain(resource, target)
  const isOfVersion = hasVersion(resource, target)
  return {
    update,
    updateAtOnce: compileUpdate(columns, written, target, isPlain),
    updateIfVersion:
      isOfVersion && compileUpdate(columns, written, target, [...isPlain, isOfVersion]),
  }
}

/** @returns `undefined` if there is nothing to set */
function compileUpdate(
  columns: readonly Assignment[],
  { resource, row }: WrittenRow,
  target: Target,
  further: readonly Sql[] = [],
): Statement | undefined {
  if (columns.length === 0) return undefined
  const pairs = columns.map(([name, value]) => sql`${sql.id(name)} = ${value}`)
  const conditions = [
    matchesRequestedId(resource, 0, target),
    ...isRowReadable(resource),
    ...further,
  ]
  const changed = compileChangedRows(resource, conditions, target)
  const update = sql`update ${changed.table} set ${sql.join(pairs)}${compileIncrement(resource, target)} where ${changed.where}${row ? sql` returning ${row}` : sql``}`
  return { ...compileStatement(update, target.dialect), isWrite: true }
}

/**
 * Compiles a column of a key of `t0` if it references no row that the request may see: one outside of the scope of the relationship's
 * type, one that a policy of the database hides, or none, which must not be told from a hidden one. Such a key is serialized as null, so an update that sends the null back must not clear it (docs/decisions/0020).
 * @returns `undefined` if there is no such key
 */
function compileHiddenKey(
  column: WriteColumn,
  name: string,
  resource: ResourceType,
  target: Target,
): Sql | undefined {
  if (column.is !== 'key') return undefined
  const field = getRelationship(resource, column.relationship)
  const { link, to } = field
  const other = getResourceType(target.model, to)
  if (other.scope === undefined && !target.facts.mayHide(other.table)) return undefined
  const visible = compileVisibleKeys(field, resource, target)
  if (visible)
    return sql`case when ${toKey(linkKeyAt(link, 'ownKey', 0))} not in (${visible}) then ${columnAt(0, name)} end`
  const isView = isChangedByTriggers(resource.table, target)
  const own = (column: string) =>
    isView ? sql`${tableName(resource.table)}.${sql.id(column)}` : columnAt(0, column)
  const isLinked = isEqualKey(linkKeyAt(link, 'otherKey', 1), linkKeyAt(link, 'ownKey', own))
  const isVisible = and([isLinked, ...inScope(1, other)])
  return sql`case when not exists (select 1 from ${tableAt(1, other.table)} where ${isVisible}) then ${own(name)} end`
}

/**
 * Compiles the columns of a row that a column of a shape stands for, without those that the id determines, and without the tenant's of
 * a composite foreign key: the related resource has the tenant of the row, which the server sets.
 */
function compileAssignments(
  column: WriteColumn,
  parameter: number,
  resource: ResourceType,
  target: Target,
): Assignment[] {
  const { omits = [] } = column
  const all = compileAllAssignments(column, parameter, resource, target)
  const tenant = all.length > 1 ? resource.tenantColumn : undefined
  return all.filter(([name]) => name !== tenant && !omits.includes(name))
}

function compileAllAssignments(
  column: WriteColumn,
  parameter: number,
  resource: ResourceType,
  target: Target,
): Assignment[] {
  switch (column.is) {
    case 'attribute': {
      const field = getAttribute(resource, column.name)
      if (field.column === undefined) throw new Error(`${field.name} has no column to write.`)
      return [[field.column, assignedParam(parameter, field.kind.codec, target.dialect)]]
    }
    case 'key': {
      const { link, to } = getRelationship(resource, column.relationship)
      const other = getResourceType(target.model, to)
      return zipColumns(link.ownKey, compileKey(other, link.otherKey, parameter, target))
    }
    case 'parent': {
      const parent = getResourceType(target.model, column.type)
      const { link } = getRelationship(parent, column.relationship)
      return zipColumns(link.otherKey, compileKey(parent, link.ownKey, parameter, target))
    }
  }
}

/** The statements that delete a resource. */
export interface CompiledRemovals {
  /** Deletes the resource with the id, if the rules allow it. */
  readonly remove: Statement
  /** The same if it is the whole deletion; it deletes no row if something else may decide by now. */
  readonly removeAtOnce: Statement
  /** The same for a row with one of some versions; `undefined` if the version of the type is no column. */
  readonly removeIfVersion: Statement | undefined
}

/** Compiles the deletions of a resource type. */
export function compileRemovals(resource: ResourceType, target: Target): CompiledRemovals {
  const isPlain = isStillPlain(resource, target)
  const isOfVersion = hasVersion(resource, target)
  return {
    remove: compileDelete(resource, target),
    removeAtOnce: compileDelete(resource, target, isPlain),
    removeIfVersion: isOfVersion && compileDelete(resource, target, [...isPlain, isOfVersion]),
  }
}

/** Compiles the deletion of a resource: of its row, or by the column that stores when it was deleted. */
function compileDelete(
  resource: ResourceType,
  target: Target,
  further: readonly Sql[] = [],
): Statement {
  const { softDelete } = resource
  const { dialect } = target
  const conditions = [...isDeletable(resource, target), ...further]
  const { table, where } = compileChangedRows(resource, conditions, target)
  const change =
    softDelete === undefined
      ? sql`delete from ${table}`
      : sql`update ${table} set ${sql.id(softDelete)} = ${dialect.now}${compileIncrement(resource, target)}`
  return compileStatement(sql`${change} where ${where}`, dialect)
}

/** Compiles the query that returns which of some `ids` exist. */
export function compileLookup(resource: ResourceType, target: Target): Statement {
  const { table, id } = resource
  const hasId = isInIdList(columnsAt(0, id.columns), 'ids', id, target.dialect)
  const where = and([hasId, ...isRowInScope(resource)])
  return compileStatement(
    sql`select ${idColumn(resource, target)} from ${tableAt(0, table)} where ${where}`,
    target.dialect,
  )
}
