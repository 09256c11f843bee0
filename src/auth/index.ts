/** API keys in a header field. */
export {
  type ApiKeyAuthOptions,
  apiKeyAuth,
  createApiKey,
  hashApiKey,
  type StoredApiKey,
} from './api-key-auth.ts'
/** The type of the functions. */
export type { Authenticator } from './authenticator.ts'
/** JSON Web Tokens. */
export { bearerAuth } from './bearer-auth.ts'
/** The options of these functions. */
export type { BearerAuthOptions, BearerKey } from './bearer-options.ts'
/** The type of the requests that these functions authenticate. */
export type { AuthRequest } from './credentials.ts'
/** Several methods of authentication. */
export { firstOf } from './first-of.ts'
