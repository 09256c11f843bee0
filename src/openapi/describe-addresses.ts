import { listUsableTypes, type ModelDescription } from '../describe/describe-model.ts'
import type { Route } from '../endpoints/route-table.ts'
import type { JsonSchema } from '../model/kinds/kinds.ts'
import { createTypeNames } from './component-names.ts'
import { formatPath, type PathItem } from './operations.ts'
import type { DocsPage } from './options.ts'
import { createReference } from './schema.ts'

const toResponse = createReference('#/components/responses/')

/** A text at an address of its own. */
interface Address {
  /** The id of the operation. */
  readonly name: string
  readonly summary: string
  readonly description: string
  readonly mediaType: string
  readonly schema: JsonSchema
  /** True if requests are not authenticated. */
  readonly isPublic?: boolean
}

/** What a server has in addition to its model. */
interface OtherAddresses {
  readonly docs: DocsPage | undefined
  /** The files of the pages for browsers, which are described with `generalMethods` only. */
  readonly pages: readonly Route[]
  readonly generalMethods: boolean
}

/** Describes the addresses of the description itself: the OpenAPI document, the JSON Schemas of some types, and the files of pages. */
export function describeAddresses(
  description: ModelDescription,
  { docs, pages, generalMethods }: OtherAddresses,
): Readonly<Record<string, PathItem>> {
  const nameType = createTypeNames(description)
  const object = { type: 'object' }
  const addresses: Readonly<Record<string, Address>> = {
    '/openapi.json': {
      ...{ name: 'openapi', summary: 'Get this description', description: 'An OpenAPI document.' },
      ...{ mediaType: 'application/json', schema: object },
    },
    ...Object.fromEntries(
      listUsableTypes(description).map(({ type, path }) => [
        `${path}.schema.json`,
        {
          ...{ name: `${nameType(type)}.schema`, summary: `Get the JSON Schema of ${type}` },
          ...{ description: 'A JSON Schema.', mediaType: 'application/schema+json' },
          schema: object,
        },
      ]),
    ),
    ...(docs && describeFiles(docs)),
    ...(generalMethods && describePageFiles(pages)),
  }
  return Object.fromEntries(
    Object.entries(addresses).map(([path, address]) => [
      formatPath({ path }),
      describeAddress(address, generalMethods),
    ]),
  )
}

function describeFiles({ path, files }: DocsPage): Readonly<Record<string, Address>> {
  const described = files.map((file, index): readonly [string, Address] => [
    path + file.path,
    {
      name: file.path === '' ? 'docs' : `docs.file${index}`,
      summary: file.path === '' ? 'Get the reference page' : `Get the file ${file.path.slice(1)}`,
      description: 'The text of the file.',
      mediaType: (file.headers['content-type'] ?? 'text/plain').replace(/;.*/s, ''),
      ...{ schema: { type: 'string' }, isPublic: true },
    },
  ])
  return Object.fromEntries(described)
}

function describePageFiles(pages: readonly Route[]): Readonly<Record<string, Address>> {
  const described = pages.map(({ path, mediaType = 'text/html', isPublic = false }, index) => {
    const name = `html.file${index}`
    const summary = `Get the file ${path.slice(1)} of the pages for browsers`
    const schema = { type: mediaType === 'application/json' ? 'object' : 'string' }
    const address = { name, summary, description: 'The file.', mediaType, schema, isPublic }
    return [path, address] as const
  })
  return Object.fromEntries(described)
}

function describeAddress(address: Address, generalMethods: boolean): PathItem {
  const { name, summary, description, mediaType, schema, isPublic } = address
  const get = {
    ...{ summary, operationId: name },
    ...(isPublic && { security: [], 'x-scalar-ignore': true }),
    responses: {
      200: { description, content: { [mediaType]: { schema } } },
      '4XX': toResponse('readError'),
      '5XX': toResponse('serverError'),
    },
  }
  if (!generalMethods) return { get }
  const general = { 'x-scalar-ignore': true, ...(isPublic && { security: [] }) }
  const headResponse = toResponse('head')
  return {
    get,
    head: {
      ...{ ...general, summary: 'Get the header fields of GET', operationId: `${name}.head` },
      responses: { 200: headResponse, '4XX': headResponse, '5XX': headResponse },
    },
    options: {
      ...{ ...general, summary: 'List the methods', operationId: `${name}.options` },
      responses: { 204: toResponse('options'), '4XX': toResponse('readError') },
    },
  }
}

/**
 * Describes the health routes. They are outside of the prefix of the API.
 * @param origin - scheme and host; empty for those of the description
 */
export function describeHealth(origin: string): Readonly<Record<string, PathItem>> {
  const schema = {
    type: 'object',
    required: ['status'],
    properties: { status: { enum: ['live', 'ready', 'closing', 'unavailable'] } },
  }
  const content = { 'application/json': { schema } }
  const describeRoute = (name: string, summary: string, responses: object): PathItem => ({
    servers: [{ url: origin || '/' }],
    get: { summary, operationId: `health.${name}`, security: [], responses },
  })
  const failed = { '4XX': toResponse('readError') }
  return {
    '/health/live': describeRoute('live', 'Is the process alive?', {
      200: { description: 'It responds.', content },
      ...failed,
    }),
    '/health/ready': describeRoute('ready', 'Can the server serve requests?', {
      200: { description: 'The database can be reached.', content },
      503: { description: 'It cannot, or the server closes.', content },
      ...failed,
    }),
  }
}
