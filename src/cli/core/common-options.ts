import type { OptionSpec } from './command.ts'

/** Names the account that a command is about. */
export const accountOption = {
  type: 'text',
  value: 'ACCOUNT',
  summary: 'Account ID: acc_…',
  required: true,
} as const satisfies OptionSpec

const modes = ['live', 'test'] as const

/** Selects live or test; `summary` says of what, and the default. */
export const modeOption = (summary: string) =>
  ({ type: 'text', value: 'MODE', summary, choices: modes }) as const satisfies OptionSpec
