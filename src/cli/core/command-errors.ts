/** EX_CONFIG of sysexits.h: a restart fails again until the operator has fixed it (deploy/onesixty.service). */
export const mustBeFixed = 78

/**
 * EX_DATAERR of sysexits.h, for `migrate --check` alone: no start on this database would succeed, with any settings. What installs a version judges by
 * it (deploy/debian/preinst), so nothing else may end so.
 */
export const doesNotFit = 65

/** The database does not fit the version that was asked about: exit code 65. */
export class UnfitError extends Error {
  override readonly name = 'UnfitError'
}

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
