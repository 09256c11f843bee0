import { startServer } from './start-server.ts'

const { PORT = '3002', DATABASE_URL = 'sqlite:data/chinook.db' } = process.env

try {
  const { url, database, close } = await startServer(DATABASE_URL, Number(PORT))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void close())
  console.log(
    [
      `The music store listens at ${url} and uses ${database}. Try:`,
      `  ${url}/artists?sort=-albumCount&include=albums`,
      `  ${url}/playlists/8?include=tracks.album.artist`,
      `  ${url}/invoices?filter[customer__country]=Norway&sort=-total`,
    ].join('\n'),
  )
} catch (error) {
  console.error(`chinook: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 2
}
