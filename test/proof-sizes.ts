/**
 * How large the proofs are: `ci` in `npm test`, `long` in `npm run prove` (docs/reliability.md). The long run is asked for with
 * ONESIXTY_TEST_TIER=long, and one size with ONESIXTY_TEST_<NAME>, as in ONESIXTY_TEST_KILLS=30. What `npm test` runs takes minutes, the whole
 * long run two hours.
 */
export const proofSizes = {
  KILLS: { ci: 4, long: 300, of: 'kills of a server under load' },
  CRASH_ROUNDS: { ci: 1, long: 50, of: '× a crash at each named point' },
  FULL_DISKS: { ci: 1, long: 10, of: '× a full disk' },
  STOPS: { ci: 2, long: 30, of: 'stops under load' },
  WEBHOOK_KILLS: { ci: 3, long: 30, of: 'kills while webhooks are delivered' },
  RESTORED_HOUSES: {
    ci: 1,
    long: 34,
    of: '× a server under load of which one backup is restored three times',
  },
  PUT_BACKS: { ci: 1, long: 30, of: '× a copy of the data folder put back in each of three ways' },
  SERVER_PUT_BACKS: {
    ci: 1,
    long: 20,
    of: '× a copy of the disk of PostgreSQL put back in each way',
  },
  SERVER_COPIES: { ci: 1, long: 4, of: 'ways to copy the disk of PostgreSQL and to put it back' },
  SEQUENCES: { ci: 300, long: 200_000, of: 'sequences of what can happen to messages and money' },
  BOTH_WAYS: {
    ci: 150,
    long: 100_000,
    of: 'connections with the same requests to a server that reads them itself and to one that does not',
  },
  WAY_CHOICES: { ci: 500, long: 10_000, of: 'choices of devices on ways of rules' },
  SHARED_TEXTS: { ci: 150, long: 5_000, of: 'sequences of units whose statements share texts on PostgreSQL' },
  PLAN_SEQUENCES: { ci: 60, long: 10_000, of: 'sequences of what SIM plans count' },
  WEIGHTED_MESSAGES: {
    ci: 1_000,
    long: 40_000,
    of: 'messages by weights over two nodes, of which one is killed',
  },
  WAY_RACES: { ci: 20, long: 2_000, of: 'races of a removal of ways with a send' },
  PLAN_RACES: { ci: 3, long: 300, of: 'races of two nodes for the plan of a SIM' },
  SICK_LINKS: { ci: 12, long: 2_000, of: 'sequences of links that begin and cease to fail' },
  PHONE_SEQUENCES: { ci: 80, long: 5_000, of: 'sequences of what phones, people and time do' },
  PHONE_HOUSE_KILLS: { ci: 2, long: 5, of: 'kills of a server with fifty phones' },
  LOST_ANSWERS: { ci: 100, long: 1_000, of: 'submissions to a visited phone of which each answer is lost' },
  PHONE_MESSAGES: { ci: 120, long: 500, of: 'messages that one phone is asked for at once' },
  ROUNDS: { ci: 50, long: 1_000, of: 'races of forty sends, and of one key' },
  RACES: { ci: 1_000, long: 40_000, of: 'races of STOP against hand-over, three quarters of them embedded' },
  NODE_ROUNDS: { ci: 40, long: 1_000, of: 'races over four nodes' },
  NODE_KILLS: { ci: 4, long: 50, of: 'kills of one of four nodes' },
  NODE_SENDS_PER_SECOND: { ci: 10, long: 60, of: 'sends a second to each of four nodes' },
  POSTGRES_KILLS: { ci: 2, long: 50, of: 'kills of PostgreSQL under load' },
  FAILOVERS: { ci: 2, long: 20, of: 'failovers of PostgreSQL under Patroni, every second one planned' },
  SMSC_MESSAGES: { ci: 2_000, long: 10_000, of: 'messages through an SMSC that we did not write' },
  MODEM_TEXTS: {
    ci: 400,
    long: 50_000,
    of: 'texts that another codec reads from our PDUs, and ours from its',
  },
  MODEM_BYTES: { ci: 100, long: 20_000, of: 'sequences of any bytes to the emulated modem' },
  MODEM_REPORTS: { ci: 80, long: 600, of: 'messages over a modem, each with its report' },
  GARBAGE_PDUS: { ci: 100_000, long: 1_000_000, of: 'PDUs of garbage' },
  SESSION_RUNS: { ci: 200, long: 20_000, of: 'lives of SMPP sessions' },
  BACKLOG: { ci: 4_000, long: 100_000, of: 'messages that one account has waiting' },
  WAITING_SENDS: { ci: 10, long: 100, of: 'sends of another account' },
  SOAK_MESSAGES: {
    ci: 240_000,
    long: 1_000_000,
    of: 'messages through their whole life, and half as many again',
  },
  SHOWN_LOOKS: {
    ci: 1,
    long: 10,
    of: 'looks at each filter of a large history, of which the quickest counts',
  },
  // A quick machine reads 300,000 messages as a whole within 300 ms.
  SHOWN_MESSAGES: { ci: 60_000, long: 600_000, of: 'messages of that history' },
  FUZZ_REQUESTS: { ci: 1_200, long: 500_000, of: 'requests made from the reference' },
  RELAYED_MESSAGES: {
    ci: 60,
    long: 1_000,
    of: 'messages over another onesixty, of which each tenth answer is lost',
  },
  OPERATOR_FUZZ_REQUESTS: { ci: 800, long: 50_000, of: 'requests made from the operator’s reference' },
} as const satisfies Record<string, { ci: number; long: number; of: string }>

export type ProofSize = keyof typeof proofSizes

export const isLong = (): boolean => process.env['ONESIXTY_TEST_TIER'] === 'long'

/** How many of something this run takes. Throws for a size that is no number: a proof of nothing would pass. */
export function sizeOf(name: ProofSize): number {
  const given = process.env[`ONESIXTY_TEST_${name}`]
  const size = given === undefined ? proofSizes[name][isLong() ? 'long' : 'ci'] : Number(given)
  if (!Number.isInteger(size) || size < 1) throw new Error(`ONESIXTY_TEST_${name}=${given} is no count`)
  return size
}

/** An end for a test that hangs: `ciMs`, or hours where the sizes are another's. */
export const endAfter = (ciMs: number): number => (isLong() ? Math.max(ciMs, longestProofMs) : ciMs)

const longestProofMs = 7_200_000
