import { report } from '../errors/collector.ts'
import { BodyError } from '../errors/errors.ts'
import { quote } from '../errors/quote.ts'
import { joinId, splitId } from '../model/kinds/composite-ids.ts'
import {
  getRelationship,
  getResourceType,
  type KeyColumns,
  type Link,
  type Model,
  type ResourceType,
} from '../model/model.ts'
import type { ExistenceCheck } from './linkage.ts'
import type { WriteBuilder, WriteColumn } from './write-builder.ts'
import { toFieldPointer } from './write-rights.ts'

// Fields may write the columns of a composite id: an attribute, or a relationship whose foreign key contains them. A new row gets each
// column once, from the id that the client sends or from the first such field; later ones must agree. An update never writes them:
// a field must agree with the id of the resource (docs/decisions/0063).

/** The row that columns are written to. */
interface WrittenRow {
  readonly resource: ResourceType
  readonly model: Model
  /** The id, if it is known before the write. */
  readonly id: string | undefined
}

/** A field whose value does not agree with the id, or with another field that is part of the id. */
interface IdConflict {
  readonly field: string
  /** The other field; `undefined` for the id. */
  readonly other: string | undefined
}

/** The columns to write, and the fields that do not agree. */
interface AgreedColumns {
  readonly columns: readonly WriteColumn[]
  readonly conflicts: readonly IdConflict[]
  /** The columns of the id whose values are known. */
  readonly known: ReadonlyMap<string, KnownPart>
}

/** A value of a column of the id, and the field that it comes from. */
interface KnownPart {
  readonly text: string
  readonly field: string | undefined
}

/**
 * Marks the columns of a composite id that have a value already, so that they are not written again.
 * @param values - the value of each column
 */
export function omitIdColumns(
  columns: readonly WriteColumn[],
  values: readonly unknown[],
  row: WrittenRow,
): AgreedColumns {
  const { resource, id } = row
  if (resource.id.parts.length === 1) return { columns, conflicts: [], known: new Map() }
  const sent = id === undefined ? [] : (splitId(id) ?? [])
  const known = new Map<string, KnownPart>(
    sent.map((text, index) => [resource.id.columns[index] ?? '', { text, field: undefined }]),
  )
  const conflicts: IdConflict[] = []
  const agreed = columns.map((column, index) =>
    omitKnownParts(column, values[index], { row, known, conflicts }),
  )
  return { columns: agreed, conflicts, known }
}

/** The parts of an id that are known so far, and the conflicts found so far. Each column adds its own. */
interface KnownId {
  readonly row: WrittenRow
  readonly known: Map<string, KnownPart>
  readonly conflicts: IdConflict[]
}

/** Marks the parts of a column, or of a foreign key, that are known from the id or from an earlier column. */
function omitKnownParts(
  column: WriteColumn,
  value: unknown,
  { row, known, conflicts }: KnownId,
): WriteColumn {
  const { omits: _, ...written } = column
  const { tenantColumn } = row.resource
  // The tenant's part of a foreign key is never written: the related resource exists in the tenant of the row only.
  const parts = listParts(written, value, row).filter(
    ({ name }) => written.is === 'attribute' || name !== tenantColumn,
  )
  const ofId = parts.filter(({ name }) => row.resource.id.columns.includes(name))
  // Without a related resource the other columns of the foreign key are null, and those of the id keep their values.
  const isUnlinked = value === null && ofId.length < parts.length
  const omits = ofId.flatMap(({ name, text }) => {
    const part = known.get(name)
    const field = nameField(written)
    if (part === undefined && !isUnlinked) {
      if (typeof text === 'string') known.set(name, { text, field })
      return []
    }
    if (part !== undefined && part.text !== text && !isUnlinked)
      conflicts.push({ field, other: part.field })
    return [name]
  })
  return omits.length === 0 ? written : { ...written, omits }
}

/** The document of a write, and the fields that exist for its identity. */
interface SentDocument {
  readonly fields: ResourceType['fields']
  readonly document: 'resource' | 'linkage' | 'none'
}

/**
 * Does the same with the columns of a document that writes a composite id, and adds an error for each field that does not agree.
 * @param row - its type has also the fields that do not exist for the identity, which the server may set
 */
export function agreeOnId(
  builder: WriteBuilder,
  row: WrittenRow,
  { fields, document }: SentDocument,
): void {
  const { id } = row
  const { columns, conflicts, known } = omitIdColumns(builder.columns, builder.values, row)
  builder.columns.splice(0, columns.length, ...columns)
  const pointerOf = (name: string) => {
    const field = fields.get(name)
    return document === 'resource' && field ? toFieldPointer(field) : '/data'
  }
  for (const { field, other } of conflicts)
    report(builder.errors, () => {
      const nameOf = (part: string) => (fields.has(part) ? part : 'a value that the server sets')
      const otherPart = other === undefined ? `the id ${quote(id)}` : nameOf(other)
      const detail = `${nameOf(field)} does not agree with ${otherPart}: ${other ? 'both are' : 'it is a'} part of the id, which cannot change.`
      return new BodyError('invalid_value', pointerOf(field), detail)
    })
  for (const conflict of listMemberConflicts(builder, known, row))
    report(builder.errors, () =>
      createMemberError(conflict, row, builder.existenceChecks, pointerOf(conflict.relationship)),
    )
  for (const name of listRemovedParts(builder, row))
    report(builder.errors, () => {
      const detail = `${name} cannot be removed: it is a part of the id ${quote(id)}, which cannot change.`
      return new BodyError('invalid_value', pointerOf(name), detail)
    })
}

/** @param location - the pointer to the relationship; the error points at the member, if its existence is checked */
function createMemberError(
  { relationship, memberId, column }: MemberConflict,
  { resource, id }: WrittenRow,
  existenceChecks: readonly ExistenceCheck[],
  location: string,
): BodyError {
  const { to } = getRelationship(resource, relationship)
  const isMember = (check: ExistenceCheck) =>
    check.type === to && check.id === memberId && `${check.pointer}/`.startsWith(`${location}/`)
  const pointer = existenceChecks.find(isMember)?.pointer ?? location
  const owner = id === undefined ? 'the new resource' : quote(id)
  const detail = `${to} ${quote(memberId)} cannot be a member of "${relationship}" of ${owner}: "${column}" is a part of its id, which cannot change, and has another value.`
  return new BodyError('invalid_value', pointer, detail)
}

/** A member of a relationship whose id does not agree with that of the row. */
interface MemberConflict {
  readonly relationship: string
  readonly memberId: string
  /** The column of the member's id. */
  readonly column: string
}

/**
 * Finds members that cannot be added, because their foreign key shares columns with their id: as the orders of a tenant, whose lines
 * are those of the same tenant.
 */
function listMemberConflicts(
  { links, linkIds }: WriteBuilder,
  known: ReadonlyMap<string, KnownPart>,
  { resource, model }: WrittenRow,
): MemberConflict[] {
  return links.flatMap(({ relationship, change }, index) => {
    const { link, to } = getRelationship(resource, relationship)
    if (change === 'remove' || link.foreignKey === 'own') return []
    const { id, tenantColumn } = getResourceType(model, to)
    if (id.parts.length === 1) return []
    // A member of another tenant does not exist.
    const shared = pairSharedColumns(link).filter(
      ([own, other]) => own !== resource.tenantColumn || other !== tenantColumn,
    )
    return (linkIds[index] ?? []).flatMap((memberId): MemberConflict[] => {
      const parts = splitId(memberId) ?? []
      const [, column] =
        shared.find(([ownColumn, name]) => {
          const part = parts[id.columns.indexOf(name)]
          const own = known.get(ownColumn)
          return part !== undefined && own !== undefined && own.text !== part
        }) ?? []
      return column === undefined ? [] : [{ relationship, memberId, column }]
    })
  })
}

/** Pairs the columns of two linked rows that must be equal: those of a foreign key, or those of one column of a join table. */
function pairSharedColumns(link: Link): readonly (readonly [own: string, other: string])[] {
  const { from, to } =
    link.foreignKey === 'join table' ? link : { from: link.ownKey, to: link.ownKey }
  return from.flatMap((name, index) => {
    const [own, other] = [link.ownKey[index], link.otherKey[to.indexOf(name)]]
    return own === undefined || other === undefined ? [] : [[own, other] as const]
  })
}

/** The relationships from which a document removes the resource to which the id itself links. */
function listRemovedParts(
  { links, linkIds }: WriteBuilder,
  { resource, id }: WrittenRow,
): string[] {
  const own = new Map(splitId(id ?? '')?.map((text, index) => [resource.id.columns[index], text]))
  return links.flatMap(({ relationship, change }, index) => {
    const { many, link } = getRelationship(resource, relationship)
    if (many || change !== 'remove' || link.foreignKey !== 'own') return []
    const parts = link.ownKey.map((column) => own.get(column))
    const isWhole = parts.every((part) => part !== undefined)
    const current = parts.length === 1 ? parts[0] : joinId(parts.map(String))
    return isWhole && linkIds[index]?.includes(current ?? '') ? [relationship] : []
  })
}

/** A column of a row and its value as the text of a part of an id. */
interface WrittenPart {
  readonly name: string
  /** `undefined` if the column references another column than the id of the related resource. */
  readonly text: string | null | undefined
}

/** Lists the columns of the row that a column of a plan writes. */
export function listParts(
  column: WriteColumn,
  value: unknown,
  { resource, model }: Pick<WrittenRow, 'resource' | 'model'>,
): readonly WrittenPart[] {
  switch (column.is) {
    case 'attribute': {
      const field = resource.fields.get(column.name)
      const name = field?.is === 'attribute' ? field.column : undefined
      return name === undefined ? [] : [{ name, text: value === null ? null : String(value) }]
    }
    case 'key': {
      const { link, to } = getRelationship(resource, column.relationship)
      return splitKey(link.ownKey, link.otherKey, value, getResourceType(model, to))
    }
    case 'parent': {
      const parent = getResourceType(model, column.type)
      const { link } = getRelationship(parent, column.relationship)
      return splitKey(link.otherKey, link.ownKey, value, parent)
    }
  }
}

/** Splits the id of a related resource into the values of a foreign key. */
function splitKey(
  key: KeyColumns,
  references: KeyColumns,
  id: unknown,
  { id: related }: ResourceType,
): readonly WrittenPart[] {
  if (typeof id !== 'string') return key.map((name) => ({ name, text: null }))
  const parts = related.parts.length === 1 ? [id] : (splitId(id) ?? [])
  return key.map((name, index) => {
    const text = parts[related.columns.indexOf(references[index] ?? '')]
    return { name, text }
  })
}

function nameField(column: WriteColumn): string {
  return column.is === 'attribute' ? column.name : column.relationship
}
