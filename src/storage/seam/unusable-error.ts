/** The database, or a file beside it, cannot be used as it is, and a later try would find the same: the message says what somebody must do first. */
export class UnusableError extends Error {
  override readonly name = 'UnusableError'
}
