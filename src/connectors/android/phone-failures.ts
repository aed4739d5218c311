import { whomFailureBlames } from './failure.ts'

/** Consecutive failures that are no accident. */
const maxFailures = 5

/** What a phone reported of one message. */
export interface ReportedState {
  state: string
  error: string | null
}

/** Whether one phone fails repeatedly, by what it reports of its messages and of itself. */
export class PhoneFailures {
  #inRow = 0
  /** It reports that nothing at all could be sent for an hour. */
  isReported = false

  get areRepeated(): boolean {
    return this.isReported || this.#inRow >= maxFailures
  }

  /** Applies reports that changed something: the app repeats a failure with each state that it had before. */
  saw(reports: readonly ReportedState[]): void {
    for (const { state, error } of reports) {
      const blames = state === 'failed' ? whomFailureBlames(error) : null
      if (blames === 'phone') this.#inRow += 1
      if (state === 'sent' || state === 'delivered' || blames === 'recipient') this.#inRow = 0
    }
  }
}
