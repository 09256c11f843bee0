import { describeCompilerMessages } from './compiler-messages.ts'
import { commands } from './installed-package.ts'

// `npm run test:long` tests the messages of the oldest release that is supported.
describeCompilerMessages('7', commands.tsc)
