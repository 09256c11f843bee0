import * as fc from 'fast-check'
import { brokenJson, nested, unusualJson } from '../unusual-values.ts'
import type { MalformedRequest } from './malformed-request.ts'
import { mutationsOf, truncationsOf } from './mutate.ts'

/** Requests with malformed bodies: not UTF-8, not JSON, not a document, or a document with errors at any level. */
export function anyBadBody(): fc.Arbitrary<MalformedRequest> {
  return fc.constantFrom(...targets).chain(([method, path, ...documents]) => {
    const valid = fc.constantFrom(...documents)
    const send = (bodies: fc.Arbitrary<string | Buffer>, isInvalid: boolean) =>
      bodies.map((body): MalformedRequest => ({ method, path, body, isInvalid }))
    return fc.oneof(
      { weight: 12, arbitrary: send(mutationsOf(valid), false) },
      { weight: 2, arbitrary: send(truncationsOf(valid), true) },
      { weight: 1, arbitrary: send(brokenJson, true) },
      { weight: 1, arbitrary: send(unusualJson, true) },
      {
        weight: 1,
        arbitrary: send(
          unusualJson.map((data) => `{"data":${data}}`),
          false,
        ),
      },
      { weight: 1, arbitrary: send(withInvalidUtf8(valid), true) },
      { weight: 1, arbitrary: send(fc.constantFrom(...unusualEncodings), false) },
      { weight: 1, arbitrary: send(fc.integer({ min: 100, max: 50_000 }).map(nested), true) },
    )
  })
}

/** Requests with a body of two megabytes, more than the service accepts. */
export function anyHugeBody(): fc.Arbitrary<MalformedRequest> {
  const size = 2 * 2 ** 20
  return fc
    .tuple(fc.constantFrom(...targets), fc.constantFrom(' '.repeat(size), `"${'x'.repeat(size)}`))
    .map(([[method, path], body]) => ({ method, path, body, isInvalid: true }))
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

/** Every route that reads a body, with documents that it accepts if the resources with the ids 1 and 2 exist. */
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

/** Valid text with bytes in its middle that are not UTF-8. */
function withInvalidUtf8(valid: fc.Arbitrary<unknown>): fc.Arbitrary<Buffer> {
  const bytes = fc.constantFrom('ff', '80', 'c0af', 'eda080', 'f4908080', 'e282', 'fffe')
  return fc.tuple(valid, bytes).map(([document, hex]) => {
    const [before = '', ...rest] = JSON.stringify(document).split(/(?<="type":")/)
    return Buffer.concat([Buffer.from(before), Buffer.from(hex, 'hex'), Buffer.from(rest.join(''))])
  })
}

const unusualEncodings = [
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
