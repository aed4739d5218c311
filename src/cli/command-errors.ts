/** EX_CONFIG of sysexits.h: to try again helps nothing until somebody has put it right (deploy/onesixty.service). */
export const mustBePutRight = 78

/** The command line itself is wrong: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** Something expected went wrong: exit code 1. `code` is for programs. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}
