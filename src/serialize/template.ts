import { flattenText } from '../model/kinds/texts.ts'
import { generateConcatenation, type RowPart } from './code-generation.ts'

/** A JSON text in order: the strings are the same for every row, the functions return what depends on the row. */
export type Template = readonly (string | RowPart)[]

/** Compiles a template to one function. Adjacent strings become one, so a row costs one call for each function. */
export function compileTemplate(template: Template): RowPart {
  const parts = template.filter((part) => typeof part !== 'string')
  const texts: string[] = ['']
  for (const part of template) texts.push(typeof part === 'string' ? texts.pop() + part : '')
  return generateConcatenation(parts.length)(texts.map(flattenText), parts)
}
