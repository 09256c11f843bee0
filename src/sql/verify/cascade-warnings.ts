import { quote, quoteNames } from '../../errors/quote.ts'
import { type Catalog, type ForeignKey, findTable, type StoredTable } from '../../model/catalog.ts'
import { isSameKey, listRelationships, type Model, type ResourceType } from '../../model/model.ts'
import { resolveModelRules } from '../../plan/access/access-shapes.ts'
import { type RuleKey, toLinkKey, toRulePath } from '../../plan/access/rule-key.ts'
import type { Rule } from '../../plan/access/rules.ts'

/** A foreign key over which the database deletes or changes rows when a referenced row is deleted, and the table that has it. */
interface Cascade {
  readonly table: StoredTable
  readonly key: ForeignKey
}

/** A rule, and its name. */
type NamedRule = readonly [key: RuleKey, rule: Rule]

/**
 * Warns of foreign keys by which the deletion of a resource deletes or changes rows of another type, although its rules may not allow
 * that to everybody who may delete the first: the database does not ask them.
 * @returns a line for each type that is deleted, and each type and foreign key that it changes, at any distance
 */
export function listCascadeWarnings(model: Model, catalog: Catalog): string[] {
  if (model.access === undefined) return []
  const rulesOf = createRuleLookup(model)
  const types = [...model.types.values()]
  return types.flatMap((deleted) => {
    const table = findTable(catalog, deleted.table)
    if (table === undefined || !deleted.isWritable || deleted.softDelete !== undefined) return []
    const allowed = rulesOf(deleted, 'delete')
    if (allowed.some(([, rule]) => rule === false)) return []
    return listCascades(table, catalog).flatMap((cascade) =>
      types
        .filter((changed) => findTable(catalog, changed.table) === cascade.table)
        .flatMap((changed) => {
          const needed = rulesOf(changed, findNeededRule(changed, cascade.key))
          const stricter = needed.filter(([, rule]) => isStricter(rule, allowed))
          return stricter.length === 0 ? [] : [describe({ deleted, changed }, cascade, stricter)]
        }),
    )
  })
}

/** Creates the function that returns what a row must match for an operation: the rule for reads, and its own. */
function createRuleLookup(model: Model) {
  const rules = resolveModelRules(model)
  const isOpen = model.access?.isClosed !== true
  return ({ type, isWritable }: ResourceType, key: RuleKey): readonly NamedRule[] => {
    const ofType = rules.get(type)
    const own = isWritable ? (ofType?.get(key) ?? isOpen) : false
    return [
      ['read', ofType?.get('read') ?? isOpen],
      [key, own],
    ]
  }
}

/** Lists the foreign keys over which the deletion of a row of a table has effects, also over rows that it deletes. */
function listCascades(first: StoredTable, catalog: Catalog): readonly Cascade[] {
  const found: Cascade[] = []
  const deleted = new Set([first])
  for (const target of deleted)
    for (const table of catalog.tables)
      for (const key of table.foreignKeys) {
        if (key.onDelete === undefined || findTable(catalog, key.to) !== target) continue
        found.push({ table, key })
        if (key.onDelete === 'cascade') deleted.add(table)
      }
  return found
}

/** The rule that a request would need for what a foreign key does. */
function findNeededRule(changed: ResourceType, { columns, onDelete }: ForeignKey): RuleKey {
  if (onDelete === 'cascade') return 'delete'
  const [first = '', ...others] = columns
  const relationship = listRelationships(changed).find(
    ({ link, linkRules }) =>
      link.foreignKey === 'own' &&
      linkRules?.unlink !== undefined &&
      isSameKey(link.ownKey, [first, ...others]),
  )
  return relationship === undefined ? 'update' : toLinkKey('unlink', relationship.name)
}

/** Whether a rule may refuse somebody whom other rules allow to delete: it is not open, nor the same decision by the auth context. */
function isStricter(rule: Rule, allowed: readonly NamedRule[]): boolean {
  if (typeof rule === 'boolean') return !rule
  if (rule.is !== 'decision') return true
  return !allowed.some(
    ([, other]) =>
      typeof other === 'object' &&
      other.is === 'decision' &&
      other.decision.compute === rule.decision.compute,
  )
}

function describe(
  { deleted, changed }: Readonly<Record<'deleted' | 'changed', ResourceType>>,
  { table, key }: Cascade,
  stricter: readonly NamedRule[],
): string {
  const change = key.onDelete === 'cascade' ? 'deletes' : 'changes'
  const rules = stricter.map(([name, rule]) => {
    const who = rule === false ? 'nobody' : 'not everybody'
    return `${toRulePath(changed.type, name)} (${who})`
  })
  return `${deleted.type}.access.delete: a deletion also ${change} rows of ${changed.type}, because of the foreign key ${quoteNames(key.columns)} of ${quote(table.name)} with "on delete ${key.onDelete}", and does not need ${rules.join(' and ')}; to fix it: restrict ${deleted.type}.access.delete as far, or create the foreign key with "on delete restrict"`
}
