/** EX_CONFIG of sysexits.h: a restart fails again until the operator has fixed it (deploy/onesixty.service). */
export const mustBeFixed = 78

/** The command line is invalid: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** An expected failure: exit code 1. Programs read `code`. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}
