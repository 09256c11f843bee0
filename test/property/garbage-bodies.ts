import * as fc from 'fast-check'
import type { Garbage } from './garbage.ts'
import { mutationsOf, truncationsOf } from './mutate.ts'
import { brokenJson, nested, oddJson } from './odd-words.ts'

/** Requests whose bodies are wrong: no UTF-8, no JSON, no document, or a document spoilt at any level. */
export function anyBadBody(): fc.Arbitrary<Garbage> {
  return fc.constantFrom(...targets).chain(([method, path, ...documents]) => {
    const valid = fc.constantFrom(...documents)
    const send = (bodies: fc.Arbitrary<string | Buffer>, hopeless: boolean) =>
      bodies.map((body): Garbage => ({ method, path, body, hopeless }))
    return fc.oneof(
      { weight: 12, arbitrary: send(mutationsOf(valid), false) },
      { weight: 2, arbitrary: send(truncationsOf(valid), true) },
      { weight: 1, arbitrary: send(brokenJson, true) },
      { weight: 1, arbitrary: send(oddJson, true) },
      {
        weight: 1,
        arbitrary: send(
          oddJson.map((data) => `{"data":${data}}`),
          false,
        ),
      },
      { weight: 1, arbitrary: send(noUtf8(valid), true) },
      { weight: 1, arbitrary: send(fc.constantFrom(...oddEncodings), false) },
      { weight: 1, arbitrary: send(fc.integer({ min: 100, max: 50_000 }).map(nested), true) },
    )
  })
}

/** Requests with a body of two megabytes, spaces or one long text: more than the service should take. */
export function anyHugeBody(): fc.Arbitrary<Garbage> {
  const size = 2 * 2 ** 20
  return fc
    .tuple(fc.constantFrom(...targets), fc.constantFrom(' '.repeat(size), `"${'x'.repeat(size)}`))
    .map(([[method, path], body]) => ({ method, path, body, hopeless: true }))
}

type Target = readonly [method: string, path: string, ...documents: [unknown, ...unknown[]]]

const computer = { type: 'computer', id: '1' }
const person = { type: 'person', id: '1' }

const newPerson = {
  data: {
    type: 'person',
    attributes: { name: 'Ada', email: 'ada@example.org', birth_date: '1815-12-10', gender: 'f' },
    relationships: { computers: { data: [computer, { type: 'computer', id: '2' }] } },
  },
}

const newComputer = {
  data: {
    type: 'computer',
    attributes: { serial: 'A-1' },
    relationships: { owner: { data: person, links: {}, meta: {} } },
  },
  meta: {},
}

/** Every route that reads a body, with documents that it takes; resources 1 and 2 exist. */
const targets: readonly Target[] = [
  ['POST', '/persons', newPerson, { data: { type: 'person', attributes: { name: '' } } }],
  ['POST', '/computers', newComputer],
  ['POST', '/persons/1/computers', newComputer],
  ['PATCH', '/persons/1', { data: { ...newPerson.data, id: '1' } }],
  ['PATCH', '/computers/1', { data: { ...newComputer.data, id: '1' } }],
  ['POST', '/persons/1/relationships/computers', { data: [computer, computer] }],
  ['PATCH', '/persons/1/relationships/computers', { data: [computer] }],
  ['DELETE', '/persons/1/relationships/computers', { data: [computer] }],
  ['PATCH', '/computers/1/relationships/owner', { data: person }],
  ['POST', '/computers/1/relationships/owner', { data: person }],
  ['DELETE', '/computers/1/relationships/owner', { data: person }],
]

/** Valid text with bytes in its middle that are no UTF-8. */
function noUtf8(valid: fc.Arbitrary<unknown>): fc.Arbitrary<Buffer> {
  const bytes = fc.constantFrom('ff', '80', 'c0af', 'eda080', 'f4908080', 'e282', 'fffe')
  return fc.tuple(valid, bytes).map(([document, hex]) => {
    const [before = '', ...rest] = JSON.stringify(document).split(/(?<="type":")/)
    return Buffer.concat([Buffer.from(before), Buffer.from(hex, 'hex'), Buffer.from(rest.join(''))])
  })
}

const oddEncodings = [
  Buffer.from(''),
  Buffer.from(' \r\n'),
  Buffer.from('\0'),
  Buffer.from(`\ufeff${JSON.stringify(newPerson)}`),
  Buffer.from(`\ufeff${JSON.stringify(newPerson)}`, 'utf16le'),
  Buffer.from(`${JSON.stringify(newPerson)}\0`),
  Buffer.from(`${JSON.stringify(newPerson)}\n\n`),
  Buffer.from('data[type]=person&data[attributes][name]=x'),
  Buffer.from('1f8b0800000000000003', 'hex'),
  Buffer.from('--x\r\nContent-Disposition: form-data; name="data"\r\n\r\n1\r\n--x--'),
  Buffer.from('<data/>'),
]
