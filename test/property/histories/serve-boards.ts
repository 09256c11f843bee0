import { exitWithError, ignoreClosedPipes, runServer } from '../../../process/run-server.ts'
import { serverSettings } from '../../../process/server-settings.ts'
import { collectTexts, parseSettings } from '../../../process/settings.ts'
import { prepareDatabase, startServer } from '../../../process/start-server.ts'
import { createBoardModel, type VersionSource } from './boards.ts'

// Serves boards, in one process or in workers, with the settings of any server in the environment. BOARD_VERSION says where versions
// come from.

ignoreClosedPipes()
const source = (process.env.BOARD_VERSION ?? 'content') as VersionSource
const application = {
  model: createBoardModel(source),
  title: 'Boards',
  rootMeta: {},
  onWarnings: () => {},
}
try {
  const values = parseSettings(serverSettings, collectTexts(serverSettings, {}, process.env))
  const { databaseUrl = '', ...others } = values
  const settings = { ...others, databaseUrl }
  await runServer(settings, {
    start: (startSettings) => startServer(application, startSettings),
    prepare: (startSettings) => prepareDatabase(application, startSettings),
    formatGreeting: (url) => `Boards at ${url}`,
  })
} catch (error) {
  exitWithError(error)
}
