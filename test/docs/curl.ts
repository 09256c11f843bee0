import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import type { Call } from '../client.ts'
import { connect } from '../client.ts'

/** A response. */
interface Reply {
  readonly status: number
  readonly text: string
}

/** Sends the request of a `curl` command. The first argument is `curl` itself. */
type Sender = (args: readonly string[]) => Promise<Reply>

/** Returns the senders of a `curl` command on this machine: curl, if it is installed, and the client of the tests. */
export function senders(): ReadonlyMap<string, Sender> {
  const hasCurl = spawnSync('curl', ['--version'], { stdio: 'ignore' }).status === 0
  return new Map([
    ...(hasCurl ? [['curl', sendByCurl] as const] : []),
    ['the client of the tests', sendByClient] as const,
  ])
}

/**
 * Splits a command into arguments as a shell does. Supports single quotes, and a backslash at the end of a line.
 * A command that uses any other feature of a shell fails the test.
 */
export function splitCommand(command: string): string[] {
  const line = command.trim().replace(/\\\n/g, ' ')
  const bare = line.replace(/'[^']*'/g, '')
  assert.doesNotMatch(bare, /["'`$\\;&|<>()*?[\]{}\n]/, `a shell would change: ${command}`)
  return (line.match(/(?:'[^']*'|[^\s'])+/g) ?? []).map((arg) => arg.replaceAll("'", ''))
}

/** Options without a value. `-g` only affects curl's URL patterns. */
const flags: readonly string[] = ['-g', '--get']

async function sendByCurl([, ...args]: readonly string[]): Promise<Reply> {
  const quiet = ['--disable', '--silent', '--show-error', '--noproxy', '*', '--max-time', '30']
  const options = [...quiet, '--write-out', '\n%{http_code}', ...args]
  const { stdout } = await promisify(execFile)('curl', options)
  const end = stdout.lastIndexOf('\n')
  return { status: Number(stdout.slice(end + 1)), text: stdout.slice(0, end) }
}

async function sendByClient([, ...args]: readonly string[]): Promise<Reply> {
  const { method, url, call } = parseArguments(args)
  const client = connect(url.origin)
  try {
    return await client.send(method, url.href.slice(url.origin.length), call)
  } finally {
    client.close()
  }
}

function parseArguments(args: readonly string[]) {
  const options: [name: string, value: string][] = []
  let url = ''
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at] ?? ''
    if (!arg.startsWith('-')) url = arg
    else if (flags.includes(arg)) options.push([arg, ''])
    else options.push([arg, args[++at] ?? ''])
  }
  const valuesOf = (name: string) =>
    options.flatMap(([option, value]) => (option === name ? [value] : []))
  const known = [...flags, '--data', '--data-urlencode', '--header', '--request']
  for (const [option] of options) assert.ok(known.includes(option), `unknown option: ${option}`)
  const address = new URL(url)
  const [raw] = valuesOf('--data')
  for (const pair of valuesOf('--data-urlencode')) address.search += `&${encodePair(pair)}`
  const call: Call = { headers: Object.fromEntries(valuesOf('--header').map(parseHeader)), raw }
  const [method = raw === undefined ? 'GET' : 'POST'] = valuesOf('--request')
  return { method, url: address, call }
}

/** Encodes `name=text` as curl does: only the text is encoded. */
function encodePair(pair: string): string {
  const equals = pair.indexOf('=')
  return `${pair.slice(0, equals)}=${encodeURIComponent(pair.slice(equals + 1))}`
}

function parseHeader(header: string): [name: string, value: string] {
  const colon = header.indexOf(':')
  return [header.slice(0, colon), header.slice(colon + 1).trim()]
}
