import type { ProofSize } from '../test/proof-sizes.ts'

/** What is promised to hold under fault, and the tests that show it: the rows of docs/reliability.md and of `npm run prove`. */
export interface Proof {
  /** What `npm run prove -- --only NAME` calls it. */
  name: string
  /** What holds, and against what. */
  says: string
  /** Projects of vitest.config.ts. */
  projects: readonly string[]
  files: readonly string[]
  /** A program in the place of tests, for what is too long for `npm test` at any size: 0 is its word that it holds. */
  script?: string
  /** It keeps one processor busy and measures no times, so that it may run beside another proof. */
  isCalculation?: boolean
  /** What of test/proof-sizes.ts makes it longer; without any the whole proof runs in `npm test` already. */
  sizes: readonly ProofSize[]
  /** Bugs of test/planted/ that it must catch. Each bug belongs to one proof. */
  catches: readonly string[]
}

const both = ['sqlite', 'postgres']
const embedded = ['sqlite']

export const proofs: readonly Proof[] = [
  {
    name: 'kills',
    says: 'kill -9 at random under load over HTTP, with the peer in another process: nothing accepted is lost, charged twice or handed over twice, at most a window of unknown outcomes for each kill, one key fifty times at once before a kill and after it is one message, back within 5 s',
    projects: ['crash'],
    files: ['test/crash/kill-9.test.ts'],
    sizes: ['KILLS'],
    catches: ['answer-before-commit', 'keys-of-this-process', 'resend-at-start', 'window-exceeded'],
  },
  {
    name: 'crash-points',
    says: 'death at a named point: before and after each commit of the way of a message, each write that leaves the house and each answer',
    projects: ['crash'],
    files: ['test/crash/crash-points.test.ts', 'test/crash/smpp-crash-points.test.ts'],
    sizes: ['CRASH_ROUNDS'],
    catches: ['hand-over-before-commit'],
  },
  {
    name: 'threads',
    says: 'a thread of the database that dies ends its server at once, and the next one takes over; its links are taken at once and given back',
    projects: ['crash'],
    files: ['test/crash/dead-thread.test.ts', 'test/crash/leases.test.ts'],
    sizes: [],
    catches: ['dead-thread-outlived'],
  },
  {
    name: 'flushes',
    says: 'by the calls that the server makes of the system (strace): no 202 leaves before its message was flushed, alone or in a batch, no message before its attempt was',
    projects: ['crash'],
    files: ['test/crash/flush-order.test.ts'],
    sizes: [],
    catches: ['batch-answered-before-commit', 'synchronous-normal'],
  },
  {
    name: 'full-disk',
    says: 'a disk that is full (a small tmpfs): 507 and no false 202, reads go on, and sends go on by themselves when there is room',
    projects: ['crash'],
    files: ['test/crash/disk-full.test.ts'],
    sizes: ['FULL_DISKS'],
    catches: ['full-disk-swallowed'],
  },
  {
    name: 'unsafe-settings',
    says: 'a database that does not flush each commit is not used, SQLite that falls back in silence among them: the start is refused, and a node that comes back to such a PostgreSQL writes nothing',
    projects: ['postgres', 'sqlite'],
    files: ['test/postgres/unsafe-server.test.ts', 'test/storage/unsafe-sqlite.test.ts'],
    sizes: [],
    catches: ['torn-pages-allowed', 'unsafe-server-is-used', 'unsafe-sqlite-is-commanded', 'unsafe-sqlite-is-served'],
  },
  {
    name: 'faults-of-storage',
    says: 'a database that is full, locked, read-only or out of memory is said to be so: 507 or 503, nothing half-written, and the next write is taken',
    projects: embedded,
    files: ['test/storage/sqlite-faults.test.ts', 'test/storage/guarded-connection.test.ts', 'test/api/faults.test.ts'],
    sizes: [],
    catches: ['statements-outlive-transaction'],
  },
  {
    name: 'model',
    says: 'messages and money do what a model of them does, whatever happens in whatever order, on the real store',
    projects: embedded,
    files: ['test/messages/model.test.ts'],
    isCalculation: true,
    sizes: ['SEQUENCES'],
    catches: ['double-release', 'late-report-charges', 'part-of-it-delivered'],
  },
  {
    name: 'races',
    says: 'forty sends at once for the last ten SMS, and one key from all edges at once, by two writers of one database',
    projects: both,
    files: ['test/messages/race.test.ts', 'test/life-of-a-message.test.ts'],
    sizes: ['ROUNDS'],
    catches: ['read-then-update', 'check-then-insert'],
  },
  {
    name: 'stop',
    says: 'after STOP is stored nothing is handed over, whoever claims, accepts or gives back at that moment',
    projects: both,
    files: ['test/messages/stop-race.test.ts'],
    sizes: ['RACES'],
    catches: ['stop-passes-claims'],
  },
  {
    name: 'node-races',
    says: 'the same races over four nodes: forty sends for the last ten SMS, one key fifty times at once',
    projects: ['crash-postgres'],
    files: ['test/crash/postgres/races.test.ts'],
    sizes: ['NODE_ROUNDS'],
    catches: ['nodes-take-no-turns'],
  },
  {
    name: 'four-nodes',
    says: 'of four nodes on PostgreSQL one is killed each 10 s and one stands still for 90 s: nothing is handed over twice, and what the old token wants is refused',
    projects: ['crash-postgres'],
    files: ['test/crash/postgres/four-nodes.test.ts'],
    sizes: ['NODE_KILLS', 'NODE_SENDS_PER_SECOND'],
    catches: ['no-fencing-of-nodes'],
  },
  {
    name: 'fencing',
    says: 'a node that lost a link claims nothing for it, what a living node hands over is ended by nobody else, and no page of history passes by what another writes',
    projects: both,
    files: ['test/messages/fencing.test.ts', 'test/nodes/rescuer.test.ts', 'test/nodes/history-floor.test.ts', 'test/dispatch/link-leases.test.ts'],
    sizes: [],
    catches: ['no-fencing', 'living-nodes-rescued', 'no-history-floor'],
  },
  {
    name: 'postgres-killed',
    says: 'PostgreSQL killed and started again under load: whoever asks is told so within 2 s, it is back within 5 s, nothing is lost or doubled',
    projects: ['crash-postgres'],
    files: ['test/crash/postgres/postgres-killed.test.ts'],
    sizes: ['POSTGRES_KILLS'],
    catches: ['outcome-lost-with-postgres', 'away-waited-for'],
  },
  {
    name: 'lost-commits',
    says: 'a COMMIT whose answer is lost is never repeated blindly, nor believed: the database is asked what became of it',
    projects: ['postgres'],
    files: ['test/postgres/lost-commit.test.ts', 'test/postgres/numbers-again.test.ts', 'test/postgres/black-hole.test.ts'],
    sizes: [],
    catches: ['commit-asked-for-too-long', 'commit-believed', 'commit-given-up', 'commit-repeated'],
  },
  {
    name: 'stops',
    says: 'SIGTERM under load: no unknown outcome, the end within 30 s; no second server on one folder',
    projects: ['crash'],
    files: ['test/crash/drain.test.ts'],
    sizes: ['STOPS'],
    catches: ['no-drain', 'no-folder-lock'],
  },
  {
    name: 'clocks',
    says: 'a wall clock that jumps by days, in the process (libfaketime, three days and back under load) and in the code: nothing is lost, goes early, late or twice, and no lease ends',
    projects: ['crash', 'sqlite'],
    files: ['test/crash/schedule.test.ts', 'test/crash/clock-jumps.test.ts', 'test/dispatch/wall-clock.test.ts', 'test/dispatch/link-leases.test.ts', 'test/devices/device-lease.test.ts'],
    sizes: [],
    catches: ['wall-clock-leases', 'queue-by-the-wall-clock', 'leases-run-out-by-the-wall-clock'],
  },
  {
    name: 'validity',
    says: 'nothing is handed over after its validity or after a cancel, whatever waited',
    projects: both,
    files: ['test/dispatch/janitors.test.ts'],
    sizes: [],
    catches: ['late-hand-over', 'orphans-go-after-restore'],
  },
  {
    name: 'restores',
    says: 'a backup made under load and restored: nothing of it is sent again until somebody decides, new messages go',
    projects: ['crash'],
    files: ['test/crash/restore.test.ts'],
    sizes: ['RESTORED_HOUSES'],
    catches: ['no-epoch'],
  },
  {
    name: 'moves',
    says: 'a move to PostgreSQL that is killed at any time leaves one whole database, and the one that has moved is served no more',
    projects: ['postgres', 'sqlite'],
    files: ['test/move/kill.test.ts', 'test/cli/moved.test.ts'],
    sizes: [],
    catches: ['move-compares-nothing', 'move-leaves-rows-out', 'moved-is-served'],
  },
  {
    name: 'smpp',
    says: 'an SMSC that throttles, drops, half-opens, stalls, or answers late: nothing goes twice, no session is stuck',
    projects: embedded,
    files: ['test/smpp/link-faults.test.ts', 'test/smpp/link-pace.test.ts', 'test/smpp/link-pair.test.ts', 'test/smpp/link-changes.test.ts', 'test/smpp/link-whole.test.ts', 'test/smpp/session-deliveries.test.ts', 'test/smpp/foreign-tls.test.ts', 'test/smpp/foreign-sessions.test.ts'],
    sizes: [],
    catches: ['smpp-again-after-time-out', 'smpp-full-handset-slows-all', 'smpp-full-queues-add-up', 'smpp-half-is-given-up', 'smpp-no-doubt', 'smpp-receipt-before-store', 'smpp-receiver-submits', 'smpp-same-words-are-a-repeat', 'smpp-stop-cuts-in-half', 'smpp-throttled-is-a-try', 'smpp-tls-unchecked'],
  },
  {
    name: 'smpp-garbage',
    says: 'whatever bytes an SMSC sends, each session answers, ends or goes on, and none is stuck; each request has one true outcome',
    projects: embedded,
    files: ['test/smpp/session-hostile.test.ts', 'test/smpp/session-framing.test.ts', 'test/smpp/session-model.test.ts', 'test/smpp/session-life.test.ts'],
    isCalculation: true,
    sizes: ['GARBAGE_PDUS', 'SESSION_RUNS'],
    catches: ['smpp-begun-pdu-waited-for', 'smpp-dead-peer-trusted'],
  },
  {
    name: 'phones',
    says: 'a thousand phones, the 28 checks of the app’s protocol, and whatever phones, people and time do in whatever order, phones that are offline for days among it',
    projects: embedded,
    files: ['test/phones/phones-model.test.ts', 'test/phones/conformance.test.ts', 'test/phones/thousand-phones.test.ts', 'test/phones/fifty-phones.test.ts', 'test/phones/restarts.test.ts', 'test/phones/cancel-messages.test.ts', 'test/phones/desk.test.ts', 'test/phones/phone-life.test.ts', 'test/phones/phone.test.ts', 'test/phones/registrations.test.ts', 'test/phones/routes.test.ts'],
    sizes: ['PHONE_SEQUENCES'],
    catches: ['late-words-of-phones-charge', 'offers-outlive-their-phone'],
  },
  {
    name: 'webhooks',
    says: 'endpoints that hang, drip, redirect, flood, answer 410 or 429 stand in nobody’s way; addresses inside are not reached in any spelling; events are told again under the same id with the same words',
    projects: embedded,
    files: ['test/webhooks/address-guard.test.ts', 'test/webhooks/hostile-receivers.test.ts', 'test/webhooks/lanes.test.ts', 'test/webhooks/deliverer.test.ts'],
    sizes: [],
    catches: ['webhook-hanging-take-all', 'webhook-literal-unguarded', 'webhook-lost-with-its-server', 'webhook-tells-the-present', 'webhook-tls-unguarded'],
  },
  {
    name: 'webhook-kills',
    says: 'kills while events are delivered lose none of them',
    projects: ['crash'],
    files: ['test/crash/webhooks.test.ts'],
    sizes: ['WEBHOOK_KILLS'],
    catches: ['webhook-done-when-begun'],
  },
  {
    name: 'hostile-http',
    says: 'slow, endless, smuggled, compressed, deep and broken requests get a 4xx soon, and never a 5xx',
    projects: embedded,
    files: ['test/api/hostile-http.test.ts', 'test/api/slow-clients.test.ts', 'test/api/silent-connections.test.ts', 'test/api/json-body.test.ts', 'test/api/media-types.test.ts'],
    sizes: [],
    catches: ['depth-looked-at-too-late'],
  },
  {
    name: 'nul',
    says: 'a NUL in any text of any call of the API, the console or the operator’s programs is refused by name, on PostgreSQL too, which keeps none',
    projects: both,
    files: ['test/api/nul.test.ts'],
    sizes: [],
    catches: ['nul-reaches-the-database'],
  },
  {
    name: 'fuzz',
    says: 'requests made from both references, right, nearly right and hostile: no 5xx, and no status, code, header or body that the reference does not name',
    projects: embedded,
    files: ['test/api/fuzz.test.ts', 'test/operator/fuzz.test.ts'],
    isCalculation: true,
    sizes: ['FUZZ_REQUESTS', 'OPERATOR_FUZZ_REQUESTS'],
    catches: ['account-since-a-number', 'answer-undocumented', 'stored-time-as-a-number'],
  },
  {
    name: 'access',
    says: 'every route of the API, the console and the operator’s programs, tried without, with a bad, an ended, a foreign and a lesser key or session, and with every id of somebody else: what is theirs is absent, and whoever may is answered',
    projects: embedded,
    files: ['test/console/access.test.ts', 'test/operator/access.test.ts', 'test/api/authentication.test.ts', 'test/history/filters.test.ts'],
    sizes: [],
    catches: ['account-filter-dropped', 'foreign-key-revoked', 'foreign-page-believed', 'member-takes-the-owners-part'],
  },
  {
    name: 'row-security',
    says: 'on PostgreSQL a read for an account that forgot to name it sees the rows of that account alone',
    projects: ['postgres'],
    files: ['test/postgres/row-security.test.ts', 'test/postgres/row-security-start.test.ts', 'test/postgres/console-walls.test.ts'],
    sizes: [],
    catches: ['wall-of-accounts-open'],
  },
  {
    name: 'console',
    says: 'sessions, guessing, second factors, foreign pages, and 200 strings that would run in a browser',
    projects: ['sqlite', 'e2e'],
    files: ['test/console/attacks.test.ts', 'test/console/passkeys.test.ts', 'test/e2e/xss.test.ts'],
    sizes: [],
    catches: ['guesses-counted-as-typed', 'text-as-markup'],
  },
  {
    name: 'secrets',
    says: 'no log, metric, trace of a link or answer to somebody else has a text, a whole number, a key, a token, a code, a password or a secret: marks in the flows of people, programs, phones, the operator and webhooks, at level debug',
    projects: embedded,
    files: ['test/log-canary.test.ts', 'test/smpp/no-secrets.test.ts', 'test/smpp/link-trace.test.ts', 'test/api/request-log.test.ts'],
    sizes: [],
    catches: ['device-token-in-the-log', 'endpoints-of-everybody', 'smpp-bind-logged', 'smpp-trace-tells-all', 'number-in-the-log'],
  },
  {
    name: 'fairness',
    says: 'an account that sends one message a second waits behind no backlog of another on the same device: 99 of 100 are handed over within 2 s, by the log of the peer',
    projects: ['crash'],
    files: ['test/crash/fairness.test.ts'],
    sizes: ['BACKLOG', 'WAITING_SENDS'],
    catches: ['oldest-account-first'],
  },
  {
    name: 'soak',
    says: 'a million messages with texts erased as they end: resident memory stays below 300 MB and grows by no more than 5 MB in the second half, the write-ahead log stays below 64 MB',
    projects: [],
    files: [],
    script: 'bench/soak.ts',
    sizes: ['SOAK_MESSAGES'],
    catches: ['log-never-taken-over', 'questions-kept'],
  },
] // prettier-ignore
