import { createServer } from 'lapidary/fastify'
import { model } from './declarations.js'
import { store } from './stores.js'

export const server = createServer({ model, store })
