import type { GuideStep } from '../../devices/phones/connect-guide.ts'
import type { GuideStepName } from '../../devices/phones/guide-words.ts'
import { ProgressLines } from '../core/progress-lines.ts'
import type { GuideSession } from './guide/guide-session.ts'

/** Short enough to look live; each look is a few short reads. */
const lookEveryMs = 500

/**
 * Shows steps live until the last of them is done or has failed, or the user presses Enter. After its time, what the cause
 * usually is.
 */
export async function waitForStep(
  session: GuideSession,
  names: readonly GuideStepName[],
): Promise<'over' | 'typed'> {
  const { terminal, tools } = session
  const { clock, io } = tools
  const lines = new ProgressLines(io.stdout)
  const beganMs = clock.monotonicMs()
  let isTyped = false
  const typed = terminal.line().then(() => void (isTyped = true))
  // A line that nothing awaits any more ends with the terminal.
  typed.catch(() => undefined)
  for (;;) {
    const steps = (await session.look()).filter(({ name }) => names.includes(name))
    const last = steps.at(-1)
    if (last === undefined || last.state !== 'now') return 'over'
    const isLate = clock.monotonicMs() - beganMs >= last.usual.afterMs
    lines.show([...steps.map(lineOf), ...hints(last, isLate)])
    if (isTyped) return 'typed'
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
