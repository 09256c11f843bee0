import type { Kind } from '../../model/kinds/kinds.ts'
import {
  type AttributeField,
  findInverse,
  getRelationship,
  getResourceType,
  listRelationships,
  type RelationshipField,
  type ResourceType,
} from '../../model/model.ts'
import { resolveModelRules } from '../../plan/access/access-shapes.ts'
import type { RowRules, TypeRules } from '../../plan/access/identity.ts'
import { type RuleKey, toRulePath } from '../../plan/access/rule-key.ts'
import { listConditions, type RowCondition } from '../../plan/access/rules.ts'
import type { WriteOperation, WriteShape } from '../../plan/write.ts'
import { isInRow, type LinkChange, type WriteColumn } from '../../plan/write-builder.ts'
import { createStatementsByRules } from '../../sql/access/restrict.ts'
import type { RunValues, Statement } from '../../sql/statement.ts'
import { createStatements, type Statements } from '../../sql/statements.ts'
import type { Target } from '../../sql/tables.ts'

// The statements of writes, so that the start finds those which the database refuses. A plan depends on the values: Citus sends a row to
// the server that its key shows. An id is always one of them, because the plan of an insert that generates it takes it from its sequence.

/** The statements of one kind of write. */
export interface RefusableWrite {
  /** The type whose rows it writes. */
  readonly resource: ResourceType
  /** The relationship or the attribute that it writes; `undefined` for all attributes. */
  readonly field: string | undefined
  readonly name: string
  readonly statements: readonly Statement[]
  readonly values: RunValues
  /** The same write of each field by itself, to name the one that the database refuses. */
  readonly ofFields: readonly RefusableWrite[]
}

/**
 * Lists the writes of a model with their statements.
 * @param isRefused - whether the database refuses the SQL of a rule, by its path: then it refuses every statement with the rule
 */
export function listRefusableWrites(
  target: Target,
  isRefused: (path: string) => boolean,
): readonly RefusableWrite[] {
  const statementsOf = createStatementsByRules(createStatements(target), (restricted) =>
    createStatements(restricted),
  )
  const statements = statementsOf({ rules: combineRules(target, isRefused), auth: undefined })
  const { model } = statements.target
  return [...model.types.values()].flatMap((resource) => listWrites({ resource, statements }))
}

/** Returns rules with every condition of each declared one, whatever an identity decides. */
function combineRules({ model }: Target, isRefused: (path: string) => boolean): RowRules {
  const types = new Map<string, TypeRules>()
  for (const [type, resolved] of resolveModelRules(model)) {
    const rules = new Map<RuleKey, RowCondition>()
    for (const [key, rule] of resolved) {
      const of = listConditions(rule)
      if (of.length > 0 && !isRefused(toRulePath(type, key))) rules.set(key, { is: 'all', of })
    }
    if (rules.size > 0) types.set(type, rules)
  }
  return { types, hiddenFields: new Map() }
}

/** A type, and the statements of its writes. */
interface WriteContext {
  readonly resource: ResourceType
  readonly statements: Statements
}

function listWrites(context: WriteContext): readonly RefusableWrite[] {
  const { resource } = context
  if (!resource.isWritable) return []
  const updated = listAttributes(resource).filter(({ isImmutable }) => !isImmutable)
  return [
    planCreate(context),
    planUpdate(updated, context),
    planDeletion(context),
    ...listRelationships(resource).flatMap((field) => [
      ...listLinkWrites(field, context),
      ...listRelatedCreates(field, context),
    ]),
  ]
}

function planCreate(context: WriteContext): RefusableWrite {
  const { resource } = context
  const shape = createShape(resource, 'newWithId', listNewColumns(resource))
  return planWrite({ name: 'a create', operation: 'create', shape }, context)
}

function planUpdate(attributes: readonly AttributeField[], context: WriteContext): RefusableWrite {
  const update = (fields: readonly AttributeField[], field?: string) => {
    const columns = fields.map(({ name }) => ({ is: 'attribute', name }) as const)
    const shape = createShape(context.resource, 'existing', columns)
    return planWrite({ name: 'an update', operation: 'update', shape, field }, context)
  }
  return { ...update(attributes), ofFields: attributes.map((each) => update([each], each.name)) }
}

function planDeletion(context: WriteContext): RefusableWrite {
  const { resource, statements } = context
  const shape = createShape(resource, 'existing', [])
  const write = planWrite({ name: 'a deletion', operation: 'delete', shape }, context)
  const { removals, lock } = statements.ofType(resource.type)
  return { ...write, statements: [lock('update'), ...write.statements, removals.remove] }
}

/** Lists the changes of a relationship, at its own address and in an update. */
function listLinkWrites(field: RelationshipField, context: WriteContext): RefusableWrite[] {
  const { name, many, isWritable, isImmutable } = field
  if (!isWritable || isImmutable) return []
  const { resource, statements } = context
  // A part of a composite id cannot change.
  const omits = resource.id.parts.length > 1 ? resource.id.columns : []
  const shapeOf = (change: LinkChange['change']) =>
    isInRow(field) && change !== 'remove'
      ? createShape(resource, 'existing', [{ is: 'key', relationship: name, omits }])
      : createShape(resource, 'existing', [], [{ relationship: name, change }])
  const changes = many ? (['add', 'remove', 'replace'] as const) : (['replace', 'remove'] as const)
  return changes.flatMap((change) => {
    const options = { name: 'a write', operation: 'relate', field: name, to: field.to } as const
    const write = planWrite({ ...options, shape: shapeOf(change) }, context)
    const { lookup } = statements.ofType(field.to)
    const locks = statements.memberLocks(resource.type, name)
    const planned = { ...write, statements: [lookup, ...locks, ...write.statements] }
    // The planner leaves out what a value does not need.
    const values = { ...write.values, planValues: [null] }
    return isInRow(field) && field.acceptsNull ? [planned, { ...planned, values }] : [planned]
  })
}

/** Lists the creates at the address of a relationship of which only the type in the path knows. */
function listRelatedCreates(
  field: RelationshipField,
  { resource, statements }: WriteContext,
): RefusableWrite[] {
  const { model } = statements.target
  const other = getResourceType(model, field.to)
  const isOwn = field.link.foreignKey === 'own'
  if (isOwn || !field.isWritable || !other.isWritable || findInverse(model, resource, field))
    return []
  const parent = { type: resource.type, relationship: field.name }
  const columns = listNewColumns(other)
  const shape =
    field.link.foreignKey === 'join table'
      ? { ...createShape(other, 'newWithId', columns), parent }
      : createShape(other, 'newWithId', [...columns, { is: 'parent', ...parent }])
  const context = { resource: other, statements }
  const options = { name: 'a create', operation: 'create', to: resource.type } as const
  const write = planWrite({ ...options, shape }, context)
  return [{ ...write, resource, field: field.name, name: 'a create at the address' }]
}

function createShape(
  { type }: ResourceType,
  row: WriteShape['row'],
  columns: readonly WriteColumn[],
  links: readonly LinkChange[] = [],
): WriteShape {
  return { type, row, columns, links, parent: undefined }
}

/** Lists the attributes that clients write and that are no part of the id. */
function listAttributes({ fields, id }: ResourceType): AttributeField[] {
  return [...fields.values()].flatMap((field) =>
    field.is === 'attribute' &&
    field.isWritable &&
    field.column !== undefined &&
    !id.columns.includes(field.column)
      ? [field]
      : [],
  )
}

/** Lists the columns of a create with all of its attributes and own keys. */
function listNewColumns(resource: ResourceType): WriteColumn[] {
  const keys = listRelationships(resource).filter((field) => field.isWritable && isInRow(field))
  const omits = resource.id.columns
  return [
    ...listAttributes(resource).map(({ name }) => ({ is: 'attribute', name }) as const),
    ...keys.map(({ name }) => ({ is: 'key', relationship: name, omits }) as const),
  ]
}

/** What a write is planned from. */
interface WriteOptions extends Pick<RefusableWrite, 'name'> {
  readonly operation: WriteOperation
  readonly shape: WriteShape
  readonly field?: string | undefined
  /** The type of its members, or of the resource in its path. */
  readonly to?: string
}

function planWrite(options: WriteOptions, { resource, statements }: WriteContext): RefusableWrite {
  const { name, operation, shape, field, to = resource.type } = options
  const { model } = statements.target
  const id = sampleId(resource)
  const row = shape.columns.map((column) => sampleColumn(column, resource, statements.target))
  return {
    ...{ resource, field, name, ofFields: [] },
    statements: listStatements(shape, operation, statements),
    // Those of an insert of two rows; any other statement takes the first ones.
    values: {
      planValues: [...row, id, ...row, id],
      id,
      ids: [sampleId(getResourceType(model, to))],
      versions: [''],
    },
  }
}

function listStatements(
  shape: WriteShape,
  operation: WriteOperation,
  statements: Statements,
): Statement[] {
  const { insert, update, denied, links, parent } = statements.write(shape)
  const { exists, lock } = statements.ofType(shape.type)
  const plan = { requested: shape, operation }
  const { locks = [], before = [], after = [] } = statements.checks?.(plan) ?? {}
  const members = shape.links.flatMap((_, index) => statements.memberChecks(plan, index))
  const checks = [...locks, ...before, ...after, ...members, ...denied]
  const many = insert && statements.inserts.get(2)?.(shape)
  return [
    ...(insert ? [insert] : [exists, lock('no key update')]),
    ...[many, update].filter((each) => each !== undefined),
    ...[...links.flat(), ...parent],
    ...[...statements.unlinkChecks(shape), ...checks].map(({ statement }) => statement),
  ]
}

function sampleColumn(column: WriteColumn, resource: ResourceType, { model }: Target): unknown {
  if (column.is === 'parent') return sampleId(getResourceType(model, column.type))
  if (column.is === 'key')
    return sampleId(getResourceType(model, getRelationship(resource, column.relationship).to))
  const field = resource.fields.get(column.name)
  return field?.is === 'attribute' ? sampleValue(field.kind) : null
}

function sampleId({ id }: ResourceType): string {
  return id.parts.map(({ kind }) => sampleValue(kind)).join()
}

/** Values of all kinds, in the order in which they are tried. */
const samples: readonly unknown[] = [
  ...['1', 1, true, '2000-01-01', '2000-01-01T00:00:00Z', '00:00:00', 'a', 'a@example.org'],
  ...['00000000-0000-4000-8000-000000000000', 'https://example.org', 'AA==', [], {}],
]

/** Returns a value of a kind; null for one that accepts no sample. */
function sampleValue({ readBody }: Kind<unknown>): unknown {
  for (const sample of samples) {
    const result = readBody(sample)
    if ('value' in result) return result.value
  }
  return null
}
