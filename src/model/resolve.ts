import { sql } from './dialect.ts'
import type { Attribute, Expression, ExpressionField, FieldDeclaration } from './fields.ts'
import { type Kind, kinds } from './kinds.ts'
import type { AttributeField, Field, Link, ResourceType, Table } from './model.ts'
import type { IdOptions, ResourceDeclaration } from './resource.ts'

type Declared = ResourceDeclaration

/** Fills in everything that a declaration leaves to its defaults. The declarations are known to hold together. */
export function settledResource(declared: Declared, all: readonly Declared[]): ResourceType {
  const id = idOptions(declared)
  const fields = Object.entries(declared.fields).map(
    ([name, field]) => [name, settledField(name, field, declared, all)] as const,
  )
  return {
    type: declared.type,
    path: declared.path,
    table: tableOf(declared),
    description: declared.description,
    id: idField(id),
    ids: { client: id.client ?? 'refused', by: id.kind.form === 'uuidId' ? 'server' : 'database' },
    where: declared.where,
    newRows: Object.entries(declared.newRows ?? {}),
    writes: declared.access !== 'read-only',
    validate: declared.validate,
    hooks: declared.hooks ?? {},
    fields: new Map(fields),
  }
}

/** All that a declaration says of its ids, and the column at least. */
export function idOptions({
  id,
}: Declared): IdOptions & Required<Pick<IdOptions, 'column' | 'kind'>> {
  const options = typeof id === 'string' ? { column: id } : id
  const { kind = kinds.id, ...others } = options ?? {}
  // UUIDs that are ids are looked for by an index, so in the one spelling that the server gives them.
  return {
    column: 'id',
    ...others,
    kind: kind.form === 'uuid' ? { ...kind, form: 'uuidId' } : kind,
  }
}

function tableOf({ schema, table }: Pick<Declared, 'schema' | 'table'>): Table {
  return { schema, name: table }
}

function idField({
  column,
  kind,
}: Readonly<{ column: string; kind: Kind<string> }>): ResourceType['id'] {
  return {
    is: 'attribute',
    name: 'id',
    kind,
    column,
    expression: theColumn(column),
    required: true,
    reads: true,
    writes: false,
    isFixed: false,
    filters: true,
    sorts: true,
    makeDefault: undefined,
    validate: undefined,
  }
}

const theColumn =
  (name: string): Expression =>
  (column) =>
    column(name)

function settledField(
  name: string,
  field: FieldDeclaration,
  declared: Declared,
  all: readonly Declared[],
): Field {
  switch (field.is) {
    case 'attribute':
      return attributeField(name, field)
    case 'expression':
      return expressionField(name, field)
    case 'computed':
      return {
        is: 'computed',
        name,
        kind: field.kind,
        columns: Object.entries(field.columns),
        compute: field.compute,
      }
    case 'toOne':
    case 'toMany':
      return {
        is: 'relationship',
        name,
        many: field.is === 'toMany',
        to: field.to,
        link: linkOf(field, declared, all),
        writes: declared.access !== 'read-only' && field.access !== 'read-only',
      }
  }
}

function linkOf(
  field: Extract<FieldDeclaration, { is: 'toOne' | 'toMany' }>,
  declared: Declared,
  all: readonly Declared[],
): Link {
  const target = all.find(({ type }) => type === field.to)
  const ownId = idOptions(declared).column
  const theirId = target ? idOptions(target).column : 'id'
  if ('through' in field) {
    const { from, to } = field.through
    return { key: 'between', here: ownId, there: theirId, table: tableOf(field.through), from, to }
  }
  const { column, references } = field
  return field.is === 'toOne' && field.key !== 'there'
    ? { key: 'here', here: column, there: references ?? theirId }
    : { key: 'there', here: references ?? ownId, there: column }
}

function attributeField(name: string, field: Attribute): AttributeField {
  const access = field.access ?? 'read-write'
  const reads = access !== 'write-only'
  const column = field.column ?? name
  return {
    is: 'attribute',
    name,
    kind: field.kind,
    column,
    expression: theColumn(column),
    required: field.required ?? false,
    reads,
    writes: access !== 'read-only',
    isFixed: access === 'write-once',
    filters: field.filter ?? reads,
    sorts: field.sort ?? (reads && hasOrder(field.kind)),
    makeDefault: makerOf(field.default),
    validate: field.validate,
  }
}

function expressionField(name: string, field: ExpressionField): AttributeField {
  return {
    is: 'attribute',
    name,
    kind: field.kind,
    column: undefined,
    // Whatever it is made of, it is one operand where it is compared.
    expression: (column) => sql`(${field.expression(column)})`,
    required: false,
    reads: true,
    writes: false,
    isFixed: false,
    filters: field.filter ?? true,
    sorts: field.sort ?? hasOrder(field.kind),
    makeDefault: undefined,
    validate: undefined,
  }
}

/** Values of an opaque kind have no order. */
function hasOrder(kind: Kind<unknown>): boolean {
  return kind.operators !== 'opaque'
}

function makerOf(value: unknown): (() => unknown) | undefined {
  if (value === undefined) return undefined
  // A function makes the value: no kind's values are functions themselves.
  return typeof value === 'function' ? (value as () => unknown) : () => value
}
