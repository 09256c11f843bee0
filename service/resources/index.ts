import { computer } from './computer.ts'
import { person } from './person.ts'

/** Every resource type of the service. */
export const resources = [person, computer] as const
