/**
 * Which fields, linkage and included resources a document must show: SERVICE §3 and §5, over plain objects.
 */
import {
  type Row,
  relatedRows,
  relationships,
  storedValue,
  type Tables,
  type TypeName,
} from './rows.ts'

/** What a document is asked to show; a type without a set in `fields` shows everything. */
export interface Selection {
  readonly fields: Readonly<Partial<Record<TypeName, readonly string[]>>>
  /** Dotted paths of relationships. */
  readonly include: readonly string[]
}

/** A resource as the reference tells it. `data` holds the linkage that must be there, by relationship. */
export interface Expected {
  readonly type: TypeName
  readonly id: string
  readonly attributes: Readonly<Record<string, unknown>>
  readonly relationships: readonly string[]
  /** Relationships whose linkage must be told, because they were included or named in `fields`. */
  readonly linked: ReadonlySet<string>
}

const readable = {
  person: ['name', 'birth_date', 'gender', 'display_name'],
  computer: ['serial'],
} as const satisfies Record<TypeName, readonly string[]>

/** The types of resources are told apart by a column that only computers have. */
export function typeOf(row: Row): TypeName {
  return 'person_id' in row ? 'computer' : 'person'
}

/** A row as a document names it, e.g. `person 3`. */
export function keyOf(row: Row): string {
  return `${typeOf(row)} ${row.id}`
}

/** What the document must show of each row, by `keyOf`: the primary rows and everything included with them. */
export function expectedResources(
  tables: Tables,
  rows: readonly Row[],
  selection: Selection,
): ReadonlyMap<string, Expected> {
  const linked = new Map<string, Set<string>>()
  const told = new Map<string, Row>()
  const visit = (row: Row, steps: readonly string[]): void => {
    const key = keyOf(row)
    told.set(key, row)
    const names = linked.get(key) ?? new Set()
    linked.set(key, names)
    const [step, ...others] = steps
    if (step === undefined || !isAsked(selection, typeOf(row), step)) return
    names.add(step)
    for (const related of relatedRows(tables, row)) visit(related, others)
  }
  for (const row of rows) {
    visit(row, [])
    for (const path of selection.include) visit(row, path.split('.'))
  }
  return new Map(
    Array.from(told, ([key, row]) => [key, expect(row, selection, linked.get(key) ?? new Set())]),
  )
}

/** The identifiers that linkage must hold: a list for computers of a person, one or null for an owner. */
export function linkageOf(tables: Tables, row: Row): unknown {
  const identifiers = relatedRows(tables, row).map((related) => ({
    type: typeOf(related),
    id: String(related.id),
  }))
  return typeOf(row) === 'person' ? identifiers : (identifiers[0] ?? null)
}

function expect(row: Row, selection: Selection, included: ReadonlySet<string>): Expected {
  const type = typeOf(row)
  const { name } = relationships[type]
  const asked = isAsked(selection, type, name)
  const named = selection.fields[type]?.includes(name) === true
  return {
    type,
    id: String(row.id),
    attributes: Object.fromEntries(
      readable[type]
        .filter((field) => isAsked(selection, type, field))
        .map((field) => [field, tell(row, field)]),
    ),
    relationships: asked ? [name] : [],
    linked: named ? new Set([name]) : included,
  }
}

/** Whether a type's set of fields, if it has one, lists the field. */
function isAsked(selection: Selection, type: TypeName, field: string): boolean {
  return selection.fields[type]?.includes(field) ?? true
}

function tell(row: Row, field: string): unknown {
  if (field !== 'display_name') return storedValue(row, field)
  const name = String(storedValue(row, 'name')).toUpperCase()
  const email = storedValue(row, 'email')
  return email === null ? name : `${name} <${email}>`
}
