import type { Kind } from '../kinds/kinds.ts'
import type { FieldRule } from './access.ts'
import type { Described } from './described.ts'

/** The kind with which a computed attribute reads a column, and whether the column is nullable. */
export interface ColumnUse<Value = unknown, Nullable extends boolean = boolean> {
  readonly kind: Kind<Value>
  readonly nullable: Nullable
}

/** The options of a computed attribute. */
export interface ComputedOptions extends Described {
  /** Who may read it. Default: who may read all attributes that are stored in its columns. */
  readonly readable?: FieldRule
  /**
   * True if `compute` returns a value for every stored row, and never throws. A write to PostgreSQL is then committed in the same round trip,
   * before its response is computed. Default false.
   */
  readonly neverThrows?: boolean
}

/** The result of a computed attribute. */
export type ComputedValue<Value> = Value | null

/** A declared attribute that JavaScript computes from columns whenever it is read. It cannot be written, filtered or sorted. */
export interface Computed<Value = unknown> extends ComputedOptions {
  readonly is: 'computed'
  readonly kind: Kind<Value>
  readonly columns: Readonly<Record<string, ColumnUse>>
  /** Gets the values by column name; returns the attribute's value or null. */
  readonly compute: (values: Readonly<Record<string, unknown>>) => unknown
}

/** Declares that a column is not nullable, so that the type of its value in `compute` excludes null. Checked by `verify`. */
export function notNull<Value>(kind: Kind<Value>): ColumnUse<Value, false> {
  return { kind, nullable: false }
}

type Columns = Readonly<Record<string, Kind<unknown> | ColumnUse<unknown, false>>>

/** The values of the columns that a computed attribute declares, by column name. */
export type DeclaredColumns<C extends Columns> = {
  readonly [Name in keyof C]: C[Name] extends ColumnUse<infer Value, false>
    ? Value
    : C[Name] extends Kind<infer Value>
      ? Value | null
      : never
}

/**
 * Declares an attribute that JavaScript computes from columns.
 *
 * @param kind - the data type of the result
 * @param columns - the columns to read and their kinds; values may be null unless a column is `notNull`
 * @param compute - a pure function of these values, called only if the field is requested
 */
export function computed<Value, const C extends Columns>(
  kind: Kind<Value>,
  columns: C,
  compute: (values: DeclaredColumns<C>) => NoInfer<ComputedValue<Value>>,
  options: ComputedOptions = {},
): Computed<Value> {
  const uses = Object.entries(columns).map(([name, use]) => {
    const column: ColumnUse = isUse(use) ? use : { kind: use, nullable: true }
    return [name, column] as const
  })
  return {
    is: 'computed',
    kind,
    columns: Object.fromEntries(uses),
    // The store passes exactly the declared columns, read as their declared kinds.
    compute: compute as unknown as Computed['compute'],
    ...options,
  }
}

/** True for the result of `notNull`. In plain JavaScript the value can be anything; `defineModel` checks it later. */
function isUse(use: Kind<unknown> | ColumnUse): use is ColumnUse {
  return use instanceof Object && 'nullable' in use
}
