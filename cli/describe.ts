import type { Model } from 'lapidary'
import { describeApi, listOperations } from 'lapidary/openapi'
import { loadModel } from './open-source.ts'
import type { DescribeCommand } from './parse-command-line.ts'

/** Runs `lapidary openapi`: prints the OpenAPI document of declarations or of the tables of a database. */
export async function printDescription(command: DescribeCommand): Promise<void> {
  const model = await loadModel(command)
  const { prefix, auth } = command
  console.log(JSON.stringify(describeApi(model, { prefix, auth }), null, 2))
}

/** Runs `lapidary routes`: prints a table of the methods, paths and names of the operations. */
export async function printRoutes(command: DescribeCommand): Promise<void> {
  const model = await loadModel(command)
  const { prefix, auth } = command
  const operations = listOperations(model, prefix, auth).map(({ method, path, name }) => {
    const query = method === 'GET' ? formatArguments(model, path.slice(prefix.length)) : ''
    return [method, path + query, name]
  })
  const rows = [['METHOD', 'PATH', 'OPERATION'], ...operations]
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  for (const row of rows)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
}

/** Formats the query of the list at a path: the parameters of its table function, as `?filter[from]={from}`; `{from?}` may be omitted. */
function formatArguments({ declarations }: Model, path: string): string {
  const declared = Object.values(declarations).find((each) => each.path === path)
  if (declared === undefined || typeof declared.table === 'string') return ''
  const pairs = Object.entries(declared.table.parameters).map(([name, parameter]) => {
    const isOptional = 'nullable' in parameter || 'default' in parameter
    return `filter[${name}]={${name}${isOptional ? '?' : ''}}`
  })
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`
}
