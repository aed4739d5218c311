import type { Pull } from '../connector.ts'

/** A phone as the routes see it: a device that fetches, with the event streams that wake it. */
export interface Phone extends Pull {
  /** An event stream is open. */
  readonly isStreaming: boolean
}
