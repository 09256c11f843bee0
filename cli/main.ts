#!/usr/bin/env node
import { formatFiles, formatSingleFile, writeFiles } from './format-files.ts'
import { generateDeclarations } from './generate-declarations.ts'
import { type Command, helpText, parseCommandLine } from './parse-command-line.ts'
import { readCatalog } from './read-catalog.ts'

try {
  const command = parseCommandLine(process.argv.slice(2))
  if (command.is === 'help') console.log(helpText)
  else await introspect(command)
} catch (error) {
  const message = error instanceof Error ? error.message : String(error)
  console.error(`lapidary: ${message}`)
  process.exitCode = 2
}

async function introspect({
  databaseUrl,
  folder,
  force,
}: Extract<Command, { is: 'introspect' }>): Promise<void> {
  const declarations = generateDeclarations(await readCatalog(databaseUrl))
  if (declarations.resources.length === 0) {
    throw new Error(`no table can be a resource: ${declarations.omitted.join('; ')}`)
  }
  if (folder === undefined) {
    process.stdout.write(formatSingleFile(declarations))
    return
  }
  const files = formatFiles(declarations)
  writeFiles(folder, files, force)
  console.log(`${folder}: ${files.map(({ name }) => name).join(', ')}`)
  for (const line of declarations.omitted) console.log(line)
}
