import {
  getRelationship,
  getResourceType,
  listRelationships,
  type ResourceType,
  type Table,
} from '../../model/model.ts'
import { findRowCondition } from '../../plan/access/identity.ts'
import type { RowCondition } from '../../plan/access/rules.ts'
import {
  collectConditions,
  findAffectedTypes,
  followPath,
  listSelections,
} from '../../plan/affected-types.ts'
import type { Condition } from '../../plan/filter/condition.ts'
import type { ReadShape } from '../../plan/read.ts'
import type { RowLayout } from '../../plan/row-layout.ts'
import { getAttribute, type Target } from '../tables.ts'

/**
 * Lists the tables that determine the number of resources of a list; a table may occur more than once. Those of the access rules of
 * the target are among them.
 * @returns `undefined` if the SQL of a declaration is involved, which may depend on the time or on anything else
 */
export function countedTables(shape: ReadShape, target: Target): readonly Table[] | undefined {
  const read = new ReadTables(target)
  const resource = getResourceType(target.model, shape.type)
  read.addType(resource)
  if (shape.addressed.is === 'related') {
    const parent = getResourceType(target.model, shape.addressed.type)
    read.addType(parent)
    read.follow(parent, shape.addressed.relationship)
  }
  read.addCondition(shape.where, resource)
  return read.usesColumnsOnly ? read.tables : undefined
}

/**
 * Whether a document shows nothing but rows of ordinary tables, so that it stays the same until a transaction is committed: no SQL of a
 * declaration, no computed field and no view, which may depend on the time or on anything else.
 */
export function showsRowsOnly(shape: ReadShape, target: Target): boolean {
  const { model, facts } = target
  const read = new ReadTables(target)
  for (const resource of findAffectedTypes({ shape }, model)) {
    read.addType(resource)
    for (const { name } of listRelationships(resource)) read.follow(resource, name)
  }
  for (const { resource, where, order } of listSelections(shape, model)) {
    read.addCondition(where, resource)
    for (const { path, field, isCount } of order) {
      const last = followPath(path, resource, model).at(-1) ?? resource
      if (!isCount) read.addField(last, field)
    }
  }
  for (const layout of [shape.primary, ...shape.included]) read.addLayout(layout)
  return read.usesColumnsOnly && read.tables.every(facts.isOrdinary)
}

/** The tables of a read, as far as its parts were added. */
class ReadTables {
  readonly tables: Table[] = []
  usesColumnsOnly = true
  readonly #target: Target

  constructor(target: Target) {
    this.#target = target
  }

  /** Adds the rows of a type: those of its scope that the rules of the target let a request read. */
  addType({ type, table, hasDeclaredScope }: ResourceType): void {
    this.tables.push(table)
    if (hasDeclaredScope || table.call) this.usesColumnsOnly = false
    const { access } = this.#target
    if (access)
      this.#addRule(findRowCondition(access.rules, type, 'read'), type, access.unrestricted)
  }

  /** Adds the related rows of a relationship. */
  follow(from: ResourceType, relationship: string): void {
    const { link, to } = getRelationship(from, relationship)
    this.addType(getResourceType(this.#target.model, to))
    if (link.foreignKey === 'join table') this.tables.push(link.joinTable)
  }

  /** Adds a condition on the rows of a type, and the rows of other types that it reads. */
  addCondition(root: Condition | undefined, resource: ResourceType): void {
    for (const [from, condition] of collectConditions(root, resource, this.#target.model)) {
      if ('relationship' in condition) this.follow(from, condition.relationship)
      if (condition.is === 'call' || condition.is === 'custom') this.usesColumnsOnly = false
      if ('field' in condition) this.addField(from, condition.field)
      if ('other' in condition) this.addField(from, condition.other)
    }
  }

  /** Adds the condition of a rule. Inside of it, the rules of other types do not apply. */
  #addRule(rule: RowCondition, type: string, unrestricted: Target): void {
    if (typeof rule === 'boolean') return
    switch (rule.is) {
      case 'any':
      case 'all':
        for (const each of rule.of) this.#addRule(each, type, unrestricted)
        return
      case 'sql':
        this.usesColumnsOnly = false
        return
      case 'filter': {
        const inner = new ReadTables(unrestricted)
        inner.addCondition(rule.condition, getResourceType(unrestricted.model, type))
        this.tables.push(...inner.tables)
        this.usesColumnsOnly &&= inner.usesColumnsOnly
      }
    }
  }

  /** Adds the fields of a document. */
  addLayout({ type, attributes, values }: RowLayout): void {
    const { fields } = getResourceType(this.#target.model, type)
    const isComputed = attributes.some((name) => fields.get(name)?.is === 'computed')
    if (isComputed || values.some((value) => 'expression' in value)) this.usesColumnsOnly = false
  }

  /** Adds a field by which rows are compared. */
  addField(resource: ResourceType, field: string): void {
    if (getAttribute(resource, field).column === undefined) this.usesColumnsOnly = false
  }
}
