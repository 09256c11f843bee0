import { describeGuideProgram } from './guide-program.ts'

describeGuideProgram('docs/mounting.md', 'notes.db')
