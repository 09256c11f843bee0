/** Applies writes to plain objects, or rejects them, as `docs/service.md`, Endpoints, and decision 0015 define. */

import { cell, relatedRows, rowWithId, tableRows } from '../everything/rows.ts'
import type { Linkage, ParsedResource, Target, Write } from '../everything/write.ts'
import {
  type Data,
  getAttribute,
  getRelationship,
  getType,
  known,
  type LinkDescription,
  type Row,
  type Value,
} from '../schema.ts'
import { identifiersIn, keyTo, listErrors, readBody, statusOf } from './reference-errors.ts'
import { kinds } from './reference-kinds.ts'

/** The status of a write, and the data after it: the same data if it was rejected. */
interface WriteResult {
  readonly status: number
  readonly data: Data
  /** The id of the created resource. */
  readonly id?: string
}

/** A violation of a constraint, with the status of the response. */
class Rejected extends Error {
  readonly status: number
  constructor(status: number) {
    super(`rejected with ${status}`)
    this.status = status
  }
}

/**
 * Applies a write to plain rows.
 * @param givenId - the id that the server gave to what it created, where the document gives none
 */
export function applyWrite(data: Data, write: Write, givenId: string | undefined): WriteResult {
  const errors = listErrors(data, write)
  if (errors.length > 0) return { status: statusOf(errors), data }
  try {
    return applyValidWrite(data, write, givenId)
  } catch (error) {
    if (error instanceof Rejected) return { status: error.status, data }
    throw error
  }
}

function applyValidWrite(data: Data, write: Write, givenId: string | undefined): WriteResult {
  switch (write.is) {
    case 'create': {
      const { client } = getType(data.schema, write.type).id
      const own = client === undefined ? undefined : write.id
      // No server generates this id, so a missing id is a difference.
      const id = String(own ?? givenId ?? '-1')
      return afterCreate(data, write, id)
    }
    case 'update':
      return { status: 200, data: afterUpdate(data, write) }
    case 'relate': {
      const related = relate(data, write.target, write.change, write.linkage)
      return { status: 200, data: stillOfType(related, write.target.type, write.target.id) }
    }
    case 'delete':
      return { status: 200, data: afterDelete(data, write.type, write.id) }
  }
}

function afterCreate(
  data: Data,
  write: Extract<Write, { is: 'create' }>,
  givenId: string,
): WriteResult {
  const { type, parent } = write
  const { table, id: ids, insertDefaults } = getType(data.schema, type)
  const isLinkedByKey = parent && parentLink(data, parent).foreignKey !== 'join table'
  const row: Row = {
    ...emptyRow(data, table),
    ...insertDefaults,
    ...ownCells(data, type, write),
    ...(isLinkedByKey && parentCells(data, parent)),
    [ids.column]: kinds[ids.kind].read(givenId),
  }
  const id = serializeId(row, ids)
  const inserted = withWritten(data, type, row, (rows) => [...rows, row])
  // A new resource has no links that could be replaced.
  let after = linkOthers(inserted, type, id, write, 'add')
  if (parent && !isLinkedByKey) after = relate(after, parent, 'add', [{ type, id }])
  return { status: 201, data: stillOfType(after, type, id), id }
}

function serializeId(
  row: Row,
  { column, kind }: { column: string; kind: keyof typeof kinds },
): string {
  return String(kinds[kind].serialize(cell(row, column), { kind }))
}

/** A row of nulls for all columns that any type has over a table. */
function emptyRow({ schema }: Data, table: string): Row {
  const types = Object.values(schema.types).filter((type) => type.table === table)
  const columns = types.flatMap(({ attributes, relationships }) => [
    ...Object.entries(attributes).flatMap(([name, { of, column = name }]) => (of ? [] : [column])),
    ...Object.values(relationships).flatMap(({ link }) =>
      link.foreignKey === 'own' ? [link.ownKey] : [],
    ),
  ])
  return Object.fromEntries(columns.map((column) => [column, null]))
}

function parentLink(data: Data, { type, relationship }: Target) {
  return getRelationship(data.schema, type, relationship).link
}

/** The foreign key of a new row that its path sets; empty if the document sets it. */
function parentCells(data: Data, parent: Target): Row {
  const link = parentLink(data, parent)
  const row = known(rowWithId(data, parent.type, parent.id), `${parent.type} ${parent.id}`)
  return { [link.otherKey]: cell(row, link.ownKey) }
}

function afterUpdate(data: Data, write: Extract<Write, { is: 'update' }>): Data {
  const { type, id } = write
  const row = rowWithId(data, type, id)
  const changed = { ...row, ...ownCells(data, type, write) }
  const replace = (rows: readonly Row[]) => rows.map((each) => (each === row ? changed : each))
  const after = withWritten(data, type, changed, replace)
  return stillOfType(linkOthers(after, type, id, write, 'replace'), type, id)
}

/** The columns of the row that a document sets. */
function ownCells(data: Data, type: string, { attributes, relationships }: ParsedResource): Row {
  const fields = getType(data.schema, type)
  const written = Object.entries(attributes).filter(
    ([name]) => name !== 'id' && fields.attributes[name]?.access !== 'read-only',
  )
  const values = written.map(([name, json]): [string, Value] => {
    const attribute = getAttribute(data.schema, type, name)
    return [attribute.column ?? name, readBody(attribute, json)]
  })
  const keys = Object.entries(relationships).flatMap(([name, linkage]): [string, Value][] => {
    const { to, link, access } = getRelationship(data.schema, type, name)
    if (link.foreignKey !== 'own' || access === 'read-only') return []
    return [[link.ownKey, keyTo(data, to, link.otherKey, identifiersIn(linkage))]]
  })
  return Object.fromEntries([...values, ...keys])
}

/** Changes the links that other tables store. */
function linkOthers(
  data: Data,
  type: string,
  id: string,
  { relationships }: ParsedResource,
  change: 'add' | 'replace',
): Data {
  let after = data
  for (const [relationship, linkage] of Object.entries(relationships)) {
    const { link, access } = getRelationship(data.schema, type, relationship)
    if (link.foreignKey === 'own' || access === 'read-only') continue
    after = relate(after, { type, id, relationship }, change, linkage)
  }
  return after
}

/** Links and unlinks the members of a relationship. Members outside of the scope of their type stay. */
function relate(
  data: Data,
  { type, id, relationship }: Target,
  change: 'add' | 'remove' | 'replace',
  linkage: Linkage,
): Data {
  const { to, many, link } = getRelationship(data.schema, type, relationship)
  const { table } = getType(data.schema, type)
  const row = known(rowOfTable(data, type, id), `${type} ${id}`)
  const members = identifiersIn(linkage)
    .map((each) => rowWithId(data, to, each.id))
    .filter((each) => each !== undefined)
  const others = relatedRows(data, type, row, relationship).filter(
    (each) => members.includes(each) === (change === 'remove'),
  )
  const isAddition = many && change === 'add'
  const gone = isAddition ? [] : others
  const added = change === 'remove' ? [] : members
  const own = cell(row, link.ownKey)
  switch (link.foreignKey) {
    case 'own':
      return change === 'remove' && others.length === 0
        ? data
        : withCells(
            data,
            table,
            [row],
            link.ownKey,
            added[0] ? cell(added[0], link.otherKey) : null,
          )
    case 'other': {
      const other = getType(data.schema, to).table
      const unlinked = withCells(data, other, gone, link.otherKey, null)
      return withCells(unlinked, other, added, link.otherKey, own)
    }
    case 'join table':
      return withJoins(data, link, { own, gone, added })
  }
}

/** The links that a write adds and removes between a row and others. */
interface Moved {
  /** The value of foreign keys to the row. */
  readonly own: Value
  readonly gone: readonly Row[]
  readonly added: readonly Row[]
}

/** The data with another value in a column of some rows. */
function withCells(
  data: Data,
  table: string,
  which: readonly Row[],
  column: string,
  value: Value,
): Data {
  return withRows(data, table, (rows) =>
    rows.map((row) => (which.includes(row) ? { ...row, [column]: value } : row)),
  )
}

/** The data without the removed rows of a join table, and with the added ones. */
function withJoins(
  data: Data,
  { joinTable, from, to, otherKey }: Extract<LinkDescription, { foreignKey: 'join table' }>,
  { own, gone, added }: Moved,
): Data {
  const keysOf = (rows: readonly Row[]) => rows.map((row) => cell(row, otherKey))
  const links = (join: Row, keys: readonly Value[]) =>
    cell(join, from) === own && keys.includes(cell(join, to))
  return withRows(data, joinTable, (joins) => {
    const retained = joins.filter((join) => !links(join, keysOf(gone)))
    const missing = keysOf(added).filter((key) => !retained.some((join) => links(join, [key])))
    return [...retained, ...[...new Set(missing)].map((key) => ({ [from]: own, [to]: key }))]
  })
}

/** A row of the table of a type, also outside of its scope. */
function rowOfTable(data: Data, type: string, id: string): Row | undefined {
  const { table, id: ids } = getType(data.schema, type)
  return tableRows(data, table).find((row) => serializeId(row, ids) === id)
}

/** The data, if the written resource is still within the scope of its type. */
function stillOfType(data: Data, type: string, id: string): Data {
  if (rowWithId(data, type, id) === undefined) throw new Rejected(422)
  return data
}

function afterDelete(data: Data, type: string, id: string): Data {
  const { table } = getType(data.schema, type)
  const row = known(rowWithId(data, type, id), `${type} ${id}`)
  return without(data, table, row)
}

/** The data without a row, and without the rows and keys that reference it. */
function without(data: Data, table: string, row: Row): Data {
  let after = withRows(data, table, (rows) => rows.filter((each) => each !== row))
  for (const [other, { references = {} }] of Object.entries(data.schema.tables)) {
    for (const [column, to] of Object.entries(references)) {
      if (to.table !== table) continue
      const refers = (each: Row) => cell(each, column) === cell(row, to.column)
      after = withRows(after, other, (rows) =>
        to.onDelete === 'cascade'
          ? rows.filter((each) => !refers(each))
          : rows.map((each) => (refers(each) ? { ...each, [column]: null } : each)),
      )
    }
  }
  return after
}

/** The same for the written row: that another one has a value is told only to somebody who may write it. */
function withWritten(
  data: Data,
  type: string,
  row: Row,
  change: (rows: readonly Row[]) => readonly Row[],
): Data {
  const { table, scope } = getType(data.schema, type)
  try {
    return withRows(data, table, change)
  } catch (error) {
    throw error instanceof Rejected && scope?.(row) === false ? new Rejected(422) : error
  }
}

/** The data with other rows in a table. @throws Rejected with 409 if a unique value occurs twice */
function withRows(
  data: Data,
  table: string,
  change: (rows: readonly Row[]) => readonly Row[],
): Data {
  const rows = change(tableRows(data, table))
  const { unique = [] } = known(data.schema.tables[table], `table ${table}`)
  for (const column of [...unique, ...idColumns(data, table)]) {
    const values = rows.map((row) => cell(row, column)).filter((value) => value !== null)
    if (new Set(values).size < values.length) throw new Rejected(409)
  }
  return { ...data, tables: { ...data.tables, [table]: rows } }
}

function idColumns({ schema }: Data, table: string): string[] {
  return Object.values(schema.types)
    .filter((type) => type.table === table)
    .map(({ id }) => id.column)
}
