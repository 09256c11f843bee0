import assert from 'node:assert/strict'
import { createCipheriv, createHash, createHmac, hkdfSync } from 'node:crypto'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { defineModel } from 'lapidary'
import { parseServiceSettings } from '../../../service/settings.ts'
import { createSealer } from '../../../src/model/seal.ts'
import { scale, seed } from '../../property/seed.ts'

const secret = 'a secret of enough characters'
const sealer = createSealer([secret])
const texts = fc.string({ unit: 'binary' }).map((each) => each.replaceAll('\0', ''))
const payloads = fc.uint8Array({ maxLength: 200 })
const options = { seed, numRuns: 200 * scale }

function hkdf(info: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', info, 32))
}

describe('Sealed tokens', () => {
  it('given any payload and context, then a token opens to the payload, and only in its context', () => {
    fc.assert(
      fc.property(texts, texts, payloads, (context, other, payload) => {
        const token = sealer.seal(context, payload)
        assert.match(token, /^[\w-]+$/)
        assert.equal(sealer.seal(context, payload), token)
        assert.deepEqual(sealer.open(token, context), Buffer.from(payload))
        assert.deepEqual(createSealer([secret]).open(token, context), Buffer.from(payload))
        if (other !== context) assert.equal(sealer.open(token, other), undefined)
      }),
      options,
    )
  })

  it('given a token with any byte changed, cut off or added, then it does not open', () => {
    const changes = fc.record({
      at: fc.nat(),
      by: fc.integer({ min: 1, max: 255 }),
      length: fc.nat(),
      added: fc.uint8Array({ minLength: 1, maxLength: 20 }),
    })
    fc.assert(
      fc.property(payloads, changes, (payload, { at, by, length, added }) => {
        const bytes = Buffer.from(sealer.seal('a', payload), 'base64url')
        const changed = Buffer.from(bytes)
        changed[at % bytes.length] = (changed[at % bytes.length] ?? 0) ^ by
        const forged = [changed, bytes.subarray(0, length % bytes.length)]
        for (const each of [...forged, Buffer.concat([bytes, added]), Buffer.from(added)])
          assert.equal(sealer.open(each.toString('base64url'), 'a'), undefined)
      }),
      options,
    )
  })

  it('given a text that only decodes to the bytes of a token, then it does not open', () => {
    const token = sealer.seal('a', Buffer.from('12345'))
    for (const text of [
      `${token}=`,
      ` ${token}`,
      `${token}\n`,
      token.slice(0, -1),
      `${token}A`,
      '',
    ])
      assert.equal(sealer.open(text, 'a'), undefined, text)
    // The last character has bits that no byte contains.
    const last = token.at(-1) ?? ''
    const twin = String.fromCharCode(last.charCodeAt(0) + 1)
    assert.equal(sealer.open(token.slice(0, -1) + twin, 'a'), undefined)
    const standard = Buffer.from(token, 'base64url').toString('base64').replaceAll('=', '')
    if (standard !== token) assert.equal(sealer.open(standard, 'a'), undefined)
  })

  it('is HMAC-SHA-256 over context, U+0000 and payload as the vector of AES-256-CTR', () => {
    const payload = Buffer.from('payload')
    const iv = createHmac('sha256', hkdf('lapidary seal authentication'))
      .update('context\0payload')
      .digest()
      .subarray(0, 16)
    const cipher = createCipheriv('aes-256-ctr', hkdf('lapidary seal encryption'), iv)
    const expected = Buffer.concat([iv, cipher.update(payload)]).toString('base64url')
    assert.equal(sealer.seal('context', payload), expected)
  })

  it('shows neither the payload nor which parts of two payloads are equal', () => {
    const one = Buffer.from(sealer.seal('a', Buffer.alloc(64, 'x')), 'base64url')
    const other = Buffer.from(sealer.seal('a', Buffer.alloc(65, 'x')), 'base64url')
    assert.equal(one.includes('xxxx'), false)
    const same = [...one].filter((byte, index) => byte === other[index]).length
    assert.ok(same < 8, `${same} of 80 bytes are equal`)
  })

  it('given a context that the payload names, then the token opens in it', () => {
    const token = sealer.seal('sort name', Buffer.from('name'))
    const read = (payload: Uint8Array) => `sort ${Buffer.from(payload).toString()}`
    assert.equal(sealer.open(token, read)?.toString(), 'name')
    assert.equal(
      sealer.open(token, () => 'sort id'),
      undefined,
    )
    assert.equal(
      sealer.open(token, () => undefined),
      undefined,
    )
  })

  it('rejects a context with U+0000, which separates it from the payload', () => {
    assert.throws(() => sealer.seal('a\0b', Buffer.from('c')), /U\+0000/)
  })

  it('given two secrets, then tokens of both open, and the first one seals', () => {
    const rotated = createSealer(['another secret, the new one', secret])
    const token = sealer.seal('a', Buffer.from('b'))
    assert.equal(rotated.open(token, 'a')?.toString(), 'b')
    const fresh = rotated.seal('a', Buffer.from('b'))
    assert.notEqual(fresh, token)
    assert.equal(sealer.open(fresh, 'a'), undefined)
    assert.equal(createSealer(['another secret, the new one']).open(token, 'a'), undefined)
  })

  it('given no secret, then a sealer has its own random one', () => {
    const [one, other] = [createSealer(), createSealer()]
    const token = one.seal('a', Buffer.from('b'))
    assert.equal(one.open(token, 'a')?.toString(), 'b')
    assert.equal(other.open(token, 'a'), undefined)
    assert.notEqual(one.fingerprint('a', 'b'), other.fingerprint('a', 'b'))
  })
})

describe('Keyed digests', () => {
  it('depends on the secret, the purpose and the text, and is the same in every process', () => {
    const key = hkdf('lapidary fingerprint version').toString('base64url')
    const expected = createHash('sha256').update(`${key}data`).digest('base64url').slice(0, 16)
    assert.equal(sealer.fingerprint('version', 'data'), expected)
    assert.notEqual(sealer.fingerprint('version', 'date'), expected)
    assert.notEqual(sealer.fingerprint('members', 'data'), expected)
    assert.notEqual(createSealer([`${secret}.`]).fingerprint('version', 'data'), expected)
  })

  it('given two secrets, then the first one computes it', () => {
    const rotated = createSealer([secret, 'another secret, the old one'])
    assert.equal(rotated.fingerprint('version', 'data'), sealer.fingerprint('version', 'data'))
  })
})

describe('Sealed digests', () => {
  const digest = createHash('md5').update('data').digest('hex')

  it('open with their secret and purpose alone', () => {
    const token = sealer.sealDigest('version of a', digest)
    assert.match(token, /^[\w-]{22}$/)
    assert.equal(sealer.openDigest('version of a', token), digest)
    const others = [
      sealer.openDigest('version of b', token),
      createSealer([`${secret}.`]).openDigest('version of a', token),
    ]
    for (const other of others) assert.notEqual(other, digest)
  })

  it('are the same in every process, whatever was sealed before', () => {
    const key = hkdf('lapidary digest version of a').subarray(0, 16)
    const cipher = createCipheriv('aes-128-ecb', key, null).setAutoPadding(false)
    const expected = cipher.update(digest, 'hex').toString('base64url')
    for (let index = 0; index < 3; index += 1)
      assert.equal(sealer.sealDigest('version of a', digest), expected)
  })

  it('given a text that is none, then nothing opens', () => {
    const token = sealer.sealDigest('a', digest)
    for (const text of ['', 'x', `${token}A`, `${token}=`, token.slice(1), `${token.slice(1)}!`])
      assert.equal(sealer.openDigest('a', text), undefined)
  })
})

describe('Secrets', () => {
  it('given the option of a model, then its tokens are those of the secret', () => {
    const { sealer: ofModel } = defineModel([], { secret })
    assert.equal(ofModel.seal('a', Buffer.from('b')), sealer.seal('a', Buffer.from('b')))
    const rotated = defineModel([], { secret: ['another secret, the new one', secret] })
    assert.ok(rotated.sealer.open(sealer.seal('a', Buffer.from('b')), 'a'))
  })

  for (const option of ['too short', '', [], ['too short'], [secret, secret, secret], 5, [5], {}])
    it(`given the option ${JSON.stringify(option)}, then the model is rejected without showing it`, () => {
      // The compiler would reject some of them.
      const define = () => defineModel([], { secret: option as string })
      assert.throws(define, (error: Error) => {
        assert.match(error.message, /^options\.secret: must be a string of at least 16 characters/m)
        return !error.message.includes('too short')
      })
    })

  it('given the setting new,old, then the model gets both', () => {
    const old = 'another secret, the old one'.replace(',', '')
    assert.deepEqual(parseServiceSettings({ secret: `${secret},${old}` }).secret, [secret, old])
    assert.equal(parseServiceSettings().secret, undefined)
  })

  for (const text of [
    'too short',
    `${secret},too short`,
    `${secret},`,
    `${secret},${secret},${secret}`,
  ])
    it(`given the setting ${text}, then the start is rejected without showing it`, () => {
      assert.throws(
        () => parseServiceSettings({ secret: text }),
        (error: Error) => {
          assert.match(error.message, /^SECRET must be a text of at least 16 characters/)
          return !error.message.includes(text)
        },
      )
    })
})
