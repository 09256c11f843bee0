import type { SampleRequest } from 'lapidary'
import {
  describeMissingSetting,
  findCompileSettings,
  formatCompileSettings,
} from './compile-settings.ts'
import { formatFiles, formatSingleFile, writeFiles } from './format-files.ts'
import { formatOmissions } from './format-omissions.ts'
import {
  type Declarations,
  type GenerateOptions,
  generateDeclarations,
} from './generate-declarations.ts'
import { inspectCatalog } from './inspect-catalog.ts'
import type { IntrospectCommand } from './parse-command-line.ts'
import { readCatalog, sampleDatabase } from './read-catalog.ts'

/**
 * Runs `lapidary introspect`: writes or prints the declarations of a database. What they omit is printed at the end, on the
 * standard error if the declarations are printed. Files get a `tsconfig.json` if none applies to their folder.
 * @throws Error with a one-line message
 */
export async function introspect(command: IntrospectCommand): Promise<void> {
  const { databaseUrl, types, folder, force } = command
  const declarations = await readDeclarations(databaseUrl, { types, checksAllRows: true })
  if (folder === undefined) {
    process.stdout.write(formatSingleFile(declarations))
    for (const line of formatOmissions(declarations)) console.error(line)
    return
  }
  const settings = findCompileSettings(folder)
  const files = [
    ...formatFiles(declarations),
    ...(settings ? [] : [{ name: 'tsconfig.json', text: formatCompileSettings() }]),
  ]
  writeFiles(folder, files, force)
  console.log(`${folder}: ${files.map(({ name }) => name).join(', ')}`)
  const missing = settings ? describeMissingSetting(settings) : []
  for (const line of [...formatOmissions(declarations), ...missing]) console.log(line)
}

/** How the declarations of a database are made. */
interface ReadDeclarationsOptions extends Omit<GenerateOptions, 'findings'> {
  /**
   * Whether all rows are searched for values that are not of their kind, because a program with the declarations will reject such a
   * value. Default false: the declarations are those of a model with lenient attributes.
   */
  readonly checksAllRows?: boolean
}

/**
 * Generates the declarations of a database by its catalog and the first rows of its tables.
 * @throws Error with a one-line message when the database cannot be read, or no table can be a resource
 */
export async function readDeclarations(
  databaseUrl: string,
  { checksAllRows, ...options }: ReadDeclarationsOptions,
): Promise<Declarations> {
  const catalog = await readCatalog(databaseUrl)
  const sample = (requests: readonly SampleRequest[]) => sampleDatabase(databaseUrl, requests)
  const findings = await inspectCatalog(catalog, sample, { checksAllRows })
  const declarations = generateDeclarations(catalog, { ...options, findings })
  if (declarations.resources.length > 0) return declarations
  const reasons = declarations.omitted.join('; ')
  throw new Error(`no table can be a resource: ${reasons}`)
}
