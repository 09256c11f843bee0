import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { describe, it } from 'node:test'
import * as fc from 'fast-check'
import { canonicalDecimal, decimalKey, padScale } from '../../src/model/kinds/decimals.ts'
import {
  formatFixedInstant,
  instantKey,
  parseStoredInstant,
  readInstant,
} from '../../src/model/kinds/times.ts'
import { scale, seed } from './seed.ts'

const runs = { seed, numRuns: 1000 * scale }

/** A decimal number: an integer, and the number of its digits after the point. */
interface Decimal {
  readonly units: bigint
  readonly scale: number
}

const units = fc.oneof(
  fc.bigInt({ min: -1200n, max: 1200n }),
  fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }),
)
const anyDecimal: fc.Arbitrary<Decimal> = fc.record({ units, scale: fc.nat({ max: 30 }) })

function spelled({ units: all, scale }: Decimal): string {
  const digits = String(all < 0n ? -all : all).padStart(scale + 1, '0')
  const at = digits.length - scale
  return `${all < 0n ? '-' : ''}${digits.slice(0, at)}${scale === 0 ? '' : `.${digits.slice(at)}`}`
}

/** As a number with an exponent, of one to many digits before the point. */
function withExponent({ units: all, scale }: Decimal, shift: number): string {
  return `${all}${shift % 2 ? '' : '.'}${shift % 3 ? '' : '.0'.slice(shift % 2 ? 0 : 1)}e${-scale}`
}

function order(one: Decimal, other: Decimal): number {
  const left = one.units * 10n ** BigInt(other.scale)
  const right = other.units * 10n ** BigInt(one.scale)
  return left < right ? -1 : left > right ? 1 : 0
}

const keyOf = (value: Decimal) => decimalKey(canonicalDecimal(spelled(value)))
const textOrder = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0)

describe('Keys of decimal numbers', () => {
  it('sort like the numbers, and are equal only for equal numbers', () => {
    const near = fc.tuple(anyDecimal, fc.integer({ min: -2, max: 2 }), fc.nat({ max: 3 }))
    const close = near.map(([one, off, more]): readonly [Decimal, Decimal] => [
      one,
      { units: one.units * 10n ** BigInt(more) + BigInt(off), scale: one.scale + more },
    ])
    const pairs = fc.oneof(fc.tuple(anyDecimal, anyDecimal), close)
    fc.assert(
      fc.property(pairs, ([one, other]) => {
        assert.equal(textOrder(keyOf(one), keyOf(other)), order(one, other))
      }),
      runs,
    )
  })

  it('sort like the numbers at both ends of the storable range', () => {
    const ascending = [
      ...[`-1${'0'.repeat(2000)}`, `-${'9'.repeat(1000)}`, '-1e308', '-10', '-9.5', '-1', '-0.1'],
      ...['-1e-300', `-0.${'0'.repeat(2000)}1`, '0', `0.${'0'.repeat(2000)}1`, '1e-300', '0.1'],
      ...['1', '9.5', '10', '1e308', '9'.repeat(1000), `1${'0'.repeat(2000)}`],
    ]
    const keys = ascending.map((text) => decimalKey(canonicalDecimal(text)))
    assert.deepEqual(keys.toSorted(textOrder), keys)
    assert.equal(new Set(keys).size, keys.length)
  })

  it('sort in the same order in SQLite', () => {
    const database = new DatabaseSync(':memory:')
    const isBelow = database.prepare('select ? < ? as below')
    fc.assert(
      fc.property(anyDecimal, anyDecimal, (one, other) => {
        const row = isBelow.get(keyOf(one), keyOf(other))
        assert.equal(row?.below === 1, order(one, other) < 0)
      }),
      runs,
    )
    database.close()
  })
})

describe('The canonical spelling of decimal numbers', () => {
  it('is the same for all spellings of a number', () => {
    fc.assert(
      fc.property(anyDecimal, fc.nat({ max: 5 }), (value, zeros) => {
        const text = spelled(value)
        const canonical = canonicalDecimal(text)
        assert.match(canonical, /^(0|-?([1-9]\d*|0(?=\.))(\.\d*[1-9])?)$/)
        assert.equal(canonicalDecimal(canonical), canonical)
        const longer = `${text}${text.includes('.') ? '' : '.'}${'0'.repeat(zeros)}`
        assert.equal(canonicalDecimal(longer), canonical)
        assert.equal(canonicalDecimal(text.replace(/^-?/, `$&${'0'.repeat(zeros)}`)), canonical)
        assert.equal(canonicalDecimal(withExponent(value, zeros)), canonical)
        assert.equal(canonicalDecimal(padScale(canonical, zeros)), canonical)
      }),
      runs,
    )
  })

  it('is exact for every float', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (float) => {
        assert.equal(Number(canonicalDecimal(String(float))), float === 0 ? 0 : float)
      }),
      runs,
    )
  })

  it('keeps every number of 15 digits that is stored in a column of floats', () => {
    const database = new DatabaseSync(':memory:')
    database.exec('create table number (value real)')
    const keep = database.prepare('insert into number values (?) returning value')
    const small = fc.record({
      units: fc.bigInt({ min: -(10n ** 15n) + 1n, max: 10n ** 15n - 1n }),
      scale: fc.nat({ max: 15 }),
    })
    fc.assert(
      fc.property(small, (value) => {
        const text = canonicalDecimal(spelled(value))
        assert.equal(canonicalDecimal(String(keep.get(text)?.value)), text)
      }),
      runs,
    )
    database.close()
  })
})

/** Microseconds since 1970, within the years 0001 to 9999. */
const anyInstant = fc
  .tuple(
    fc.date({
      min: new Date('0001-01-03T00:00:00Z'),
      max: new Date('9999-12-29T00:00:00Z'),
      noInvalidDate: true,
    }),
    fc.nat({ max: 999 }),
  )
  .map(([date, micros]) => BigInt(date.getTime()) * 1000n + BigInt(micros))
const anyZone = fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 })

/** The instant as a clock with that offset, in minutes, shows it. */
function shown(instant: bigint, offset: number): string {
  const local = instant + BigInt(offset) * 60_000_000n
  const micros = ((local % 1000n) + 1000n) % 1000n
  const millis = new Date(Number((local - micros) / 1000n)).toISOString().slice(0, -1)
  const size = Math.abs(offset)
  const [hours, minutes] = [Math.trunc(size / 60), size % 60].map((part) =>
    String(part).padStart(2, '0'),
  )
  return `${millis}${String(micros).padStart(3, '0')}${offset < 0 ? '-' : '+'}${hours}:${minutes}`
}

function instantOf(text: string): string {
  const reading = readInstant(text)
  assert.ok('value' in reading, text)
  return reading.value
}

describe('Keys of instants', () => {
  it('sort like the instants, whatever zone they are written in', () => {
    const near = fc
      .tuple(anyInstant, fc.integer({ min: -2_000_000, max: 2_000_000 }))
      .map(([one, off]): readonly [bigint, bigint] => [one, one + BigInt(off)])
    fc.assert(
      fc.property(
        fc.oneof(fc.tuple(anyInstant, anyInstant), near),
        anyZone,
        anyZone,
        (pair, ...zones) => {
          const [one, other] = pair
          const left = instantOf(shown(one, zones[0]))
          const right = instantOf(shown(other, zones[1]))
          const expected = one < other ? -1 : one > other ? 1 : 0
          assert.equal(textOrder(instantKey(left), instantKey(right)), expected)
          assert.equal(textOrder(formatFixedInstant(left), formatFixedInstant(right)), expected)
        },
      ),
      runs,
    )
  })

  it('are the same for a sent value and for its stored form', () => {
    fc.assert(
      fc.property(anyInstant, anyZone, (instant, zone) => {
        const text = shown(instant, zone)
        const value = instantOf(text)
        assert.match(value, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{0,5}[1-9])?Z$/)
        assert.match(formatFixedInstant(value), /^.{19}\.\d{6}Z$/)
        for (const stored of [formatFixedInstant(value), text, text.replace('T', ' '), value]) {
          assert.equal(parseStoredInstant(stored), value)
        }
      }),
      runs,
    )
  })
})
