import { describeApi, listOperations } from 'lapidary/openapi'
import { loadModel } from './open-source.ts'
import type { DescribeCommand } from './parse-command-line.ts'

/** Runs `lapidary openapi`: prints the OpenAPI document of declarations or of the tables of a database. */
export async function printDescription(command: DescribeCommand): Promise<void> {
  const model = await loadModel(command)
  console.log(JSON.stringify(describeApi(model, { prefix: command.prefix }), null, 2))
}

/** Runs `lapidary routes`: prints a table of the methods, paths and names of the operations. */
export async function printRoutes(command: DescribeCommand): Promise<void> {
  const operations = listOperations(await loadModel(command), command.prefix)
  const rows = [['METHOD', 'PATH', 'OPERATION'], ...operations.map((each) => Object.values(each))]
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  for (const row of rows)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
}
