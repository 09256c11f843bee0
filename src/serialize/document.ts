import { type Model, type ResourceType, typeNamed } from '../model/model.ts'
import type { ReadPlan, ReadShape } from '../plan/read.ts'
import type { Batch, Rows } from '../plan/result.ts'
import type { Row, RowLayout } from '../plan/rows.ts'
import { perShape } from '../plan/shape.ts'
import { type Place, pageLinks } from './links.ts'
import { compileIdentifier, compileTeller, type Teller } from './resource.ts'

/** A document as text: whole, or in pieces as they are read. */
export type DocumentText = string | AsyncIterable<string>

/** The member that stands in every document (seed §9). */
export const jsonapi = '"jsonapi":{"version":"1.0"}'

type Stream = Extract<Rows, { is: 'stream' }>

/** The documents of one service. */
export interface Documents {
  /** A list of resources: `data`, `included`, `links`, `meta.count`. */
  readonly collection: (plan: ReadPlan, rows: Rows, place: Place) => DocumentText
  /** One resource, or null where a to-one relationship has none. `path` is that of the document. */
  readonly one: (plan: ReadPlan, rows: Rows, path: string) => DocumentText
  /** The linkage of a to-many relationship. */
  readonly linkages: (plan: ReadPlan, rows: Rows, place: LinkagePlace) => DocumentText
  /** The linkage of a to-one relationship. */
  readonly linkage: (plan: ReadPlan, rows: Rows, place: LinkagePlace) => DocumentText
}

/** Where linkage is told, and the path of the resources that it names. */
export interface LinkagePlace extends Place {
  readonly related: string
}

/** What a shape's rows are told with. */
interface Tellers {
  readonly primary: Teller
  readonly identifier: Teller
  readonly included: ReadonlyMap<string, Teller>
}

/**
 * Makes the tellers of a service's documents. Each layout has one, however many shapes it appears in; it is kept for as
 * long as the layout is.
 * @param base - the base path in front of every path, may be empty
 */
export function defineDocuments(model: Model, base: string): Documents {
  const tellerOf = perShape((layout: RowLayout) => compileTeller(layout, model, base))
  const identifierOf = perShape((resource: ResourceType) => compileIdentifier(resource))
  const tellersOf = perShape((shape: ReadShape): Tellers => {
    return {
      primary: tellerOf(shape.primary),
      identifier: identifierOf(typeNamed(model, shape.type)),
      included: new Map(shape.included.map((layout) => [layout.type, tellerOf(layout)])),
    }
  })
  const single = (plan: ReadPlan, rows: Rows, teller: Teller, links: string): DocumentText => {
    const tellers = tellersOf(plan.shape)
    const tail = `,"links":{${links}},${jsonapi}}`
    if (rows.is === 'stream') return singlePieces(plan, rows, tellers, { teller, tail })
    const [row] = rows.primary
    const data = row === undefined ? 'null' : teller(row)
    const more = includedText(plan.hasIncluded && row !== undefined, rows.included, tellers)
    return `{"data":${data}${more}${tail}`
  }
  return {
    collection: (plan, rows, place) => {
      const tellers = tellersOf(plan.shape)
      const self = selfLink(plan, place.origin + place.path)
      return list(plan, rows, tellers, tellers.primary, (count) => {
        return `,"links":{${self}${pageLinks(plan, count, place)}},"meta":{"count":${count}}`
      })
    },
    one: (plan, rows, path) => {
      return single(plan, rows, tellersOf(plan.shape).primary, selfLink(plan, path))
    },
    linkages: (plan, rows, place) => {
      const tellers = tellersOf(plan.shape)
      const links = linkageLinks(plan, place)
      return list(plan, rows, tellers, tellers.identifier, (count) => {
        return `,"links":{${links}${pageLinks(plan, count, place)}}`
      })
    },
    linkage: (plan, rows, place) => {
      return single(plan, rows, tellersOf(plan.shape).identifier, linkageLinks(plan, place))
    },
  }
}

function selfLink({ repeated }: ReadPlan, address: string): string {
  return `"self":${JSON.stringify(address + repeated.all)}`
}

function linkageLinks(plan: ReadPlan, { path, related }: LinkagePlace): string {
  return `${selfLink(plan, path)},"related":${JSON.stringify(related)}`
}

/** A document that says what was done (seed §4). */
export function messageDocument(message: string): string {
  return `{"meta":${JSON.stringify({ message })},${jsonapi}}`
}

/** The document at the root: what there is. */
export function homeDocument(meta: Readonly<Record<string, unknown>>, self: string): string {
  return `{"meta":${JSON.stringify(meta)},"links":${JSON.stringify({ self })},${jsonapi}}`
}

/** What follows the resources of a list, once it is known how many there are on all pages. */
type Tail = (count: number) => string

function list(
  plan: ReadPlan,
  rows: Rows,
  tellers: Tellers,
  teller: Teller,
  tail: Tail,
): DocumentText {
  if (rows.is === 'stream') return pieces(plan, rows, tellers, teller, tail)
  const included = includedText(plan.hasIncluded, rows.included, tellers)
  return `{"data":[${told(rows.primary, teller)}]${included}${tail(rows.count)},${jsonapi}}`
}

/** The same text as a whole list's, in pieces. */
async function* pieces(
  plan: ReadPlan,
  rows: Stream,
  tellers: Tellers,
  teller: Teller,
  tail: Tail,
): AsyncGenerator<string> {
  try {
    let count = 0
    let separator = '{"data":['
    for await (const batch of rows.primary) {
      count += batch.length
      yield separator + told(batch, teller)
      separator = ','
    }
    // Whatever made the list long may be gone when its stream begins.
    yield separator === ',' ? ']' : `${separator}]`
    if (plan.hasIncluded) yield* includedPieces(rows, tellers)
    yield `${tail(rows.count ?? count)},${jsonapi}}`
  } finally {
    rows.end()
  }
}

/** The text of a document of one resource, in pieces. */
async function* singlePieces(
  plan: ReadPlan,
  rows: Stream,
  tellers: Tellers,
  { teller, tail }: Readonly<{ teller: Teller; tail: string }>,
): AsyncGenerator<string> {
  try {
    let data: string | undefined
    for await (const batch of rows.primary) for (const row of batch) data = teller(row)
    yield `{"data":${data ?? 'null'}`
    if (plan.hasIncluded && data !== undefined) yield* includedPieces(rows, tellers)
    yield tail
  } finally {
    rows.end()
  }
}

async function* includedPieces(rows: Stream, tellers: Tellers): AsyncGenerator<string> {
  let separator = ',"included":['
  for await (const { type, rows: batch } of rows.included) {
    yield separator + told(batch, includedTeller(type, tellers))
    separator = ','
  }
  yield separator === ',' ? ']' : `${separator}]`
}

function includedText(hasIncluded: boolean, batches: readonly Batch[], tellers: Tellers): string {
  if (!hasIncluded) return ''
  let text = ''
  for (const { type, rows } of batches) {
    if (rows.length > 0) text += (text && ',') + told(rows, includedTeller(type, tellers))
  }
  return `,"included":[${text}]`
}

function includedTeller(type: string, tellers: Tellers): Teller {
  const teller = tellers.included.get(type)
  if (teller === undefined) throw new Error(`The plan includes no ${type}.`)
  return teller
}

function told(rows: readonly Row[], teller: Teller): string {
  let text = ''
  for (const row of rows) text += text === '' ? teller(row) : `,${teller(row)}`
  return text
}
