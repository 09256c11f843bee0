import { describeCompilerMessages } from '../package/compiler-messages.ts'
import { commands } from '../package/installed-package.ts'
import { noTimeInCi } from '../read-count.ts'

describeCompilerMessages('5.9', commands.tsc59, noTimeInCi)
