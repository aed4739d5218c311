import type { GuideStep } from '../../devices/phones/connect-guide.ts'
import type { GuideStepName } from '../../devices/phones/guide-words.ts'
import { ProgressLines } from '../core/progress-lines.ts'
import { unlessBack } from './guide/go-back.ts'
import type { GuideSession } from './guide/guide-session.ts'

/** Short enough to look live; each look is a few short reads. */
const lookEveryMs = 500

/**
 * Shows steps live until the last of them is done or has failed, or the user presses Enter. After its time, what the cause
 * usually is. `pastFailures` waits on after a failure, which a phone may disprove. Throws where the user wants to return.
 */
export async function waitForStep(
  session: GuideSession,
  names: readonly GuideStepName[],
  { pastFailures = false } = {},
): Promise<'over' | 'typed'> {
  const { terminal, tools } = session
  const { clock, io } = tools
  const lines = new ProgressLines(io.stdout)
  const beganMs = clock.monotonicMs()
  let line: string | null = null
  const typed = terminal.line().then((text) => void (line = text))
  // A line that nothing awaits any more ends with the terminal.
  typed.catch(() => undefined)
  for (;;) {
    const steps = (await session.look()).filter(({ name }) => names.includes(name))
    const last = steps.at(-1)
    const isOver = last?.state !== 'now' && !(pastFailures && last?.state === 'failed')
    if (last === undefined || isOver) return 'over'
    const isLate = clock.monotonicMs() - beganMs >= last.usual.afterMs
    lines.show([...steps.map(lineOf), ...hints(last, isLate)])
    if (line !== null) {
      unlessBack(line)
      return 'typed'
    }
    let cancel = (): void => undefined
    const pause = new Promise<void>((resolve) => (cancel = clock.schedule(lookEveryMs, resolve)))
    await Promise.race([pause, typed])
    cancel()
  }
}

const lineOf = ({ title, state, summary }: GuideStep) => ({
  name: `${title}: `,
  isDone: state === 'done',
  summary: summary || 'waiting.',
})

/** Below the steps: what to do, and what is usual once it is late. */
const hints = ({ remedy, usual }: GuideStep, isLate: boolean) =>
  [remedy ?? '', isLate ? usual.text : '']
    .filter((text) => text !== '')
    .map((summary) => ({ name: '', isDone: null, summary }))
