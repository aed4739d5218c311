import type { StartAnswer } from '../../../src/api/console/account/start-calls.ts'

/** Whether a real SMS was sent: by a device that is not a simulator. */
export const isSentForReal = ({ takenBy }: Pick<StartAnswer, 'takenBy'>): boolean =>
  takenBy === 'devices' || takenBy === 'both'

/** Returns the text of the step "Send the first real SMS". */
export function firstRealSmsText({ liveSms, takenBy }: Pick<StartAnswer, 'liveSms' | 'takenBy'>): string {
  switch (takenBy) {
    case 'devices':
      return `${liveSms} real SMS sent so far.`
    case 'both':
      return `Real SMS were sent. A simulator took some of the ${liveSms} SMS charged to live keys so far.`
    case 'simulators':
      return 'All live messages so far went to a simulator: no real SMS was sent.'
    case null:
      return 'Run the same command with a live key and your own number, or use the page Send.'
  }
}
