import { sql } from 'kysely'
import type { Action } from '../../model/declare/action.ts'
import { resolveParameter } from '../../model/declare/parameter.ts'
import type { Dialect, Sql } from '../../model/dialect.ts'
import type { Codec } from '../../model/kinds/codecs.ts'
import { splitId } from '../../model/kinds/composite-ids.ts'
import type { ResourceType } from '../../model/model.ts'
import { binderOf, castParam, type Placeholder } from '../statement.ts'

/** The values of the call of an action. */
export interface ActionCallValues {
  /** The id of the resource in the path; absent for an action of a collection. */
  readonly id: string | undefined
  /** By the names of the parameters. */
  readonly parameters: Readonly<Record<string, unknown>>
}

/** Compiles the SQL of an action with the values of a call as bind parameters; `undefined` if JavaScript does it. */
export function compileActionSql(
  { sql: write, parameters }: Action,
  { id }: ResourceType,
  values: ActionCallValues,
  dialect: Dialect,
): Sql | undefined {
  if (write === undefined) return undefined
  const bound = Object.entries(parameters).map(([name, parameter]) => {
    const { codec } = resolveParameter(parameter).kind
    return [name, boundParam(values.parameters[name] ?? null, codec, dialect)] as const
  })
  const parts = values.id === undefined ? [] : id.parts
  const texts = parts.length > 1 ? splitId(values.id ?? '') : [values.id]
  const ids = parts.map(({ kind }, index) =>
    boundParam(texts?.[index] ?? null, kind.codec, dialect),
  )
  return write(Object.fromEntries(bound), ...ids)
}

/** Compiles a value of a codec as a bind parameter. */
function boundParam(value: unknown, codec: Codec, dialect: Dialect): Sql {
  const bind = binderOf(codec, dialect)
  const placeholder: Placeholder = { source: 'constant', bind: () => bind(value) }
  return castParam(sql`${placeholder}`, codec, dialect)
}
