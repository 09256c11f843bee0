#!/usr/bin/env node
import { type Command, helpText, readCommand } from './command.ts'
import { declarationsOf } from './declarations.ts'
import { filesOf, textOf, writeFiles } from './files.ts'
import { readCatalog } from './sources.ts'

try {
  const command = readCommand(process.argv.slice(2))
  if (command.is === 'help') console.log(helpText)
  else await introspect(command)
} catch (error) {
  const complaint = error instanceof Error ? error.message : String(error)
  console.error(`lapidary: ${complaint}`)
  process.exitCode = 2
}

async function introspect({
  address,
  folder,
  force,
}: Extract<Command, { is: 'introspect' }>): Promise<void> {
  const declarations = declarationsOf(await readCatalog(address))
  if (declarations.resources.length === 0) {
    const reasons = declarations.leftOut.map((line) => line.slice('// '.length))
    throw new Error(`no table can be a resource: ${reasons.join('; ')}`)
  }
  if (folder === undefined) {
    process.stdout.write(textOf(declarations))
    return
  }
  const files = filesOf(declarations)
  writeFiles(folder, files, force)
  console.log(`${folder}: ${files.map(({ name }) => name).join(', ')}`)
  for (const line of declarations.leftOut) console.log(line.slice('// '.length))
}
