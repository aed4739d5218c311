import { expect, test } from 'vitest'
import { firstRealSmsText, isSentForReal } from '../../console/src/start/first-real-sms.ts'

const words = [
  [{ liveSms: 0, takenBy: null }, false, /^Run the same command with a live key/],
  [{ liveSms: 3, takenBy: 'simulators' }, false, /no real SMS was sent\.$/],
  [{ liveSms: 1, takenBy: 'devices' }, true, /^1 real SMS sent so far\.$/],
  [{ liveSms: 200, takenBy: 'devices' }, true, /^200 real SMS sent so far\.$/],
  [{ liveSms: 250, takenBy: 'both' }, true, /^Real SMS were sent\. A simulator took some of the 250 SMS /],
] as const

test.for(words)(
  'the step of the first real SMS is ticked, and says so, only where one was sent: %o',
  (given) => {
    const [answer, isSent, summary] = given
    expect(isSentForReal(answer)).toBe(isSent)
    expect(firstRealSmsText(answer)).toMatch(summary)
  },
)
