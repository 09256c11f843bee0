import { quote } from '../../errors/quote.ts'
import { suggest } from '../../errors/suggestion.ts'
import { findTenantColumn, isNeverWritten } from '../declare/access.ts'
import type { Computed } from '../declare/computed.ts'
import type { Attribute, FieldDeclaration, JoinTable } from '../declare/fields.ts'
import { resolveIdOptions, toList } from '../declare/resolve.ts'
import type { ResourceDeclaration } from '../declare/resource.ts'
import { describeCodec } from '../kinds/codecs.ts'
import { describedIdKinds, isIdKind } from '../kinds/id-kinds.ts'
import { findPathErrors } from '../kinds/json-paths.ts'
import type { Kind } from '../kinds/kinds.ts'
import { isMemberName, isReservedName } from '../kinds/member-names.ts'
import { resolveNullability } from '../kinds/nullability.ts'
import { isSortable } from '../kinds/operators.ts'
import { type ModelOptions, operationsPath } from '../model.ts'
import { findAccessErrors, findLinkRuleErrors } from './check-access.ts'
import { findActionErrors } from './check-actions.ts'
import { findKeyErrors, type ModelContext } from './check-keys.ts'
import { findOptionErrors } from './check-options.ts'
import { findProfileErrors } from './check-profiles.ts'
import {
  findInsertDefaultErrors,
  findReadOnlyErrors,
  findWrittenColumnErrors,
  writesColumn,
} from './check-written-columns.ts'
import { throwDeclarationErrors } from './declaration-error.ts'

/**
 * Checks everything about declarations that needs no database: first the type of each option, then their meaning.
 * @throws DeclarationError with every error found
 */
export function checkDeclarations(
  resources: readonly ResourceDeclaration[],
  options: ModelOptions = {},
): void {
  throwDeclarationErrors(findOptionErrors(resources, options))
  const byType = new Map(resources.map((resource) => [resource.type, resource]))
  const context: ModelContext = { all: resources, byType, tenant: options.tenant }
  throwDeclarationErrors([
    ...findPageSizeErrors(options),
    ...findDuplicates(resources, 'type'),
    ...findDuplicates(resources, 'path'),
    ...findTakenPaths(resources, options),
    ...findProfileErrors(options),
    ...resources.flatMap((resource) => findResourceErrors(resource, context)),
    ...resources.flatMap((resource) => findAccessErrors(resource, context)),
    ...resources.flatMap((resource) => findLinkRuleErrors(resource, resources)),
    ...resources.flatMap((resource) =>
      findVersionErrors(resource, { hasTenant: options.tenant !== undefined }),
    ),
  ])
}

function findPageSizeErrors({ pageSize, maxPageSize }: ModelOptions): string[] {
  const isUnlimited = maxPageSize === undefined || maxPageSize === null
  if (pageSize === undefined || isUnlimited || pageSize <= maxPageSize) return []
  return [
    `options.pageSize: must not be larger than maxPageSize, which is ${maxPageSize}; it is ${pageSize}`,
  ]
}

function findDuplicates(
  resources: readonly ResourceDeclaration[],
  option: 'type' | 'path',
): string[] {
  return [...Map.groupBy(resources, (resource) => resource[option]).values()]
    .flatMap(([, ...others]) => others)
    .map(
      (resource) =>
        `${resource.type}.${option}: another resource type has the same ${option} "${resource[option]}"`,
    )
}

/** The path of several writes in one request belongs to no type. */
function findTakenPaths(
  resources: readonly ResourceDeclaration[],
  { jsonapi, atomic = jsonapi === '1.1' }: ModelOptions,
): string[] {
  if (atomic === false) return []
  return resources
    .filter(({ path }) => path === operationsPath)
    .map(({ type }) => `${type}.path: "${operationsPath}" is that of options.atomic`)
}

function findResourceErrors(resource: ResourceDeclaration, context: ModelContext): string[] {
  const { type, path } = resource
  const fieldErrors = Object.entries(resource.fields).flatMap(([name, field]) => {
    const location = `${type}.fields.${name}`
    return [
      ...findNameErrors(name).map((error) => `${location}: ${error}`),
      ...findFieldErrors(name, field, resource, context).map((error) => `${location}${error}`),
    ]
  })
  return [
    ...(isDeclarableName(type) ? [] : [`${type}.type: "${type}" ${notMemberName}`]),
    ...(/^\/[A-Za-z0-9_~-]+$/.test(path)
      ? []
      : [
          `${type}.path: must be one path segment after a slash, such as "/books"; it is "${path}"`,
        ]),
    ...findIdErrors(resource),
    ...findTableFunctionErrors(resource, findNameErrors),
    ...findReadOnlyErrors(resource),
    ...findInsertDefaultErrors(resource),
    ...findQueryErrors(resource),
    ...findActionErrors(resource, context.all, findNameErrors),
    ...fieldErrors,
    ...findSameNames(resource),
  ]
}

/** Filters name queries like fields, so their names are different. */
function findQueryErrors({ type, queries = {}, fields }: ResourceDeclaration): string[] {
  return Object.keys(queries).flatMap((name) => {
    const errors = Object.hasOwn(fields, name)
      ? [`a field has the name "${name}"; rename one of them`]
      : findNameErrors(name)
    return errors.map((error) => `${type}.queries.${name}: ${error}`)
  })
}

/** True for JSON:API member names without spaces: types and fields appear in URLs. */
function isDeclarableName(name: string): boolean {
  return isMemberName(name) && !name.includes(' ')
}

const notMemberName = 'is not a JSON:API member name without spaces'

function findNameErrors(name: string): string[] {
  if (name === 'id' || name === 'type') return [`"${name}" is reserved: every resource has it`]
  if (isReservedName(name)) return [`"${name}" is reserved by JSON:API`]
  if (!isDeclarableName(name)) return [`"${name}" ${notMemberName}`]
  if (name.includes('__'))
    return ['"__" is reserved: in filters it separates a relationship from its field']
  return []
}

/** Returns the errors of a field, each without the field's path. */
function findFieldErrors(
  name: string,
  field: FieldDeclaration,
  resource: ResourceDeclaration,
  context: ModelContext,
): string[] {
  switch (field.is) {
    case 'attribute':
      return findAttributeErrors(name, field, resource)
    case 'expression':
      return findSortErrors(field)
    case 'computed':
      return findComputedErrors(name, field, resource)
    case 'toOne':
    case 'toMany': {
      const errors = [
        ...findRelationshipErrors(
          name,
          field,
          resource,
          findTenantColumn(resource, context.tenant),
        ),
        ...findKeyErrors(field, resource, context),
      ]
      const target = context.byType.get(field.to)
      if (target && typeof target.table !== 'string')
        return [`.to: ${field.to} is a table function, whose rows exist only for its arguments`]
      if (target) return errors
      const hint = suggest(field.to, [...context.byType.keys()], 'types')
      return [...errors, `.to: there is no resource type "${field.to}"; ${hint}`]
    }
  }
}

function findIdErrors(resource: ResourceDeclaration): string[] {
  const { parts } = resolveIdOptions(resource)
  const location = `${resource.type}.id.kind`
  const declared = typeof resource.id === 'object' && 'kind' in resource.id && resource.id.kind
  if (Array.isArray(declared) && declared.length !== parts.length)
    return [
      `${location}: must have a kind for each of the ${parts.length} columns; it has ${declared.length}`,
    ]
  const isComposite = hasCompositeId(resource)
  return parts.flatMap(({ column, kind }) => {
    if (isIdKind(kind)) return []
    const suffix = isComposite ? ` of "${column}"` : ''
    return [
      `${location}: must be ${describedIdKinds} or, by default, a 64-bit integer; it is ${kind.name}${suffix}`,
    ]
  })
}

function findAttributeErrors(
  name: string,
  field: Attribute,
  resource: ResourceDeclaration,
): string[] {
  const isReadOnly = field.access === 'read-only'
  if (isReadOnly && field.required)
    return ['.required: a read-only attribute cannot be required, because clients cannot send it']
  return [
    ...(field.kind.isReadOnly && !isReadOnly && resource.access !== 'read-only'
      ? [
          `.access: values of the kind ${field.kind.name} cannot be written; set access: "read-only"`,
        ]
      : []),
    ...findMatchErrors(field),
    ...(field.paths ? findPathErrors(field.kind, field.paths) : []),
    ...findSortErrors(field),
    ...findDefaultErrors(field),
    ...(isReadOnly && field.validate
      ? ['.validate: has no effect, because clients cannot send a read-only attribute; remove it']
      : []),
    ...(writesColumn(field, resource) ? findWrittenColumnErrors(name, field.column, resource) : []),
  ]
}

function findSortErrors({
  kind,
  sort,
}: Readonly<{ kind: Kind<unknown>; sort?: boolean }>): string[] {
  return sort && !isSortable(kind)
    ? [`.sort: values of the kind ${kind.name} cannot be sorted`]
    : []
}

/** Checks the declaration of a text index. */
function findMatchErrors({ kind, match }: Attribute): string[] {
  if (match === undefined) return []
  if (kind.operators !== 'textual')
    return [`.match: only texts have the operator "match"; this has the kind ${kind.name}`]
  return match.fts === undefined && match.tsvector === undefined
    ? ['.match: must have "fts", an FTS5 table, or "tsvector", a column of this type']
    : []
}

/** Checks a constant default; a function is first called when a resource is created. */
function findDefaultErrors({ kind, default: value, ...field }: Attribute): string[] {
  if (value === undefined || typeof value === 'function') return []
  if (value === null) {
    if (resolveNullability(field).acceptsNull) return []
    const reason = field.required ? 'is required' : 'has nullable: false'
    return [`.default: must not be null, because the attribute ${reason}`]
  }
  const result = kind.readBody(value)
  return 'value' in result ? [] : [`.default: must be ${result.expected}; it is ${quote(value)}`]
}

function findRelationshipErrors(
  name: string,
  field: Extract<FieldDeclaration, { is: 'toOne' | 'toMany' }>,
  resource: ResourceDeclaration,
  tenantColumn: string | undefined,
): string[] {
  if ('through' in field) return findJoinTableErrors(field.through)
  if (field.is === 'toMany') return []
  const { required = false, nullable = true } = field
  if (field.foreignKey === 'other')
    return required || !nullable
      ? [
          `.${required ? 'required' : 'nullable'}: the foreign key is in the other table; set it for the relationship of ${field.to}`,
        ]
      : []
  if (field.access === 'read-only' && required)
    return ['.required: a read-only relationship cannot be required; set nullable: false']
  return writesColumn(field, resource)
    ? findWrittenColumnErrors(name, field.column, resource, tenantColumn)
    : []
}

function findJoinTableErrors({ from, to }: JoinTable): string[] {
  const [isFrom, isTo] = [toList(from), toList(to)].map((columns) => columns.join('", "'))
  return isFrom === isTo ? [`.through.to: must differ from "from"; both are "${isTo}"`] : []
}

/** Reports columns that a computed field reads as another kind than another field does. */
function findComputedErrors(
  name: string,
  field: Computed,
  resource: ResourceDeclaration,
): string[] {
  const readers = listColumnReaders(name, resource)
  return Object.entries(field.columns).flatMap(([column, { kind }]) =>
    readers
      .filter((reader) => reader.column === column && reader.kind.comparesAs !== kind.comparesAs)
      .map(
        (reader) =>
          `.columns.${column}: has the kind ${kind.name} here but ${reader.kind.name} in the field "${reader.field}"`,
      ),
  )
}

/** A field that reads a column, and the kind with which it does. */
interface ColumnReader {
  readonly field: string
  readonly column: string | undefined
  readonly kind: Kind<unknown>
}

/** Reports columns that are read as two kinds of the program with one name: what is compiled for a kind is found by its name. */
function findSameNames(resource: ResourceDeclaration): string[] {
  const readers = listColumnReaders(undefined, resource)
  return readers.flatMap(({ field, column, kind: { codec, name } }, index) => {
    const other = readers
      .slice(0, index)
      .find(
        (each) =>
          each.column === column &&
          each.kind.codec !== codec &&
          describeCodec(each.kind.codec) === describeCodec(codec),
      )
    return other === undefined
      ? []
      : [
          `${resource.type}.fields.${field}.kind: reads the column "${column}" as another kind than "${other.field}" does, but both have the name ${name}; give each kind a name of its own`,
        ]
  })
}

/** Returns the columns that the attributes of a type read, and those of the computed fields declared before a field, or of all. */
function listColumnReaders(
  before: string | undefined,
  { fields }: ResourceDeclaration,
): ColumnReader[] {
  const entries = Object.entries(fields)
  const index =
    before === undefined ? entries.length : entries.findIndex(([name]) => name === before)
  return [
    ...entries.flatMap(([name, field]) =>
      field.is === 'attribute'
        ? [{ field: name, column: field.column ?? name, kind: field.kind }]
        : [],
    ),
    ...entries.slice(0, index).flatMap(([name, field]) =>
      field.is === 'computed'
        ? Object.entries(field.columns).map(([column, { kind }]) => ({
            field: name,
            column,
            kind,
          }))
        : [],
    ),
  ]
}

/** Options that need a table, or resources that have an id without arguments. */
const excluded = ['schema', 'softDelete', 'insertDefaults', 'queries', 'actions'] as const

/** Checks a type whose rows a table function returns. @param findNameErrors - checks the name of a field */
function findTableFunctionErrors(
  resource: ResourceDeclaration,
  findNameErrors: (name: string) => readonly string[],
): string[] {
  const { type, table, access, fields } = resource
  if (typeof table === 'string') return []
  const isReadOnly =
    access === 'read-only' || (typeof access === 'object' && isNeverWritten(access))
  const parameters = Object.keys(table.parameters).flatMap((name) => {
    const location = `${type}.table.parameters.${name}`
    const errors = Object.hasOwn(fields, name)
      ? [`a field has the name "${name}"; rename one of them`]
      : findNameErrors(name)
    return errors.map((error) => `${location}: ${error}`)
  })
  return [
    ...(isReadOnly
      ? []
      : [
          `${type}.access: the rows of a table function cannot be written; set access: "read-only"`,
        ]),
    ...excluded
      .filter((option) => resource[option] !== undefined)
      .map((option) => `${type}.${option}: not allowed with a table function; remove it`),
    ...parameters,
  ]
}

/** Whether an id has several columns: its own, and those of the arguments of a table function. */
function hasCompositeId(resource: ResourceDeclaration): boolean {
  const { table } = resource
  const count = typeof table === 'string' ? 0 : Object.keys(table.parameters).length
  return count + resolveIdOptions(resource).parts.length > 1
}

/** Checks the options of a resource type that concern versions and caches, as far as that needs no database. */
function findVersionErrors(
  { type, version, cache, access, tenant, fields }: ResourceDeclaration,
  { hasTenant }: Readonly<{ hasTenant: boolean }>,
): string[] {
  const errors: string[] = []
  const column = typeof version === 'string' ? version : version?.column
  if (column !== undefined && column !== 'content') {
    const reveals = typeof version === 'object' && version.reveals === true
    const ruled = Object.entries(fields).find(([, field]) => isRuled(field))
    if (ruled && !reveals)
      errors.push(
        `${type}.version: the column "${column}" also changes with the field "${ruled[0]}", which not everybody may read; remove it, or set version: { column: "${column}", reveals: true }`,
      )
    const written = Object.entries(fields).find(
      ([name, field]) =>
        field.is === 'attribute' &&
        (field.column ?? name) === column &&
        field.access !== 'read-only',
    )
    if (written)
      errors.push(
        `${type}.fields.${written[0]}.access: must be "read-only", because its column is the version of the type`,
      )
  }
  const isPublic = cache?.public === true
  if (isPublic && (typeof access === 'object' || (hasTenant && tenant !== false)))
    errors.push(
      `${type}.cache.public: not allowed with ${typeof access === 'object' ? 'access rules' : 'a tenant'}, because a shared cache would give the response to another user; remove it`,
    )
  return errors
}

function isRuled({ readable }: FieldDeclaration): boolean {
  return readable !== undefined && readable !== true
}
