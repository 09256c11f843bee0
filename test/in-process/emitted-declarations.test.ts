import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { it } from 'node:test'
import { promisify } from 'node:util'
import { absolutePath } from '../docs/pages.ts'
import { long } from '../long-tests.ts'
import { commands } from '../package/installed-package.ts'
import { createPackageFolder } from '../package-folder.ts'

const program = `
import { attribute, createApi, defineModel, integer, resource, type Store, text, toMany, toOne } from 'lapidary'
import { createClient } from 'lapidary/client'
declare const store: Store
export const person = resource('person', {
  path: '/persons',
  table: 'person',
  fields: { name: attribute(text, { required: true }), computers: toMany('computer', { column: 'person_id' }) },
})
export const computer = resource('computer', {
  path: '/computers',
  table: 'computer',
  fields: { serial: attribute(text), size: attribute(integer), owner: toOne('person', { column: 'person_id' }) },
})
export const model = defineModel([person, computer])
export const api = createApi({ model, store })
export const client = api.with()
export const list = () => client.list('person', { include: ['computers.owner'] })
export const document = () => client.documents.get('person', '1', { fields: { person: ['name'] } })
export const each = () => client.each('person', { sort: ['name'] })
export const httpClient = createClient<typeof api>({ url: 'http://localhost' })
export const page = () => httpClient.person.list({ filter: { computers: { any: { size: 1 } } }, include: ['computers.owner'] })
export const related = () => httpClient.computer.related('1', 'owner')
export const work = () => client.transaction(async (tx) => [tx, await tx.create('person', { name: 'x' })] as const)
`

it(
  'The emitted declarations of an application name only what the package exports',
  long,
  async () => {
    const folder = await createPackageFolder('emitted')
    try {
      await writeFile(join(folder, 'program.ts'), program)
      const compilerOptions = {
        ...{ noEmit: false, declaration: true, emitDeclarationOnly: true },
        ...{ outDir: 'out', rootDir: absolutePath('.') },
      }
      const config = { extends: absolutePath('tsconfig.json'), include: ['*.ts'], compilerOptions }
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
      const args = [commands.tsc, '--project', folder, '--pretty', 'false', '--singleThreaded']
      const { stdout } = await promisify(execFile)(process.execPath, args).catch((error) => error)
      assert.equal(stdout, '')
      const output = join(folder, 'out', folder.slice(absolutePath('.').length), 'program.d.ts')
      const imports = (await readFile(output, 'utf8')).matchAll(/import\("([^"]+)"\)/g)
      assert.deepEqual([...new Set([...imports].map(([, name]) => name))].sort(), [
        'lapidary',
        'lapidary/client',
      ])
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
)
