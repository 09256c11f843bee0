import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { promisify } from 'node:util'
import { absolutePath } from '../docs/pages.ts'
import { commands } from '../package/installed-package.ts'

const typeCount = 100
/**
 * The type instantiations that a program may cost. They do not depend on the machine. The model costs 300,000 with the types of
 * its libraries; the calls for one type cost 17,000, and a little more for the first ones, however many types there are.
 */
const budgets = { model: 400_000, callsOfType: 30_000 }

const name = (index: number) => `type${(index + typeCount) % typeCount}`

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

const calls = (index: number) => `
export async function use${index}(): Promise<unknown> {
  const { data } = await client.list('${name(index)}', {
    filter: [{ name: 'next__name', op: 'eq', val: 'x' }],
    sort: ['-size', 'next.name'],
    include: ['next.far', 'previous.next.far'],
    fields: { ${name(index)}: ['name', 'next', 'previous'] },
  })
  const created = await client.create('${name(index)}', { name: 'x', next: '1', previous: ['2'] }, { include: ['far.next'] })
  const updated = await client.update('${name(index)}', created.id, { price: null, far: { type: '${name(index + 7)}', id: '1' } })
  return [data[0]?.next?.far?.name, created.far?.next?.size.toFixed(), updated.total]
}`

const indexes = Array.from({ length: typeCount }, (_, index) => index)
const program = (used: number) => `
import { attribute, computed, createApi, date, decimal, defineModel, expression, integer } from 'lapidary'
import { notNull, resource, type Store, sql, text, toMany, toOne } from 'lapidary'
declare const store: Store
${indexes.map(declaration).join('\n')}
const model = defineModel([${indexes.map(name).join(', ')}])
export const client = createApi({ model, store }).with()
${indexes.slice(0, used).map(calls).join('\n')}
`

describe(`A model of ${typeCount} resource types`, () => {
  let folder: string
  let declared: number

  before(async () => {
    // Inside the package, so that the name `lapidary` resolves. Git ignores the folder.
    await mkdir(absolutePath('dist'), { recursive: true })
    folder = await mkdtemp(absolutePath('dist/compile-cost-'))
    const config = { extends: absolutePath('tsconfig.json'), include: ['program.ts'] }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
    declared = await countInstantiations(folder, program(0))
  })
  after(() => rm(folder, { recursive: true, force: true }))

  it('compiles within its budget', () => {
    assert.ok(declared > 0 && declared < budgets.model, `${declared} instantiations`)
  })

  it('costs the calls for a few types no more than they cost in a small model', async () => {
    const cost = (await countInstantiations(folder, program(5))) - declared
    assert.ok(cost > 0 && cost < 5 * budgets.callsOfType, `${cost} instantiations`)
  })

  it('compiles with calls for every type within their budget', async () => {
    const cost = (await countInstantiations(folder, program(typeCount))) - declared
    assert.ok(cost < typeCount * budgets.callsOfType, `${cost} instantiations`)
  })
})

/** Compiles a program. @returns the number of type instantiations */
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
