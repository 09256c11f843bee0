import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  createTypeProject,
  name,
  type TypeProject,
  typeCount,
  writeProgram,
} from '../in-process/large-model.ts'
import { noTimeInCi } from '../read-count.ts'

/**
 * The type instantiations that the client may add to those of the model. They do not depend on the machine. The client itself
 * costs 5,000, because no type enumerates the types of the model; the calls for one type cost 14,000.
 */
const budgets = { client: 6000, callsOfType: 16_000 }

const calls = (index: number) => `
export async function use${index}(): Promise<unknown> {
  const { data } = await client.${name(index)}.list({
    filter: { name: { startswith: 'x' }, next: { has: { size: { gt: 1 }, previous: { any: { name: 'x' } } } } },
    sort: ['-size', 'next.name'],
    include: ['next.far', 'previous.next.far'],
    fields: { ${name(index)}: ['name', 'next', 'previous'] },
  })
  const created = await client.${name(index)}.create({ name: 'x', next: '1', previous: ['2'] }, { include: ['far.next'] })
  const updated = await client.${name(index)}.update(created.id, { price: null, far: { type: '${name(index + 7)}', id: '1' } })
  const { data: related } = await client.${name(index)}.related('1', 'previous', { sort: ['name'] })
  return [data[0]?.next?.far?.name, created.far?.next?.size.toFixed(), updated.total, related[0]?.label]
}`

describe(`The client over HTTP of ${typeCount} resource types`, { skip: noTimeInCi }, () => {
  let project: TypeProject
  let model: number
  let client: number
  const count = (body: string, used: number) =>
    project.countInstantiations(writeProgram(body, calls, used))
  const creation = "export const client = createClient<typeof model>({ url: 'http://localhost' })"

  before(async () => {
    project = await createTypeProject()
    model = await count('', 0)
    client = await count(creation, 0)
  })
  after(() => project.remove())

  it('costs the compiler little beyond the model', () => {
    assert.ok(client - model < budgets.client, `${client - model} instantiations`)
  })

  it('compiles with calls for every type within their budget', async () => {
    const cost = (await count(creation, typeCount)) - client
    assert.ok(cost < typeCount * budgets.callsOfType, `${cost} instantiations`)
  })
})
