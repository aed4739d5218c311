import type { LoadJob, LoadResult, RequestShape } from './load-job.ts'
import type { ServerProcess } from './server-process.ts'

/** How long and how much. */
export interface Lengths {
  warmUpMs: number
  measureMs: number
  /** Rounds of the rates that have a bar; the middle one counts. */
  rounds: number
  /** Requests of the whole lives, of one and of a hundred messages: what the second leaves waiting takes its time. */
  lives: { one: number; hundred: number }
  wireMs: number
  /** Requests of each kind of read. */
  reads: number
  largeDatabase: number
  starts: number
  queuedMessages: number
  /** Each round of each codec of SMPP. */
  codecMs: number
  /** Each rate of several nodes: there are a dozen of them. */
  nodes: { warmUpMs: number; measureMs: number }
  /** Phones that are connected at once. */
  phones: number
  /** How long a pool of modems sends. */
  modemsMs: number
}

export const fullLengths: Lengths = {
  warmUpMs: 3_000, measureMs: 8_000, rounds: 3, lives: { one: 150_000, hundred: 3_000 }, wireMs: 20_000,
  reads: 9_000, largeDatabase: 5_000_000, starts: 5, queuedMessages: 1_000_000, codecMs: 2_000,
  nodes: { warmUpMs: 2_000, measureMs: 5_000 }, phones: 1_000, modemsMs: 600_000,
} // prettier-ignore

/** For work on the bench itself: the figures say nothing. */
export const quickLengths: Lengths = {
  warmUpMs: 1_000, measureMs: 2_000, rounds: 1, lives: { one: 10_000, hundred: 200 }, wireMs: 3_000,
  reads: 300, largeDatabase: 200_000, starts: 2, queuedMessages: 50_000, codecMs: 1_000,
  nodes: { warmUpMs: 1_000, measureMs: 2_000 }, phones: 50, modemsMs: 20_000,
} // prettier-ignore

/** What the rows of one run share. */
export interface BenchRun {
  lengths: Lengths
  /** Tells whoever waits. */
  say(text: string): void
  /** Loads a server, without `perSecond` as fast as it answers, and says what came out. */
  load(name: string, target: LoadTarget): Promise<MeasuredLoad>
}

export interface LoadTarget extends Partial<
  Pick<
    LoadJob,
    'connections' | 'perSecond' | 'measureMs' | 'warmUpMs' | 'maxRequests' | 'keepTimes' | 'hasOwnKeys'
  >
> {
  server: Pick<ServerProcess, 'port' | 'pid'>
  /** Further nodes, which share the connections. */
  otherPorts?: readonly number[]
  token: string
  /** Keys of further accounts, which the requests bear in turns with it. */
  otherTokens?: readonly string[]
  shape: RequestShape
  expectedStatus?: number
}

export interface MeasuredLoad extends LoadResult {
  /** Who used the processors, as a clause; warm-up included. */
  facts: string
  /** Processor time of the server for each message or request, in microseconds; warm-up included. */
  us: number
}
