import type { Field } from './model.ts'

/** Says that an update must not change a field. */
export function describeImmutable({ name }: Pick<Field, 'name'>): string {
  return `${name} cannot be changed after the resource is created.`
}
