/** A method of sending credentials (https://spec.openapis.org/oas/v3.1.0#security-scheme-object). */
export type SecurityScheme =
  | Readonly<{ type: 'http'; scheme: string; bearerFormat?: string; description?: string }>
  | Readonly<{
      type: 'apiKey'
      in: 'header' | 'cookie' | 'query'
      name: string
      description?: string
    }>
  | Readonly<{ type: 'openIdConnect'; openIdConnectUrl: string; description?: string }>
  | Readonly<{ type: 'mutualTLS'; description?: string }>

/** How requests are authenticated, for the description of an API. */
export interface SecurityDescription {
  /** By name, e.g. `bearer`. Each of them authenticates a request. */
  readonly schemes: Readonly<Record<string, SecurityScheme>>
  /** True if requests without credentials are accepted too. */
  readonly isOptional: boolean
}
