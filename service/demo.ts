import type { createServer } from 'lapidary'

/** Attributes of a resource to be made. */
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

/** How many persons an empty database is filled with: every name there is once. */
const persons = givenNames.length * familyNames.length

/** Answers requests without a network. */
type Server = ReturnType<typeof createServer>

/**
 * Fills an empty service with persons and computers, through its own front door; always the same ones.
 *
 * @param base - the base path in front of every path
 * @throws Error when the service refuses what it is sent
 */
export async function fillWithDemo(server: Server, base: string): Promise<void> {
  const known = await server.inject({ url: `${base}/persons?page[size]=1`, headers })
  if (known.json<{ meta: { count: number } }>().meta.count > 0) return
  const create = async (path: string, type: string, attributes: Attributes): Promise<string> => {
    const payload = JSON.stringify({ data: { type, attributes } })
    const answer = await server.inject({ method: 'POST', url: base + path, headers, payload })
    if (answer.statusCode !== 201)
      throw new Error(`The demonstration data was refused: ${answer.body}`)
    return answer.json<{ data: { id: string } }>().data.id
  }
  for (let number = 0; number < persons; number += 1) {
    const person = await create('/persons', 'person', personAttributes(number))
    for (let computer = 0; computer < (number * 7) % 4; computer += 1) {
      await create(`/persons/${person}/computers`, 'computer', {
        serial: serial(number * 4 + computer),
      })
    }
  }
  for (let number = 0; number < 12; number += 1) {
    await create('/computers', 'computer', { serial: serial(persons * 4 + number) })
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
