import { importFolder } from '../import-tests.ts'

// The browser driver has a manifest of its own.
await importFolder('chromium')
