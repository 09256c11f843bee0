import type { createServer } from 'lapidary/fastify'

/** The attributes of a new resource. */
type Attributes = Readonly<Record<string, string | null>>

const headers = { accept: 'application/vnd.api+json', 'content-type': 'application/vnd.api+json' }

const givenNames =
  'Ada Alan Barbara Claude Dorothy Edsger Frances Grace Hedy Ivan John Katherine Linus Margaret Niklaus Radia Sophie Tim Ursula Vint'.split(
    ' ',
  )
const familyNames =
  'Allen Bartik Cerf Dijkstra Engelbart Floyd Goldberg Hopper Iverson Johnson Knuth Liskov Minsky Noether Perlman'.split(
    ' ',
  )
const makers = ['AMIGA', 'BBC', 'CRAY', 'NEXT', 'PDP', 'SPARC', 'VAX', 'ZX']

/** The number of demonstration persons: one for each combination of names. */
const personCount = givenNames.length * familyNames.length

type Server = ReturnType<typeof createServer>

/**
 * Creates demonstration persons and computers by POST requests. Does nothing if there are persons. Every call creates
 * the same data.
 *
 * @param prefix - the prefix of every path
 * @throws Error when a request fails
 */
export async function fillWithDemo(server: Server, prefix: string): Promise<void> {
  const existing = await server.inject({ url: `${prefix}/persons?page[size]=1`, headers })
  if (existing.json<{ meta: { count: number } }>().meta.count > 0) return
  const create = async (path: string, type: string, attributes: Attributes): Promise<string> => {
    const payload = JSON.stringify({ data: { type, attributes } })
    const response = await server.inject({ method: 'POST', url: prefix + path, headers, payload })
    if (response.statusCode !== 201)
      throw new Error(`Creating the demonstration data failed: ${response.body}`)
    return response.json<{ data: { id: string } }>().data.id
  }
  for (let number = 0; number < personCount; number += 1) {
    const person = await create('/persons', 'person', personAttributes(number))
    for (let computer = 0; computer < (number * 7) % 4; computer += 1) {
      await create(`/persons/${person}/computers`, 'computer', {
        serial: serial(number * 4 + computer),
      })
    }
  }
  for (let number = 0; number < 12; number += 1) {
    await create('/computers', 'computer', { serial: serial(personCount * 4 + number) })
  }
}

function personAttributes(number: number): Attributes {
  const given = givenNames[number % givenNames.length] ?? ''
  const family = familyNames[Math.floor(number / givenNames.length)] ?? ''
  const name = `${given} ${family}`
  const day = new Date(
    Date.UTC(1900 + ((number * 13) % 90), (number * 5) % 12, 1 + ((number * 11) % 28)),
  )
  return {
    name,
    email: number % 6 === 0 ? null : `${given}.${family}@example.org`.toLowerCase(),
    birth_date: number % 9 === 0 ? null : day.toISOString().slice(0, 10),
    gender: ['female', 'male', null, 'female', 'non-binary'][number % 5] ?? null,
  }
}

function serial(number: number): string {
  return `${makers[number % makers.length]}-${String(1000 + ((number * 7919) % 9000))}-${String(number).padStart(4, '0')}`
}
