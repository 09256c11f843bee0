import { describeGuideProgram } from './guide-program.ts'

describeGuideProgram('docs/in-process.md', 'shop.db')
