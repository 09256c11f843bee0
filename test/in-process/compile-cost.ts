import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  createTypeProject,
  name,
  type TypeProject,
  typeCount,
  writeProgram,
} from './large-model.ts'

/**
 * The type instantiations that a program may cost, beyond those of the package itself. They do not depend on the machine. The model
 * costs 87,000; the calls for one type cost 12,000, and those for the first five 121,000, however many types there are: 30,000 of these are
 * for results that depend on `dryRun`.
 */
const budgets = { model: 100_000, firstCalls: 130_000, callsOfType: 22_000 }

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

const program = (used: number) =>
  writeProgram('export const client = createApi({ model, store }).with()', calls, used)

describe(`A model of ${typeCount} resource types`, () => {
  let project: TypeProject
  /** The instantiations of a program that only imports the package. */
  let imported: number
  let declared: number

  before(async () => {
    project = await createTypeProject()
    imported = await project.countInstantiations("export { defineModel } from 'lapidary'")
    declared = await project.countInstantiations(program(0))
  })
  after(() => project.remove())

  it('compiles within its budget', () => {
    const cost = declared - imported
    assert.ok(imported > 0 && cost > 0 && cost < budgets.model, `${cost} instantiations`)
  })

  it('costs the calls for a few types no more than they cost in a small model', async () => {
    const cost = (await project.countInstantiations(program(5))) - declared
    assert.ok(cost > 0 && cost < budgets.firstCalls, `${cost} instantiations`)
  })

  it('compiles with calls for every type within their budget', async () => {
    const cost = (await project.countInstantiations(program(typeCount))) - declared
    assert.ok(cost < typeCount * budgets.callsOfType, `${cost} instantiations`)
  })
})
