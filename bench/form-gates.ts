import { median } from './figure.ts'
import type { Form } from './installed-forms.ts'

/** How much worse than recorded a form may be. */
const tolerance = 1.1
/**
 * Recorded in November 2026 (docs/benchmarks.md). Sizes are the same on every machine. Times are not: the processor time of the package and the executable
 * is compared with the checkout's in the same run, which other work on the machine changes less than the time until ready.
 */
const recorded = {
  packedMb: { package: 4.2, 'one file': 119.6 },
  processorOfCheckout: { package: 0.42, 'one file': 0.4 },
  memoryMb: { package: 128, 'one file': 128 },
} as const

/** What one start of a form took. */
export interface Start {
  readyMs: number
  processorMs: number
  memoryMb: number
  perSecond: number | null
}

export const middle = (starts: readonly Start[], of: (start: Start) => number): number =>
  median(starts.map(of))

/** Says which gates the forms miss. One that could not be judged is missed, as where the checkout that others are compared with was not measured. */
export function missedGates(starts: ReadonlyMap<Pick<Form, 'kind' | 'size'>, readonly Start[]>): string[] {
  const all = [...starts]
  const [, ofCheckout = []] = all.find(([{ kind }]) => kind === 'checkout') ?? []
  const checkoutMs = middle(ofCheckout, (start) => start.processorMs)
  const missed: string[] = []
  const expectMost = (what: string, is: number, record: number): void => {
    if (Number.isNaN(is)) missed.push(`${what} was not measured.`)
    else if (is > record * tolerance) missed.push(`${what} is ${is.toFixed(2)}, more than 10 % above the recorded ${record}.`) // prettier-ignore
  }
  for (const [{ kind, size }, measured] of all) {
    if (kind !== 'package' && kind !== 'one file') continue
    expectMost(`The size of the ${kind} in MB`, size.packedMb, recorded.packedMb[kind])
    expectMost(`The processor time of the ${kind} from the start until it rests, as a part of the checkout's,`, middle(measured, (start) => start.processorMs) / checkoutMs, recorded.processorOfCheckout[kind]) // prettier-ignore
    expectMost(`The memory of the ${kind} in MB`, middle(measured, ({ memoryMb }) => memoryMb), recorded.memoryMb[kind]) // prettier-ignore
  }
  return missed
}
