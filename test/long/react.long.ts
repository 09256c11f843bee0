import { importFolder } from '../import-tests.ts'

// Their packages have a manifest of their own.
await importFolder('react')
