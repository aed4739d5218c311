import { dayMs } from '../runtime/clock.ts'
import { ownCommandOverNetwork } from '../process/own-command.ts'
import { formatInstant } from './alert-texts.ts'
import { readNodeCertificates } from '../storage/instance/node-certificates.ts'
import type { NodeCertificate } from '../storage/tables/json-columns.ts'
import type { AlertRule, Condition } from './condition.ts'

/**
 * Days before the end at which operators are notified, once each. Renewal is tried from day 300 on, so 30 days before
 * the end it has failed for a month; 7 days are left for a visit to each phone.
 */
const notifiedAtDays = [30, 7] as const

/** The certificate for phones of a node ends soon and was not renewed. Each node with a second listener has its own. */
export const endingCertificate: AlertRule = {
  kinds: ['certificate_ending'],
  everyMs: 300_000,
  async find(db, nowMs) {
    return (await readNodeCertificates(db, nowMs)).flatMap((made) => conditionsOf(made, nowMs))
  },
  // Nothing to say: the new certificate is used without a restart.
  findRecovered: async () => new Set(),
}

const conditionsOf = (made: NodeCertificate, nowMs: number): Condition[] =>
  notifiedAtDays
    .filter((days) => made.untilMs - nowMs <= days * dayMs)
    .map((days) => ({
      kind: 'certificate_ending',
      subject: `${made.address} ${days}`,
      accountId: null,
      mode: null,
      name: made.address,
      said: `The certificate for ${made.address} ends at ${formatInstant(made.untilMs)}. Phones that fetch their messages cannot connect after that. ${remedyFor(made)}`,
    }))

function remedyFor({ source }: NodeCertificate): string {
  const again = `${ownCommandOverNetwork()} certificate for-phones`
  return source === 'own'
    ? `The server could not renew it: its log says why. Run ${again} --own.`
    : `The server asks the CA for a new one each day, which needs internet: its log says why there is none. Run ${again}, or sign with a root of your own (--own), which must then be installed on each phone.`
}
