import { randomBytes } from 'node:crypto'
import { SignJWT } from 'jose'
import { createApp } from './app.ts'

const {
  PORT = '3003',
  DATABASE = 'data/tracker.db',
  WEB_ORIGIN = 'http://localhost:5173',
} = process.env
const { SECRET: secret = randomBytes(32).toString('base64') } = process.env

const settings = { database: DATABASE, secret, webOrigin: WEB_ORIGIN, maxRequests: 300 }
const app = await createApp(settings)
const url = await app.listen({ host: '127.0.0.1', port: Number(PORT) })
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void app.close())

// An identity provider would sign the tokens. This one is for the first administrator.
const token = await new SignJWT({ role: 'admin' })
  .setProtectedHeader({ alg: 'HS256' })
  .setSubject('1')
  .setExpirationTime('1 day')
  .sign(new TextEncoder().encode(secret))
const headers = {
  authorization: `Bearer ${token}`,
  'content-type': 'application/vnd.api+json',
}
const attributes = { name: 'Administrator', email: 'admin@example.org', role: 'admin' }
const known = await app.inject({ url: '/api/users/1', headers })
if (known.statusCode === 404)
  await app.inject({
    ...{ method: 'POST', url: '/api/users', headers },
    payload: { data: { type: 'users', attributes } },
  })

console.log(
  [
    `The tracker listens at ${url}. Try, as its administrator:`,
    `curl -H 'Authorization: Bearer ${token}' ${url}/api/users`,
  ].join('\n'),
)
