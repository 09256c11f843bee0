import { createClient, ResponseError } from 'lapidary/client'
import type { model } from './declarations.js'

// Nothing here needs the types of Node.js: a browser has those of the library "dom".
export const client = createClient<typeof model>({ url: new URL('https://example.org'), fetch })
export const isMissing = (error: unknown) => error instanceof ResponseError && error.status === 404
