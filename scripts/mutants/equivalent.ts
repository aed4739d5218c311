import type { Mutant } from './mutants.ts'

/** A change by which nothing changes that anybody could see, or that no test here can: it does not count. */
export interface Equivalent {
  file: string
  code: string
  /** The beginning of `Mutant.change` is enough. */
  change: string
  because: string
}

const plainEdge =
  'Which units are plain only decides how soon NFC and clusters are looked at; this one is the same in NFC and joins no cluster.'
const plainEdges: readonly Equivalent[] = [
  ['[0x0a, 0x0a],', 'number: 0x0a'],
  ['[0x20, 0x7e],', 'number: 0x20 → 33'],
  ['[0x20, 0x7e],', 'number: 0x7e → 127'],
  ['[0x400, 0x481], // Cyrillic', 'number: 0x400'],
  ['[0x400, 0x481], // Cyrillic', 'number: 0x481 → 1154'],
  ['[0x3041, 0x3096],', 'number: 0x3096 → 12439'],
  ['[0x4e00, 0x9fff],', 'number: 0x4e00'],
  ['for (const [first, last] of plainRanges) plainUnits.fill(1, first, last + 1)', 'operator: + → -'],
].map(([code = '', change = '']) => ({ file: 'src/sms/ucs2.ts', code, change, because: plainEdge }))

export const equivalents: readonly Equivalent[] = [
  ...plainEdges,
  { file: 'src/sms/gsm7.ts', code: 'const septetOf = new Uint8Array(0x10000)', change: 'number: 0x10000', because: 'U+FFFF has no septet: its place is never read.' },
  { file: 'src/sms/ucs2.ts', code: 'if (length > enough || length + 2 <= window || from + window >= text.length) return length', change: 'operator: || → &&', because: 'The length is the same, found later; that it is found in linear time is held by sms-text-linear.test.ts, which is not run here.' },
  { file: 'src/messages/outcomes/unmatched-receipts.ts', code: 'order by received_at, network_id limit ${pageSize}`,', change: 'sql clause: order by', because: 'SQLite reads a page by the index that has this order. PostgreSQL does not: forgotten-receipts.test.ts fails there, and is run on SQLite here.' },
  { file: 'src/messages/inbound/accounts-that-sent.ts', code: 'const [accountId] = await findAccountsThatSentTo(db, query, 1)', change: 'number: 1 → 2', because: 'Of two the first alone is taken.' },
  { file: 'src/messages/inbound/inbound-fragments.ts', code: 'const same = kept.find((fragment) => fragment.part === incoming.fragment.index)', change: 'method: ', because: 'Part is of the primary key: there is one.' },
  { file: 'src/messages/phones/read-offers.ts', code: 'Math.max(sinceMs ?? 0, row.last_offered_at) <= nowMs - hangsAfterMs', change: 'number: 0 → 1', because: 'Each was offered after the first millisecond of 1970.' },
  { file: 'src/messages/queue/quiet-until.ts', code: 'const ahead = days > 1 ? -1 : days < -1 ? 1 : days', change: 'number: 1 → 2 (3)', because: 'Days of one instant are 0 or 1 apart, or a month.' },
  { file: 'src/messages/queue/finish-queued.ts', code: 'if (empty.length > 0)', change: 'operator: > → >=', because: 'Of an empty list nothing is deleted, on either database: the condition saves a statement.' },
  { file: 'src/messages/inbound/apply-keyword.ts', code: "const { optedOut, routes } = readings.isAny('stop')", change: "condition: readings.isAny('stop') → true", because: 'Without a STOP no account is found that it stops: the condition saves the look.' },
  { file: 'src/messages/queue/finish-queued.ts', code: 'from queue q cross join messages m on m.account_id = q.account_id and m.mode = q.mode and m.id = q.message_id', change: 'sql clause: and m.mode', because: 'The ID of a message is unique: the mode makes it one step of the primary key.' },
  { file: 'src/messages/opt-outs/store-opt-outs.ts', code: "sql: `select id from messages where account_id = :account and mode = :mode and recipient = :recipient and direction = 'outbound'", change: 'sql clause: and direction', because: 'No received message is in one of these states.' },
  { file: 'src/dispatch/routes/walk-way.ts', code: 'export const usualNow: WayNow = { way: usualWay, nowMs: 0, offSinceMs: () => null }', change: 'number: 0 → 1', because: 'The usual way has no hours and no times, and of the ways that rest-of-way.ts walks with it only the devices of each stage are read.' },
  { file: 'src/dispatch/routes/choose-device.ts', code: 'if (a.order !== b.order) return a.order < b.order', change: 'operator: < → <=', because: 'The orders differ.' },
  { file: 'src/dispatch/routes/walk-way.ts', code: 'export function openMembers(stages: readonly StageNow[], route: Route, waitedMs = 0): Member[] {', change: 'number: 0 → 1', because: 'Stages open after whole seconds.' },
  { file: 'src/dispatch/routes/route-book.ts', code: 'return chooseRule(this.#rules, this.#limited, plan === undefined ? message : { ...message, plan })', change: 'condition: plan === undefined → false', because: 'A message whose plan is undefined has none: rules compare it with theirs.' },
  { file: 'src/dispatch/trust/breaker.ts', code: 'if (last?.slice !== slice) this.#counts.push((last = { slice, all: 0, unknown: 0 }))', change: 'condition: last?.slice !== slice → true', because: 'A count for each outcome in the place of one for each minute has the same sums.' },
  { file: 'src/runtime/address-list.ts', code: "address.toLowerCase().startsWith('::ffff:') && isIP(address.slice(7)) === 4", change: 'link: address.slice(7) → address', because: 'The BlockList of Node finds IPv4 addresses in their mapped form, too.' },
  { file: 'src/messages/opt-outs/number-list.ts', code: String.raw`const lines = text.replace(/^\ufeff/, '').split(/\r\n|[\r\n]/)`, change: 'regex: ^ → nothing', because: 'A mark inside a number is dropped with the number’s other blanks.' },
  { file: 'src/ledger/grants.ts', code: "if (sms < 0 && kind !== 'correction') throw wrong('/sms', 'Only a correction can take back SMS.')", change: 'number: 0 → 1', because: 'Zero is refused one line before.' },
  { file: 'src/ledger/ledger.ts', code: '.toSorted(([a], [b]) => (a < b ? -1 : 1))', change: 'number: 1 → 2', because: 'Only the sign of a comparison counts.' },
  { file: 'src/ledger/ledger.ts', code: '.toSorted((a, b) => (walletKey(a) < walletKey(b) ? -1 : 1))', change: 'number: 1 → 2', because: 'Only the sign of a comparison counts.' },
  { file: 'src/ledger/ledger.ts', code: '[...this.#days].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row),', change: 'number: 1', because: 'The order in which days are locked: only PostgreSQL waits for a lock, and those tests are not run here.' },
  { file: 'src/ledger/ledger.ts', code: 'const ordered = [...distinct]', change: 'link: ', because: 'The order in which wallets are locked: only PostgreSQL waits for a lock, and those tests are not run here.' },
  { file: 'src/ledger/statement.ts', code: 'const opening = (before.granted ?? 0) - (before.used ?? 0)', change: 'number: 0 → 1', because: 'Both are sums with coalesce, which are never null; their types do not say so.' },
  { file: 'src/smpp/values/receipt.ts', code: String.raw`return parseReceiptText(text.split(/(?<![\p{L}\p{N}])text[ \t]*:/iu, 1)[0] ?? '')`, change: 'number: 1 → 2', because: 'Of the pieces the first alone is taken.' },
  { file: 'src/dispatch/devices/resume-receipts.ts', code: 'db', change: "link: db .selectFrom('receipts_expected') .select(['sent_at as sen… → db .selectFrom('receipts_expected') .select(['sent_at as sen… (2)", because: 'SQLite reads a page by an index that ends with the ID. PostgreSQL does not: resume-receipts.test.ts fails there, and is run on SQLite here.' },
  { file: 'src/sms/ucs2.ts', code: 'if (end > oversizeEnd && !isPlainBoundary(text, end)) {', change: 'operator: > → >=', because: 'Where a cluster that is longer than a part ends there is a boundary, and the look finds it.' },
  { file: 'src/ledger/usage-pace.ts', code: ".where('day', '<', toDay)", change: "sql: '<'", because: 'A day more that is read is none of those that are returned.' },
  { file: 'src/accounts/keys/authenticator.ts', code: 'const maxFakes = 10_000', change: 'number: 10_000', because: 'A bound of memory: one more or less is the same bound.' },
  { file: 'src/accounts/keys/operator-tokens.ts', code: 'await tx', change: 'link: tx .updateTable', because: 'That it is not revoked was read before, in the same transaction.' },
  { file: 'src/accounts/people/password-rules.ts', code: 'let length = 1', change: 'number: 1 → 0', because: 'The first letter is found equal once more.' },
  { file: 'src/messages/send/send-messages.ts', code: 'const fresh = scheduled.length === 0 ? sends : sends.filter((send) => send.sendAt === undefined)', change: 'condition: ', because: 'The filter of all sends gives the same list: the condition saves it in the usual case.' },
  { file: 'src/sending/planned-rate.ts', code: 'const pendingSeconds = 5', change: 'number: 5', because: 'How soon to try again: a second more or less is no promise.' },
  { file: 'src/runtime/sliding-count.ts', code: 'maxNames = 100_000,', change: 'number: 100_000', because: 'A bound of memory: one more or less is the same bound.' },
  { file: 'src/api/v1/send-answer.ts', code: 'text: first?.text ?? null,', change: 'default: ', because: 'A send has at least one message; its type does not say so.' },
  { file: 'src/api/v1/send-answer.ts', code: 'parts: first?.parts ?? 0,', change: 'default: ', because: 'A send has at least one message; its type does not say so.' },
  { file: 'src/messages/queue/claim-messages.ts', code: 'const fresh = await dropStale(tx, plans === null ? read : onceEach(read))', change: 'condition: plans === null → false', because: 'Without plans each message is read once: the condition saves the look.' },
  { file: 'src/messages/queue/apply-ways.ts', code: 'const end = rows.length < pageSize ? null : (rows.at(-1)?.message_id ?? null)', change: 'number: 1 → 2', because: 'The last row of a page is read once more, and is where it was moved to.' },
  { file: 'src/dispatch/routes/reported-candidates.ts', code: 'const pageSize = 1_000', change: 'number: 1_000', because: 'A bound of what one look reads: one more or less is the same bound.' },
  { file: 'src/dispatch/routes/reported-candidates.ts', code: 'free: report?.body.throughput?.remaining === 0 || isReached ? 0 : 1,', change: 'number: 1 → 2', because: 'A device that runs elsewhere has room or none: nothing counts by it.' },
] // prettier-ignore

export const reasonOf = ({ file, code, change }: Pick<Mutant, 'file' | 'code' | 'change'>): string | null =>
  equivalents.find((each) => each.file === file && each.code === code && change.startsWith(each.change))
    ?.because ?? null
