/** The address that a server listens on. */
interface Address {
  readonly host: string
  readonly port: number
  /** The settings that choose another one. Default: those of the server. */
  readonly settings?: Readonly<{ port: string; host: string }>
}

const serverAddress = { port: '--port or PORT', host: '--host or HOST' }

/** What each error of the operating system means, and what to do. */
const problems: Readonly<Record<string, (address: Required<Address>) => string>> = {
  EADDRINUSE: ({ host, port, settings }) =>
    `port ${port} of ${host} is in use by another program; stop it, or choose another port by ${settings.port}`,
  EACCES: ({ port, settings }) =>
    `port ${port} needs the rights of an administrator; choose a port from 1024 on by ${settings.port}`,
  EADDRNOTAVAIL: ({ host, settings }) =>
    `${host} is not an address of this machine; choose another one by ${settings.host}`,
  ENOTFOUND: ({ host, settings }) =>
    `there is no host ${host}; choose another one by ${settings.host}`,
}

/** Returns an error that says in one line why a server cannot listen, and what to do; any other error as it is. */
export function describeListenError(error: unknown, address: Address): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const describe = Object.hasOwn(problems, code) ? problems[code] : undefined
  return describe
    ? new Error(describe({ settings: serverAddress, ...address }), { cause: error })
    : error
}
