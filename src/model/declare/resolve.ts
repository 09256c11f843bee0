import { requireImmediate } from '../../errors/require-immediate.ts'
import { createIdKind, createSingleIdKind } from '../kinds/composite-ids.ts'
import { toIdKind } from '../kinds/id-kinds.ts'
import { toFilterName, toPathExpression, toPathKind } from '../kinds/json-paths.ts'
import { type Kind, kinds } from '../kinds/kinds.ts'
import { resolveNullability } from '../kinds/nullability.ts'
import { isSortable } from '../kinds/operators.ts'
import { isStoredFormat } from '../kinds/stored-formats.ts'
import type {
  AttributeField,
  Field,
  IdField,
  IdPart,
  KeyColumns,
  Link,
  ResourceType,
  Table,
} from '../model.ts'
import { sql } from '../sql.ts'
import { isWrittenByCreates } from '../written-fields.ts'
import {
  type FieldAccess,
  findTenantColumn,
  isNeverWritten,
  type LinkAccess,
  type TenantOptions,
} from './access.ts'
import type {
  Attribute,
  Expression,
  ExpressionField,
  FieldDeclaration,
  InvalidValues,
  JoinTable,
  KeyOptions,
  ToMany,
  ToOne,
} from './fields.ts'
import { combineHooks, type Hooks } from './hooks.ts'
import { listParameters } from './parameter.ts'
import type { ClientIds, PageOptions, ResourceDeclaration } from './resource.ts'
import { createArgumentKind, toArgumentColumn } from './table-function.ts'

/** The options of a model that its resource types depend on. */
interface ResolveOptions {
  readonly hooks?: Hooks | undefined
  readonly invalidValues?: InvalidValues | undefined
  readonly pages?: Partial<PageOptions> | undefined
  readonly tenant?: TenantOptions | undefined
  /** As `listForeignKeys` lists them. */
  readonly foreignKeys: ReadonlyMap<string, readonly string[]>
}

/** What the resolution of a field depends on. */
interface FieldContext {
  readonly declared: ResourceDeclaration
  readonly all: readonly ResourceDeclaration[]
  readonly invalidValues: InvalidValues
  /** The tenant of the model. */
  readonly tenant: TenantOptions | undefined
}

/**
 * Fills in the defaults of a declaration that passed all checks.
 * @param options - the hooks of every type, which run before those of this one, and the default of `invalidValues`
 */
export function resolveResource(
  declared: ResourceDeclaration,
  all: readonly ResourceDeclaration[],
  {
    hooks: modelHooks,
    invalidValues = 'error',
    pages,
    tenant: modelTenant,
    foreignKeys,
  }: ResolveOptions,
): ResourceType {
  const tenant = declared.tenant === false ? undefined : modelTenant
  const { parts: declaredParts, client } = resolveIdOptions(declared)
  const parts = addArguments(declared, declaredParts)
  const id = resolveIdField(parts)
  const context: FieldContext = { declared, all, invalidValues, tenant: modelTenant }
  const fields = Object.entries(declared.fields).map(
    ([name, field]) => [name, resolveField(name, field, context)] as const,
  )
  const insertDefaults: ResourceType['insertDefaults'] = [
    ...Object.entries(declared.insertDefaults ?? {}),
    ...(tenant ? [[tenant.column, tenant.value] as const] : []),
  ]
  const written = [
    ...fields.flatMap(([, field]) => listWrittenColumns(field)),
    ...(foreignKeys.get(declared.type) ?? []),
    ...insertDefaults.map(([column]) => column),
  ]
  return {
    type: declared.type,
    path: declared.path,
    table: resolveTable(declared),
    description: declared.description,
    id,
    ids: {
      fromClient: client ?? 'forbidden',
      generatedBy: id.kind.codec === 'uuidId' ? 'server' : 'database',
      generatedParts: parts.flatMap(({ column, kind }) =>
        parts.length > 1 && kind.codec === 'uuidId' && !written.includes(column) ? [column] : [],
      ),
    },
    scope: resolveScope(declared, tenant),
    tenantColumn: tenant?.column,
    hasDeclaredScope: declared.scope !== undefined,
    softDelete: declared.softDelete,
    databaseMessages: declared.databaseMessages ?? false,
    insertDefaults,
    isWritable: isWritable(declared),
    pages: { by: 'number', total: 'exact', ...pages, ...declared.pages },
    version: resolveVersion(declared),
    cache: declared.cache,
    showsVersions: declared.versions === 'always',
    requiresConditions: declared.conditions === 'required',
    requiresIdempotencyKey: declared.idempotency === 'required',
    validate: declared.validate,
    hooks: combineHooks(modelHooks, declared.hooks),
    actions: new Map(Object.entries(declared.actions ?? {})),
    queries: new Map(Object.entries(declared.queries ?? {})),
    fields: new Map(fields),
    ...(typeof declared.access === 'object' && { access: declared.access }),
  }
}

/** The column that a declaration names as the version of a row. */
function resolveVersion({ version = 'content' }: ResourceDeclaration): string | undefined {
  if (version === 'content') return undefined
  return typeof version === 'string' ? version : version.column
}

/** The columns of its own table that a field writes. */
function listWrittenColumns(field: Field): readonly string[] {
  if (field.is === 'computed') return []
  if (field.is === 'relationship')
    return isWrittenByCreates(field) && field.link.foreignKey === 'own' ? field.link.ownKey : []
  const isWritten = isWrittenByCreates(field) || field.makeDefault !== undefined
  return isWritten && field.column !== undefined ? [field.column] : []
}

/** Lists by type the columns in its table by which relationships of all types link it. */
export function listForeignKeys(
  all: readonly ResourceDeclaration[],
): ReadonlyMap<string, readonly string[]> {
  const keys = all.flatMap(({ fields }) =>
    Object.values(fields).flatMap((field) => {
      if ((field.is !== 'toMany' && field.is !== 'toOne') || 'through' in field) return []
      const isOther = field.is === 'toMany' || field.foreignKey === 'other'
      return isOther ? toList(field.column).map((column) => [field.to, column] as const) : []
    }),
  )
  const byType = Map.groupBy(keys, ([type]) => type)
  return new Map([...byType].map(([type, group]) => [type, group.map(([, column]) => column)]))
}

/** Whether clients can create, update or delete resources of a type. */
function isWritable({ access }: ResourceDeclaration): boolean {
  return typeof access === 'object' ? !isNeverWritten(access) : access !== 'read-only'
}

/** The rows that belong to a type: those of its declared scope and of the tenant that are not deleted. */
function resolveScope(
  { scope, softDelete }: ResourceDeclaration,
  tenant: TenantOptions | undefined,
): Expression | undefined {
  const conditions: Expression[] = [
    ...(scope ? [scope] : []),
    ...(softDelete === undefined ? [] : [(column: Column) => sql`${column(softDelete)} is null`]),
    ...(tenant ? [(column: Column) => sql`${column(tenant.column)} = ${tenant.value}`] : []),
  ]
  const [first, ...others] = conditions
  if (first === undefined || others.length === 0) return first
  return (column) =>
    sql.join(
      conditions.map((condition, index) =>
        index === 0 && scope ? sql`(${condition(column)})` : condition(column),
      ),
      sql.raw(' and '),
    )
}

type Column = Parameters<Expression>[0]

/** The resolved options of a type's ids. */
interface ResolvedIdOptions {
  readonly parts: IdField['parts']
  readonly client: ClientIds
}

/** Resolves the options of a type's ids. A list of kinds that is too short is reported elsewhere, and padded here. */
export function resolveIdOptions({ id }: ResourceDeclaration): ResolvedIdOptions {
  const isColumns = typeof id === 'string' || isList(id)
  const { column = 'id', kind = kinds.id, client } = (isColumns ? { column: id } : id) ?? {}
  const toPart = (name: string, index: number): IdPart => ({
    column: name,
    kind: toIdKind(isList(kind) ? kind[index] : kind),
  })
  const [first = 'id', ...others] = toList(column)
  return { parts: [toPart(first, 0), ...others.map((name, at) => toPart(name, at + 1))], client }
}

/** The columns of an option that is a column or a list of columns. */
export function toList(columns: string | readonly string[]): readonly string[] {
  return isList(columns) ? columns : [columns]
}

/** `Array.isArray` does not narrow readonly arrays. */
function isList<List extends readonly unknown[]>(value: unknown | List): value is List {
  return Array.isArray(value)
}

/** Returns the columns of an id or of a foreign key, which are not empty once the declaration is checked. */
function toKey(columns: string | readonly string[]): KeyColumns {
  const [first = '', ...others] = toList(columns)
  return [first, ...others]
}

function toTable({ schema, table }: JoinTable): Table {
  return { schema, name: table }
}

function resolveIdField(parts: IdField['parts']): IdField {
  const [{ column, kind }, ...others] = parts
  const isComposite = others.length > 0
  const columns: KeyColumns = [column, ...others.map((part) => part.column)]
  return {
    is: 'attribute',
    name: 'id',
    description: undefined,
    kind: isComposite ? createIdKind(parts) : createSingleIdKind({ column, kind }),
    column: isComposite ? undefined : column,
    columns,
    parts,
    expression: isComposite
      ? (columnOf) => sql`(${sql.join(columns.map(columnOf))})`
      : columnExpression(column),
    ...resolveNullability({ required: true }),
    isReadable: true,
    isWritable: false,
    isImmutable: false,
    isFilterable: true,
    isSortable: true,
    makeDefault: undefined,
    validate: undefined,
    invalidValues: 'error',
  }
}

const columnExpression =
  (name: string): Expression =>
  (column) =>
    column(name)

function resolveField(
  name: string,
  field: FieldDeclaration,
  { declared, all, invalidValues, tenant }: FieldContext,
): Field {
  switch (field.is) {
    case 'attribute':
      return resolveAttribute(name, field, invalidValues)
    case 'expression':
      return resolveExpression(name, field, invalidValues)
    case 'computed':
      return {
        is: 'computed',
        name,
        description: field.description,
        kind: field.kind,
        columns: Object.entries(field.columns),
        compute: field.compute,
        neverThrows: field.neverThrows ?? false,
        invalidValues,
        ...resolveFieldRules(field),
      }
    case 'toOne':
    case 'toMany':
      return {
        is: 'relationship',
        name,
        description: field.description,
        many: field.is === 'toMany',
        to: field.to,
        link: resolveLink(field, declared, all),
        isWritable: isWritable(declared) && field.access !== 'read-only',
        isImmutable: isImmutable(field),
        isPartOfIds: isPartOfIds(field, all, tenant),
        ...resolveNullability(field.is === 'toOne' ? field : {}),
        isCounted: field.is === 'toMany' && field.count === true,
        ...('include' in field && field.include && { include: field.include }),
        isEnforced: field.is === 'toOne' ? field.enforced : undefined,
        ...('set' in field && field.set && { set: field.set }),
        ...resolveLinkRules(field),
        ...resolveFieldRules(field),
      }
  }
}

/** Whether only a create can set a field. One that the server sets keeps its value, unless the declaration states another access. */
function isImmutable(field: Attribute | ToOne | ToMany): boolean {
  const isSet = 'set' in field && field.set !== undefined
  return field.access === 'immutable' || (isSet && field.access === undefined)
}

/** Whether the composite id of the related type contains the foreign key in its table, or all of it but the tenant. */
export function isPartOfIds(
  field: Extract<FieldDeclaration, { is: 'toOne' | 'toMany' }>,
  all: readonly ResourceDeclaration[],
  tenant: TenantOptions | undefined,
): boolean {
  const target = all.find(({ type }) => type === field.to)
  const isOther = field.is === 'toMany' || field.foreignKey === 'other'
  if (target === undefined || 'through' in field || !isOther) return false
  const { parts } = resolveIdOptions(target)
  const kept = [...parts.map(({ column }) => column), findTenantColumn(target, tenant)]
  return parts.length > 1 && toList(field.column).every((name) => kept.includes(name))
}

function resolveLink(
  field: Extract<FieldDeclaration, { is: 'toOne' | 'toMany' }>,
  declared: ResourceDeclaration,
  all: readonly ResourceDeclaration[],
): Link {
  const target = all.find(({ type }) => type === field.to)
  const ownId = toIdColumns(declared)
  const otherId = target ? toIdColumns(target) : (['id'] as const)
  if ('through' in field)
    return {
      foreignKey: 'join table',
      ownKey: ownId,
      otherKey: otherId,
      joinTable: toTable(field.through),
      from: toKey(field.through.from),
      to: toKey(field.through.to),
    }
  const isOwn = field.is === 'toOne' && field.foreignKey !== 'other'
  const { key, referenced } = alignKeys(field, isOwn ? otherId : ownId)
  return isOwn
    ? { foreignKey: 'own', ownKey: key, otherKey: referenced }
    : { foreignKey: 'other', ownKey: referenced, otherKey: key }
}

function toIdColumns(declared: ResourceDeclaration): KeyColumns {
  const [first, ...others] = resolveIdOptions(declared).parts
  return [first.column, ...others.map(({ column }) => column)]
}

/** Returns a foreign key and the columns that it references. If these are the id in another order, both follow the id. */
function alignKeys(
  { column, references }: KeyOptions,
  id: KeyColumns,
): Readonly<{ key: KeyColumns; referenced: KeyColumns }> {
  const key = toKey(column)
  if (references === undefined) return { key, referenced: id }
  const referenced = toKey(references)
  const order = id.map((name) => referenced.indexOf(name))
  const isId = id.length === referenced.length && !order.includes(-1)
  return isId
    ? { key: toKey(order.map((at) => key[at] ?? '')), referenced: id }
    : { key, referenced }
}

function resolveAttribute(
  name: string,
  field: Attribute,
  invalidValues: InvalidValues,
): AttributeField {
  const access = field.access ?? 'read-write'
  const isReadable = access !== 'write-only'
  const column = field.column ?? name
  return {
    is: 'attribute',
    name,
    description: field.description,
    kind: field.kind,
    column,
    expression: columnExpression(column),
    ...resolveNullability(field),
    isReadable,
    isWritable: access !== 'read-only',
    isImmutable: isImmutable(field),
    isFilterable: field.filter ?? isReadable,
    isSortable: field.sort ?? (isReadable && isSortable(field.kind)),
    makeDefault: resolveDefault(field.default),
    validate: field.validate,
    invalidValues: field.invalidValues ?? invalidValues,
    ...(field.match && { match: field.match }),
    ...(field.paths && { paths: resolvePaths(name, column, field) }),
    ...(field.set && { set: field.set }),
    ...resolveFieldRules(field),
  }
}

function resolveExpression(
  name: string,
  field: ExpressionField,
  invalidValues: InvalidValues,
): AttributeField {
  return {
    is: 'attribute',
    name,
    description: field.description,
    kind: field.kind,
    column: undefined,
    // The parentheses make it one operand of a comparison.
    expression: (column) => sql`(${field.expression(column)})`,
    ...resolveNullability({}),
    isReadable: true,
    isWritable: false,
    isImmutable: false,
    isFilterable: field.filter ?? true,
    isSortable: field.sort ?? isSortable(field.kind),
    makeDefault: undefined,
    validate: undefined,
    invalidValues: field.invalidValues ?? invalidValues,
    ...resolveFieldRules(field),
  }
}

function resolveDefault(value: unknown): (() => unknown) | undefined {
  if (value === undefined) return undefined
  if (typeof value !== 'function') return () => value
  // A function creates the value: no kind has functions as values.
  return () => requireImmediate((value as () => unknown)(), 'The function of a default')
}

/**
 * Resolves the values inside JSON by which clients can filter and sort, by their names in filters. Whether clients can filter by them
 * depends on the attribute.
 * @param column - the column of the attribute
 */
function resolvePaths(
  name: string,
  column: string,
  { paths = {}, access, sort }: Attribute,
): ReadonlyMap<string, AttributeField> {
  const entries = Object.entries(paths).map(([path, declared]) => {
    const filterName = toFilterName(name, path)
    const kind = toPathKind(declared)
    const field: AttributeField = {
      is: 'attribute',
      name: filterName,
      description: undefined,
      kind,
      column: undefined,
      expression: toPathExpression(column, path, declared),
      ...resolveNullability({}),
      isReadable: false,
      isWritable: false,
      isImmutable: false,
      isFilterable: true,
      isSortable: sort ?? (access !== 'write-only' && isSortable(kind)),
      makeDefault: undefined,
      validate: undefined,
      invalidValues: isStoredFormatOf(kind) ? 'null' : 'error',
    }
    return [filterName, field] as const
  })
  return new Map(entries)
}

/** Only the texts of a format have to be checked: a path reads no value of other kinds from JSON of another type. */
function isStoredFormatOf({ codec }: Kind<unknown>): boolean {
  return typeof codec === 'string' && isStoredFormat(codec)
}

/** Resolves the rules of a field; no member for a field without rules. */
function resolveFieldRules({
  readable,
  writable,
  filterable,
  sortable,
}: FieldAccess): Readonly<{ access?: FieldAccess }> {
  const rules = { readable, writable, filterable, sortable }
  const declared = Object.entries(rules).filter(([, rule]) => rule !== undefined)
  return declared.length === 0 ? {} : { access: Object.fromEntries(declared) }
}

/** Resolves the rules for the links of a relationship; no member for one without rules. */
function resolveLinkRules({ link, unlink }: LinkAccess): Readonly<{ linkRules?: LinkAccess }> {
  if (link === undefined && unlink === undefined) return {}
  return {
    linkRules: { ...(link !== undefined && { link }), ...(unlink !== undefined && { unlink }) },
  }
}

/** The table of a type. A table function has the name of the type, with parentheses, so that no table of the catalog is taken for it. */
function resolveTable({ type, schema, table }: ResourceDeclaration): Table {
  if (typeof table === 'string') return { schema, name: table }
  return { schema: undefined, name: `${type}()`, call: table }
}

/** Adds the arguments of a table function to the columns of an id: other arguments give other resources. */
function addArguments(
  { table }: ResourceDeclaration,
  [first, ...others]: IdField['parts'],
): IdField['parts'] {
  if (typeof table === 'string') return [first, ...others]
  const added = listParameters(table.parameters).map(
    ([name, parameter]): IdPart => ({
      column: toArgumentColumn(name),
      kind: createArgumentKind(parameter),
    }),
  )
  const [start = first, ...rest] = [...added, first, ...others]
  return [start, ...rest]
}
