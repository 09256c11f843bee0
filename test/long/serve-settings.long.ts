import { testSettings } from '../cli/serve-settings.ts'
import { databases } from '../databases.ts'

// `npm test` starts the workers on the first database.
for (const database of databases.slice(1)) testSettings(database)
