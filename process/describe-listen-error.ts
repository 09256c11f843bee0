/** The address that a server listens on. */
interface Address {
  readonly host: string
  readonly port: number
}

/** What each error of the operating system means, and what to do. */
const problems: Readonly<Record<string, (address: Address) => string>> = {
  EADDRINUSE: ({ host, port }) =>
    `port ${port} of ${host} is in use by another program; stop it, or choose another port by --port or PORT`,
  EACCES: ({ port }) =>
    `port ${port} needs the rights of an administrator; choose a port from 1024 on by --port or PORT`,
  EADDRNOTAVAIL: ({ host }) =>
    `${host} is not an address of this machine; choose another one by --host or HOST`,
  ENOTFOUND: ({ host }) => `there is no host ${host}; choose another one by --host or HOST`,
}

/** Returns an error that says in one line why a server cannot listen, and what to do; any other error as it is. */
export function describeListenError(error: unknown, address: Address): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const describe = Object.hasOwn(problems, code) ? problems[code] : undefined
  return describe ? new Error(describe(address), { cause: error }) : error
}
