import type { Track } from './generate-music.ts'
import { home, type Place, places } from './places.ts'
import type { Random } from './seeded-random.ts'

/** The numbers of lines of a customer's invoices. Each customer starts at another position of this list. */
const invoiceSizes = [2, 4, 6, 9, 14, 1, 2]
const invoices = 412
/** The date of the first invoice and the time between invoices, in milliseconds. */
const firstInvoice = Date.UTC(2021, 0, 1, 8)
const invoicePause = 382_000_000

/** The titles of the employees, and the ids of their managers. */
const titles = 'General Manager|Sales Manager|Sales Support Agent|Sales Support Agent'.split('|')
titles.push('Sales Support Agent', 'IT Manager', 'IT Staff', 'IT Staff')
const managers = [null, 1, 2, 2, 2, 1, 6, 6]
const salesAgents = [3, 4, 5]
const companies = ['Lumière & Fils', 'Nordlys AS', 'Riotur Áudio', 'Harlow Logistics Inc.']
companies.push('Weiß GmbH', 'Telework Ltd.', 'Estúdio Maré', 'Old Mill Bakery', 'Blue Heron Labs')

/** Generates the rows of employees, customers and invoices, by table name. */
export function generateSales(random: Random, tracks: readonly Track[]) {
  const homes = places.flatMap((place) => Array.from({ length: place.customers }, () => place))
  const people = random.shuffle(homes).map((place, index) => makePerson(random, place, index))
  return {
    Employee: titles.map((title, index) => makeEmployee(random, title, index)),
    Customer: people.map(({ first, last, address, contact }, index) => {
      const company = random.percent(18) ? random.pick(companies) : null
      return [index + 1, first, last, company, ...address, ...contact, random.pick(salesAgents)]
    }),
    ...makeInvoices(random, people, tracks),
  }
}

type Person = ReturnType<typeof makePerson>
function makePerson({ between, percent, pick }: Random, place: Place, index: number) {
  const { culture, city, state, country, postalCode, phone } = place
  const [first, last] = [pick(culture.given), pick(culture.family)]
  const number = () => `${phone} 555-${between(1000, 9999)}`
  const street = pick(culture.streets).replace('#', String(between(1, 990)))
  const email = `${toEmailName(first)}.${toEmailName(last)}${index + 1}@example.com`
  const contact = [number(), percent(20) ? number() : null, email]
  return { first, last, address: [street, city, state, country, postalCode], contact }
}

/** Converts a name for an e-mail address: `Søren` to soren, `O'Brien` to obrien, `Weiß` to weiss. */
function toEmailName(name: string): string {
  const latin = name.toLowerCase().replaceAll('ø', 'o').replaceAll('æ', 'ae').replaceAll('ß', 'ss')
  return latin.normalize('NFD').replace(/[^a-z]/g, '')
}

function makeEmployee(random: Random, title: string, index: number) {
  const { first, last, address, contact } = makePerson(random, home, index)
  const birth = dateTime(Date.UTC(random.between(1962, 1990), index, random.between(1, 28)))
  const hired = dateTime(Date.UTC(2018 + (index % 3), index, random.between(1, 28)))
  const manager = managers[index] ?? null
  return [index + 1, last, first, title, manager, birth, hired, ...address, ...contact]
}

/** Formats a timestamp as `YYYY-MM-DD HH:MM:SS` in UTC. */
function dateTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 19).replace('T', ' ')
}

/** Generates the invoices. In each round, every customer buys consecutive tracks. */
function makeInvoices(random: Random, people: readonly Person[], tracks: readonly Track[]) {
  const { between, shuffle } = random
  const lines: number[][] = []
  const rounds = invoiceSizes.flatMap((_, round) =>
    shuffle([...people.keys()]).map((customer) => ({ customer, round })),
  )
  const heads = rounds.slice(0, invoices).map(({ customer, round }, index) => {
    const size = invoiceSizes[(customer + round) % invoiceSizes.length] ?? 0
    const first = between(0, tracks.length - size)
    const bought = tracks.slice(first, first + size)
    for (const [track, , , , , , , , price] of bought) {
      lines.push([lines.length + 1, index + 1, track, price, 1])
    }
    const cents = bought.reduce((sum, track) => sum + Math.round(track[8] * 100), 0)
    const written = dateTime(firstInvoice + index * invoicePause + between(0, 300_000) * 1000)
    return [index + 1, customer + 1, written, ...(people[customer]?.address ?? []), cents / 100]
  })
  return { Invoice: heads, InvoiceLine: lines }
}
