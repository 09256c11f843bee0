import { hash } from 'node:crypto'

/** Computes the SHA-256 of a text or of bytes, in the characters of URLs. */
export function computeDigest(data: string | Uint8Array): string {
  return hash('sha256', data, 'base64url')
}
