import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { StaticFile } from '../endpoints/route-table.ts'
import { matchesNone } from '../parse/entity-tags.ts'
import { commonHeaders } from './headers.ts'
import type { HttpRequest, HttpResponse } from './request.ts'

/** Responds to requests for one file, without a body if the client has it. @throws what reading the file throws */
export type FileResponder = (request: HttpRequest) => Promise<HttpResponse>

/** The content codings (RFC 9110 §8.4.1) that a file is sent in, the shortest one first. */
const codings = ['br', 'gzip', 'identity'] as const
type Coding = (typeof codings)[number]

/** A file in one content coding. */
interface EncodedFile {
  readonly etag: string
  readonly body: Uint8Array
}

/**
 * Creates the function that sends a file in the content coding that the client accepts, with an entity tag. It reads the file once,
 * and compresses it once for each coding.
 */
export function createFileResponder(file: StaticFile): FileResponder {
  const encoded = new Map<Coding, Promise<EncodedFile>>()
  const encodeOnce = (coding: Coding): Promise<EncodedFile> => {
    const known = encoded.get(coding)
    if (known) return known
    const created = encodeFile(file, coding)
    encoded.set(coding, created)
    // A file that cannot be read now may be readable later.
    created.catch(() => encoded.delete(coding))
    return created
  }
  return async (request) => {
    const coding = chooseCoding(request.header('accept-encoding'))
    const { etag, body } = await encodeOnce(coding)
    const headers = {
      ...commonHeaders,
      ...file.headers,
      ...{ vary: `${commonHeaders.vary}, Accept-Encoding`, etag },
    }
    const ifNoneMatch = request.header('if-none-match')
    if (ifNoneMatch !== undefined && matchesNone(ifNoneMatch, etag))
      return { status: 304, headers, body: undefined }
    const encoding = coding !== 'identity' && { 'content-encoding': coding }
    return { status: 200, headers: { ...headers, ...encoding }, body }
  }
}

async function encodeFile({ read }: StaticFile, coding: Coding): Promise<EncodedFile> {
  const bytes = Buffer.from(await read())
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 16)
  return { etag: `"${hash}-${coding}"`, body: await compress(bytes, coding) }
}

/** In bytes. The best compression of a longer file takes seconds. */
const maxBestLength = 1024 * 1024

function compress(bytes: Buffer, coding: Coding): Uint8Array | Promise<Uint8Array> {
  if (coding === 'identity') return bytes
  if (coding === 'gzip') return promisify(gzip)(bytes)
  const quality = bytes.length > maxBestLength ? 5 : constants.BROTLI_MAX_QUALITY
  return promisify(brotliCompress)(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: quality },
  })
}

/**
 * Returns the first of the codings that a client accepts.
 * @param accepted - the value of `Accept-Encoding` (RFC 9110 §12.5.3); `undefined` accepts no compression
 */
function chooseCoding(accepted = ''): Coding {
  const weights = new Map(
    accepted.split(',').map((item) => {
      // Not split by an expression with white space at both ends: its time is quadratic in the white space.
      const [name = '', ...parameters] = item
        .toLowerCase()
        .split(';')
        .map((part) => part.trim())
      const weight = parameters.find((each) => each.startsWith('q='))
      return [name, weight === undefined ? 1 : Number(weight.slice('q='.length))]
    }),
  )
  const weigh = (coding: Coding) => weights.get(coding) ?? weights.get('*') ?? 0
  return codings.find((coding) => weigh(coding) > 0) ?? 'identity'
}
