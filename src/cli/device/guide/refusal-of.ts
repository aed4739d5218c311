import { Refusal } from '../../../runtime/errors.ts'
import { CommandError } from '../../core/command-errors.ts'

/** Returns what was refused, as the outcome of a try. Anything else is a bug, and ends the command. */
export function refusalOf(error: unknown): { summary: string; remedy: null } {
  if (error instanceof Refusal || error instanceof CommandError)
    return { summary: error.message, remedy: null }
  throw error
}
