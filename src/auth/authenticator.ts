import type { SecurityDescription } from '../model/security.ts'
import type { AuthRequest } from './credentials.ts'

/** A function for the option `authenticate` of every adapter. */
export interface Authenticator<Auth> {
  (request: AuthRequest): Promise<Auth>
  /** How it authenticates, for the description of the API. */
  readonly security: SecurityDescription
}
