import { type Times, usualTimes } from '../src/runtime/times.ts'
import { isLong } from './proof-sizes.ts'

/** How much sooner everything falls due in the servers of tests: what holds follows from the proportions. */
const quicker = 5

const quickTimes = Object.fromEntries(
  Object.entries(usualTimes).map(([name, ms]: [string, number]) => [name, ms / quicker]),
) as unknown as Times

/** Of the nodes that tests start: quick ones in `npm test`, the real ones in `npm run prove`. */
export const testTimes: Times = isLong() ? usualTimes : quickTimes
