import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { defineModel } from 'lapidary'
import { resources } from '../../service/resources/index.ts'
import { type Exchange, mediaType } from '../client.ts'
import { absolutePath } from '../docs/pages.ts'
import { getDescriptionChecker } from './check-description.ts'

const check = getDescriptionChecker(defineModel(resources), '')

const headers = {
  'content-type': mediaType,
  vary: 'Accept',
  'x-content-type-options': 'nosniff',
}

function exchange(parts: Partial<Exchange>, document: unknown): Exchange {
  const text = document === undefined ? '' : JSON.stringify(document)
  return {
    method: 'GET',
    url: 'http://x/persons/1',
    sent: '',
    status: 200,
    headers,
    text,
    ...parts,
  }
}

/** A response with a person. */
function person(attributes: object, parts: Partial<Exchange> = {}): Exchange {
  const links = { self: 'http://x/persons/1' }
  const data = { type: 'person', id: '1', attributes, links }
  return exchange(parts, { data, links, jsonapi: { version: '1.0' } })
}

const toMethods = (allow: string): Exchange =>
  exchange({ method: 'OPTIONS', status: 204, headers: { vary: 'Accept', allow } }, undefined)

describe('The check of exchanges against the description', () => {
  it('accepts what the description announces', () => {
    check(person({ name: 'Ada' }))
    check(person({}, { url: 'http://x/persons/1?fields[person]=name' }))
    check(toMethods('GET, PATCH, DELETE, HEAD, OPTIONS'))
  })

  const differences: readonly (readonly [title: string, exchange: Exchange, message: RegExp])[] = [
    ['an attribute of another kind', person({ name: 5 }), /response: .*name must be string/],
    ['an attribute that is not described', person({ nick: 'A' }), /response: .*nick/],
    [
      'a parameter that is not described',
      person({}, { url: 'http://x/persons/1?a=b' }),
      /parameter a/,
    ],
    ['a path that is not described', person({}, { url: 'http://x/people/1' }), /not described/],
    ['a method that is not described', person({}, { method: 'PUT' }), /not described/],
    ['a status that is not described', person({}, { status: 202 }), /status 202/],
    ['other methods', toMethods('GET, HEAD, OPTIONS'), /OPTIONS allows/],
    [
      'a body with an attribute that is not described',
      person(
        {},
        {
          method: 'PATCH',
          sent: '{"data":{"type":"person","id":"1","attributes":{"nick":"A"}}}',
        },
      ),
      /body: .*nick/,
    ],
  ]
  for (const [title, each, message] of differences)
    it(`rejects ${title}`, () => assert.throws(() => check(each), message))

  it('is part of every client of the tests that checks documents', () => {
    const alone = globSync('test/**/*.ts', {
      cwd: absolutePath('.'),
      exclude: ['**/node_modules'],
    }).filter((file) => {
      if (file.startsWith('test/checker/')) return false
      const text = readFileSync(absolutePath(file), 'utf8')
      return /\bassertConforms\(/.test(text) && !/checkDescription\(|parseDescription\(/.test(text)
    })
    assert.deepEqual(alone, [])
  })
})
