/**
 * Instants at which a server dies in the proofs of crash points: before and after each commit of the way of a message, each write that
 * leaves the house, and each answer that is given or taken. The hooks (crash-point-hooks.ts) stand around Node's own SQLite, HTTP and
 * sockets in the server's process, so that the program has no line for them.
 */

/** What a transaction is for, told by a statement that no other transaction has. */
export const commits = {
  accept: /^insert into sends /,
  schedule: /^insert into deferred /,
  release: /^delete from deferred /,
  claim: /^insert into attempts /,
  outcome: /^update attempts set /,
  receipt: /^delete from receipts_expected /,
  'claim of an event': /^update webhook_deliveries set due_at = \?, token = \? /,
  'outcome of an event': /^insert or ignore into webhook_attempts /,
  'received message': /^insert or ignore into inbound_seen /,
} as const

export type CommitName = keyof typeof commits

/** What is in a PDU, by its command_id (SMPP 3.4, section 5.1.2.1). */
export const writtenPdus = { 0x0000_0004: 'a submit', 0x8000_0005: 'the answer to a delivery' } as const
export const readPdus = { 0x8000_0004: 'the answer to a submit', 0x0000_0005: 'a delivery' } as const

/** What is written to a modem, and read from it, over TCP (3GPP TS 27.005, sections 3.5.1 and 3.4): each is a write or a line of its own. */
export const writtenToModems = {
  'a send command': /^AT\+CMGS=/,
  // oxlint-disable-next-line no-control-regex
  'a Ctrl-Z': /^\x1a$/,
  'the acknowledgement of a report': /^AT\+CNMA/,
  'the deletion of an SMS': /^AT\+CMGD=/,
} as const
export const readFromModems = {
  'a prompt': /\r\n> $/,
  'the answer to a Ctrl-Z': /\r\n\+CMGS: /,
  'a report': /\r\n\+CDS: /,
} as const

type WrittenToModem = keyof typeof writtenToModems
type ReadFromModem = keyof typeof readFromModems

type WrittenPdu = (typeof writtenPdus)[keyof typeof writtenPdus]
type ReadPdu = (typeof readPdus)[keyof typeof readPdus]
type Written = 'a 202' | 'a hand-over' | 'an event' | WrittenPdu | WrittenToModem
type Read = 'the answer to a hand-over' | 'the answer to an event' | ReadPdu | ReadFromModem

export type CrashPoint =
  | `${'before' | 'after'} the commit of ${CommitName}`
  | `${'before' | 'after'} ${Written} is written`
  | `before ${Read} is read`

const around = (name: CommitName): CrashPoint[] => [
  `before the commit of ${name}`,
  `after the commit of ${name}`,
]

/** On the way of a message through the simulator, whose peer is another process, and of its events. */
export const crashPoints: readonly CrashPoint[] = [
  ...around('accept'),
  ...around('schedule'),
  ...around('release'),
  ...around('claim'),
  ...around('outcome'),
  ...around('receipt'),
  ...around('claim of an event'),
  ...around('outcome of an event'),
  'before a 202 is written',
  'after a 202 is written',
  'before a hand-over is written',
  'after a hand-over is written',
  'before the answer to a hand-over is read',
  'before an event is written',
  'after an event is written',
  'before the answer to an event is read',
]

/** On the way of messages, receipts and received messages over a link to an SMSC. */
export const smppCrashPoints: readonly CrashPoint[] = [
  ...around('received message'),
  'before a submit is written',
  'after a submit is written',
  'before the answer to a submit is read',
  'before a delivery is read',
  'before the answer to a delivery is written',
  'after the answer to a delivery is written',
]

/** On the way of messages, reports and received messages over a modem. */
export const modemCrashPoints: readonly CrashPoint[] = [
  ...around('claim'),
  'before a send command is written',
  'after a send command is written',
  'before a prompt is read',
  'before a Ctrl-Z is written',
  'after a Ctrl-Z is written',
  'before the answer to a Ctrl-Z is read',
  ...around('outcome'),
  'before a report is read',
  ...around('receipt'),
  'before the acknowledgement of a report is written',
  'after the acknowledgement of a report is written',
  ...around('received message'),
  'before the deletion of an SMS is written',
  'after the deletion of an SMS is written',
]

/** Names the file that says at which point to die, and after how many passes; the server looks at it at each pass. */
export const armedAtVariable = 'ONESIXTY_TEST_CRASH_FILE'

export interface Armed {
  point: CrashPoint
  /** So many passes are let through. */
  skip: number
}

/** Said on the way out, on standard error. */
export const lastWords = (point: CrashPoint): string => `dies ${point}\n`
