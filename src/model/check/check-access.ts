import { quoteNames } from '../../errors/quote.ts'
import { findTenantColumn } from '../declare/access.ts'
import type { FieldDeclaration } from '../declare/fields.ts'
import { resolveIdOptions, toList } from '../declare/resolve.ts'
import type { ResourceDeclaration } from '../declare/resource.ts'
import type { ModelContext } from './check-keys.ts'
import { writesColumn } from './check-written-columns.ts'

/**
 * Checks the rules of a resource type that need no database: fields that the server sets, the column of the tenant, and columns that
 * cannot be hidden.
 */
export function findAccessErrors(resource: ResourceDeclaration, context: ModelContext): string[] {
  return Object.entries(resource.fields).flatMap(([name, field]) =>
    [
      ...findSetErrors(field),
      ...findTenantErrors(name, field, resource, context),
      ...findHiddenIdErrors(name, field, resource, context.all),
    ].map((error) => `${resource.type}.fields.${name}${error}`),
  )
}

/** An id cannot be hidden, so a rule for a field that is stored in columns of an id would hide nothing. */
function findHiddenIdErrors(
  name: string,
  field: FieldDeclaration,
  resource: ResourceDeclaration,
  all: readonly ResourceDeclaration[],
): string[] {
  if (field.readable === undefined || field.readable === true) return []
  const stored = findStoredColumns(name, field)
  const owner = stored?.isOwn
    ? resource
    : all.find(({ type }) => 'to' in field && type === field.to)
  if (stored === undefined || owner === undefined) return []
  const ids = resolveIdOptions(owner).parts.map(({ column }) => column)
  if (!stored.columns.every((column) => ids.includes(column))) return []
  const { type } = owner
  return [
    `.readable: cannot hide ${quoteNames(stored.columns)}, which every id of ${type} contains; remove the rule, and restrict the rows by "access.read" of ${type}`,
  ]
}

/** Returns the columns that store a field, and whether they are in the table of its own type. */
function findStoredColumns(
  name: string,
  field: FieldDeclaration,
): Readonly<{ columns: readonly string[]; isOwn: boolean }> | undefined {
  if (field.is === 'attribute') return { columns: [field.column ?? name], isOwn: true }
  if (field.is === 'expression' || field.is === 'computed' || 'through' in field) return undefined
  const isOwn = field.is === 'toOne' && field.foreignKey !== 'other'
  return { columns: toList(field.column), isOwn }
}

function findSetErrors(field: FieldDeclaration): string[] {
  if (!('set' in field) || field.set === undefined) return []
  if (field.required)
    return ['.required: has no effect with "set", which gives every create its value; remove it']
  if (field.is === 'attribute') {
    return field.default === undefined
      ? []
      : ['.default: has no effect with "set", which gives every create its value; remove it']
  }
  return field.is === 'toOne' && field.foreignKey === 'other'
    ? ['.set: the foreign key is in the other table; "set" needs an own foreign key']
    : []
}

/** An attribute must not write the key of a relationship whose rules say who may link it. */
export function findLinkRuleErrors(
  resource: ResourceDeclaration,
  all: readonly ResourceDeclaration[],
): string[] {
  return Object.entries(resource.fields).flatMap(([name, field]) => {
    const hasRules = 'link' in field || 'unlink' in field
    if (!hasRules || !('column' in field)) return []
    const isOwn = field.is === 'toOne' && field.foreignKey !== 'other'
    const holder = isOwn ? resource : all.find(({ type }) => type === field.to)
    const columns = toList(field.column ?? [])
    return Object.entries(holder?.fields ?? {}).flatMap(([attribute, other]) =>
      holder &&
      other.is === 'attribute' &&
      columns.includes(other.column ?? attribute) &&
      writesColumn(other, holder)
        ? [
            `${holder.type}.fields.${attribute}.access: must be "read-only", because the rules of ${resource.type}.fields.${name} say who may write its column`,
          ]
        : [],
    )
  })
}

/**
 * A field that clients write must not store another tenant. The server sets the tenant's part of a composite foreign key, which the
 * related resource must have too.
 */
function findTenantErrors(
  name: string,
  field: FieldDeclaration,
  resource: ResourceDeclaration,
  { byType, tenant }: ModelContext,
): string[] {
  const stored = findStoredColumns(name, field)
  const related = 'to' in field ? byType.get(field.to) : undefined
  const [holder, referenced] = stored?.isOwn ? [resource, related] : [related, resource]
  const column = holder && findTenantColumn(holder, tenant)
  if (stored === undefined || column === undefined || resource.access === 'read-only') return []
  const index = stored.columns.indexOf(column)
  const isWholeKeyOfOther = !stored.isOwn && stored.columns.length === 1
  if (index === -1 || isWholeKeyOfOther) return []
  if (referenced && stored.columns.length > 1) {
    const ids = resolveIdOptions(referenced).parts.map((part) => part.column)
    const references = 'references' in field && field.references ? toList(field.references) : ids
    if (references[index] === findTenantColumn(referenced, tenant)) return []
  }
  if ('set' in field && field.set !== undefined)
    return [`.set: the column "${column}" stores the tenant of the row; remove "set"`]
  if ('access' in field && field.access === 'read-only') return []
  return [
    `.access: must be "read-only", because the column "${column}" stores the tenant of the row`,
  ]
}
