/**
 * Thrown if the database, or a file next to it, is unusable and a retry would fail in the same way. The
 * message states what to do first.
 */
export class UnusableError extends Error {
  override readonly name = 'UnusableError'
}
