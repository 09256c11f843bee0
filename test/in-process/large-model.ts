import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { absolutePath } from '../docs/pages.ts'
import { commands } from '../package/installed-package.ts'
import { createPackageFolder } from '../package-folder.ts'

/** The number of resource types of the large model. */
export const typeCount = 100

/** The name of a resource type, and of the variable with its declaration. */
export const name = (index: number) => `type${(index + typeCount) % typeCount}`

/** A resource type with fields of every form, and relationships to three other types. */
const declaration = (index: number) => `
export const ${name(index)} = resource('${name(index)}', {
  path: '/${name(index)}',
  table: '${name(index)}',
  fields: {
    name: attribute(text, { required: true }),
    size: attribute(integer, { required: true, default: 0 }),
    price: attribute(decimal()),
    made_on: attribute(date, { access: 'immutable' }),
    secret: attribute(text, { access: 'write-only' }),
    stamp: attribute(date, { access: 'read-only' }),
    label: computed(text, { name: notNull(text) }, ({ name }) => name.toUpperCase()),
    total: expression(integer, () => sql\`1\`),
    next: toOne('${name(index + 1)}', { column: 'next_id' }),
    previous: toMany('${name(index - 1)}', { column: 'next_id' }),
    far: toOne('${name(index + 7)}', { column: 'far_id' }),
  },
})`

const indexes = Array.from({ length: typeCount }, (_, index) => index)

/** The imports of every program. */
export const imports = `
import { attribute, computed, createApi, date, decimal, defineModel, expression, integer } from 'lapidary'
import { createClient } from 'lapidary/client'
import { notNull, resource, type Store, sql, text, toMany, toOne } from 'lapidary'
`

/**
 * Writes a program with a model of many resource types.
 * @param body - what follows `const model`
 * @param calls - writes the calls for a type
 * @param used - the number of types with calls
 */
export function writeProgram(body: string, calls: (index: number) => string, used: number): string {
  return `${imports}
declare const store: Store
${indexes.map(declaration).join('\n')}
export const model = defineModel([${indexes.map(name).join(', ')}])
${body}
${indexes.slice(0, used).map(calls).join('\n')}
export const imported = [createApi, createClient, store]
`
}

/** A project with one program. */
export interface TypeProject {
  /** Compiles a program, which must have no error. @returns the number of type instantiations */
  countInstantiations(program: string): Promise<number>
  remove(): Promise<void>
}

/** Creates a project inside the package, so that the name `lapidary` resolves. Git ignores the folder. */
export async function createTypeProject(): Promise<TypeProject> {
  const folder = await createPackageFolder('compile-cost')
  const config = { extends: absolutePath('tsconfig.json'), include: ['program.ts'] }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
  return {
    countInstantiations: (program) => countInstantiations(folder, program),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}

async function countInstantiations(folder: string, text: string): Promise<number> {
  await writeFile(join(folder, 'program.ts'), text)
  const args = [
    commands.tsc,
    '--project',
    folder,
    '--pretty',
    'false',
    '--singleThreaded',
    '--extendedDiagnostics',
  ]
  const { stdout } = await promisify(execFile)(process.execPath, args).catch((error) => error)
  assert.doesNotMatch(stdout, /error/)
  return Number(/^Instantiations: +(\d+)$/m.exec(stdout)?.[1])
}
