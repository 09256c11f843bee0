import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import type { Call } from '../client.ts'
import { connect } from '../client.ts'

/** What a request got back. */
export interface Reply {
  readonly status: number
  readonly text: string
}

/** Sends what the words of a `curl` command ask for; the first word is `curl` itself. */
type Sender = (words: readonly string[]) => Promise<Reply>

/** The ways to send a `curl` command on this machine: by curl where there is one, and always by our own reading of it. */
export function senders(): ReadonlyMap<string, Sender> {
  const hasCurl = spawnSync('curl', ['--version'], { stdio: 'ignore' }).status === 0
  return new Map([
    ...(hasCurl ? [['curl', sendByCurl] as const] : []),
    ['our own reading of curl', sendByUs] as const,
  ])
}

/**
 * Splits a command into words as a shell does: single quotes keep what is between them, a backslash at the end of a
 * line joins it to the next. A command that would need more of a shell than that fails the test.
 */
export function wordsOf(command: string): string[] {
  const line = command.trim().replace(/\\\n/g, ' ')
  const bare = line.replace(/'[^']*'/g, '')
  assert.doesNotMatch(bare, /["'`$\\;&|<>()*?[\]{}\n]/, `a reader's shell would change: ${command}`)
  return (line.match(/(?:'[^']*'|[^\s'])+/g) ?? []).map((word) => word.replaceAll("'", ''))
}

/** What our own reading of curl takes for its own word: `-g` is a matter of curl's URL patterns alone. */
const flags: readonly string[] = ['-g', '--get']

async function sendByCurl([, ...words]: readonly string[]): Promise<Reply> {
  const quiet = ['--disable', '--silent', '--show-error', '--noproxy', '*', '--max-time', '30']
  const options = [...quiet, '--write-out', '\n%{http_code}', ...words]
  const { stdout } = await promisify(execFile)('curl', options)
  const end = stdout.lastIndexOf('\n')
  return { status: Number(stdout.slice(end + 1)), text: stdout.slice(0, end) }
}

async function sendByUs([, ...words]: readonly string[]): Promise<Reply> {
  const { method, url, call } = requestOf(words)
  const client = connect(url.origin)
  try {
    return await client.send(method, url.href.slice(url.origin.length), call)
  } finally {
    client.close()
  }
}

function requestOf(words: readonly string[]) {
  const options: [name: string, value: string][] = []
  let url = ''
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? ''
    if (!word.startsWith('-')) url = word
    else if (flags.includes(word)) options.push([word, ''])
    else options.push([word, words[++at] ?? ''])
  }
  const valuesOf = (name: string) =>
    options.flatMap(([option, value]) => (option === name ? [value] : []))
  const known = [...flags, '--data', '--data-urlencode', '--header', '--request']
  for (const [option] of options) assert.ok(known.includes(option), `what does ${option} ask for?`)
  const address = new URL(url)
  const [raw] = valuesOf('--data')
  for (const pair of valuesOf('--data-urlencode')) address.search += `&${encoded(pair)}`
  const call: Call = { headers: Object.fromEntries(valuesOf('--header').map(headerOf)), raw }
  const [method = raw === undefined ? 'GET' : 'POST'] = valuesOf('--request')
  return { method, url: address, call }
}

/** `name=text` as curl encodes it: the text alone. */
function encoded(pair: string): string {
  const equals = pair.indexOf('=')
  return `${pair.slice(0, equals)}=${encodeURIComponent(pair.slice(equals + 1))}`
}

function headerOf(header: string): [name: string, value: string] {
  const colon = header.indexOf(':')
  return [header.slice(0, colon), header.slice(colon + 1).trim()]
}
