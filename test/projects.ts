import { matchesGlob } from 'node:path'
import { needStore, testFiles } from './test-files.ts'

const among = (files: readonly string[], ...globs: readonly string[]): string[] =>
  files.filter((file) => globs.some((glob) => matchesGlob(file, glob)))
const without = (files: readonly string[], ...globs: readonly string[]): string[] =>
  files.filter((file) => !globs.some((glob) => matchesGlob(file, glob)))

/** What kills servers of several nodes, or a PostgreSQL. */
const crashPostgres = 'test/crash/postgres/**'
/** What kills a server of the embedded database, measures no time, and bears the tests with a browser beside it. */
const crashBeside = [
  'test/crash/put-back.test.ts',
  'test/crash/restore.test.ts',
  'test/crash/webhooks.test.ts',
]
/** What measures how soon something is, with bounds that it keeps on two free cores. */
const crashAlone = ['test/crash/thousand-phones.test.ts']
/** What is about PostgreSQL itself, or about several servers of one database, which it alone allows. */
const postgresOnly = ['test/postgres/**', 'test/move/**', 'test/nodes/**']
/** The rooms of money, states, history and nodes: what they promise either database keeps. */
const core = 'test/{accounts,dispatch,history,ledger,messages,move,nodes,postgres}/**'
/**
 * Of all other rooms, which look at words, pages, commands and peers: what makes statements that no other test makes (test/statements/ misses them),
 * what is about money, states or a delivery that comes twice, and where the databases differ: in what values they take, whose rows they show, what they
 * say when they refuse, and how they plan.
 */
const othersOnPostgres = [
  'test/life-of-a-message.test.ts',
  'test/log-canary.test.ts',
  'test/scheduled-life.test.ts',
  'test/alerts/{alert-plans,own-devices,provider-balances}.test.ts',
  'test/api/{authentication,fuzz,idempotency,nul,rate-limit,send,send-guard,send-policy}.test.ts',
  'test/cli/{accounts-and-keys,canary,device,doctor,epoch,group,phone,restore-holds,route,unusable}.test.ts',
  'test/console/{access,alert-choices,balance,changed-secret,ended-meanwhile,history,identity,links}.test.ts',
  'test/console/{operator,overview,passkey-refusals,rules-page,webhooks}.test.ts',
  'test/devices/{device-lease,device-marks,device-store,own-carriers,sim-plans,unread-forms}.test.ts',
  'test/http-provider/provider-messages.test.ts',
  'test/operator/{access,accounts,fuzz,grants}.test.ts',
  'test/phones/{cancel-messages,fair-turns,forgotten-registrations,guided-connect,open-offers,own-devices,phone-status,plans}.test.ts',
  'test/phones/{registrations,sent-words,sick-phones,unclear-failures,visits-never-twice,words-and-recalls}.test.ts',
  'test/reach/open-reach.test.ts',
  'test/status/**',
  'test/webhooks/{deliverer,disabled-endpoints,endpoint-store,forgetting-webhooks,nothing-dropped,plans,repeats,test-event}.test.ts',
]

const [crash, e2e, statements] = [among(testFiles, 'test/crash/**'), among(testFiles, 'test/e2e/**'), among(testFiles, 'test/statements/**')] // prettier-ignore
const others = testFiles.filter((file) => ![...crash, ...e2e, ...statements].includes(file))
const stored = needStore(others)

/** The test files of each project of Vitest: what needs no database runs once, what kills processes or has a browser by itself. */
export const filesOf = {
  unit: others.filter((file) => !stored.includes(file)),
  sqlite: without(stored, ...postgresOnly),
  postgres: among(stored, core, ...othersOnPostgres),
  e2e,
  crash: without(crash, crashPostgres, ...crashBeside, ...crashAlone),
  'crash-alone': among(crash, ...crashAlone),
  'crash-beside': among(crash, ...crashBeside),
  'crash-postgres': among(crash, crashPostgres),
  statements,
}
