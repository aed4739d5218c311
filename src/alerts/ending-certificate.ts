import { dayMs } from '../runtime/clock.ts'
import { ownCommandOverNetwork } from '../process/own-command.ts'
import { formatInstant } from './alert-texts.ts'
import type { AlertRule } from './condition.ts'

/** The certificate with which visiting phones connect, as this node has it. */
export interface EndingCertificate {
  source: 'own' | 'ca'
  address: string
  untilMs: number
}

/**
 * Days before the end at which operators are notified, once each. Renewal is tried from day 300 on, so 30 days before
 * the end it has failed for a month; 7 days are left for a visit to each phone.
 */
const notifiedAtDays = [30, 7] as const

/** The certificate for phones ends soon and was not renewed. `read` returns it; null without a second listener. */
export const endingCertificate = (read: () => Promise<EndingCertificate | null>): AlertRule => ({
  kinds: ['certificate_ending'],
  everyMs: 300_000,
  async find(_db, nowMs) {
    const made = await read()
    if (made === null) return []
    const { address, untilMs } = made
    return notifiedAtDays
      .filter((days) => untilMs - nowMs <= days * dayMs)
      .map((days) => ({
        kind: 'certificate_ending',
        subject: `${address} ${days}`,
        accountId: null,
        mode: null,
        name: address,
        said: `The certificate for ${address} ends at ${formatInstant(untilMs)}. Phones that fetch their messages cannot connect after that. ${remedyFor(made)}`,
      }))
  },
  // Nothing to say: the new certificate is used without a restart.
  findRecovered: async () => new Set(),
})

function remedyFor({ source }: EndingCertificate): string {
  const again = `${ownCommandOverNetwork()} certificate for-phones`
  return source === 'own'
    ? `The server could not renew it: its log says why. Run ${again} --own.`
    : `The server asks the CA for a new one each day, which needs internet: its log says why there is none. Run ${again}, or sign with a root of your own (--own), which must then be installed on each phone.`
}
