import type { StartAnswer } from '../../../src/api/console/account/start-calls.ts'

/** A real SMS has been sent: something else than a simulator took one. */
export const isSentForReal = ({ takenBy }: Pick<StartAnswer, 'takenBy'>): boolean =>
  takenBy === 'devices' || takenBy === 'both'

/** What the step of the first real SMS says. */
export function firstRealSmsWords({ liveSms, takenBy }: Pick<StartAnswer, 'liveSms' | 'takenBy'>): string {
  switch (takenBy) {
    case 'devices':
      return `${liveSms} ${liveSms === 1 ? 'SMS was' : 'SMS were'} sent for real so far.`
    case 'both':
      return `Real SMS were sent. Of the ${liveSms} SMS charged to live keys so far, a simulator took some.`
    case 'simulators':
      return 'Only a simulator took what was sent with live keys so far: no real SMS was sent.'
    case null:
      return 'Take the same line with a live key and a number of your own, or write it on the page Send.'
  }
}
