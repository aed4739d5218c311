import type { RequestOutcome, SmscLink } from './smsc-link.ts'
import type { SmscLog } from './smsc-log.ts'
import type { DeliverSettings, ReceiptSettings } from './smsc-settings.ts'

/** A deliver_sm or data_sm that the ESME shall have. */
export interface Delivery {
  command: 'deliver_sm' | 'data_sm'
  fields: Record<string, unknown>
  /** Where it belongs, and how strictly; null is anywhere. */
  session: number | null
  where: ReceiptSettings['session']
  messageId: string | null
  stat: string | null
  /** Called once: with the status that ended it, or with the last silence when attempts ran out. */
  ended?: (outcome: RequestOutcome, session: number) => void
}

export interface Deliveries {
  add(delivery: Delivery): void
  /** Looks again: a session was bound, or the window grew. */
  pump(): void
  /** What is queued, in flight, or waits for another attempt. */
  readonly pending: number
}

interface Queued extends Delivery {
  number: number
  attempt: number
}

/** RSYSERR, RMSGQFUL, RTHROTTLED, RX_T_APPN: the ESME wants it later. Any other status but 0 is its last word. */
const later: readonly RequestOutcome[] = [0x08, 0x14, 0x58, 0x64, 'silence']

/** So many that have no session to go to are looked past before a pump gives up. */
const lookPast = 200

interface DeliveryHouse {
  settings(): DeliverSettings
  links(): Iterable<SmscLink>
  log: SmscLog
}

/** The outbox: what is not answered with 0 is handed over again, on whatever session is there, as an SMSC does. */
export function createDeliveries(house: DeliveryHouse): Deliveries {
  const queue = new Set<Queued>()
  let count = 0
  let away = 0
  let turn = 0

  const end = (queued: Queued, outcome: RequestOutcome, session: number): void => {
    const { attempts, retryAfterMs } = house.settings()
    const again = (): void => {
      away -= 1
      queue.add(queued)
      pump()
    }
    const record = {
      kind: 'delivery-answer',
      delivery: queued.number,
      session,
      at: Date.now(),
      outcome,
    } as const
    house.log.append(record, () => {
      // A connection that ended says nothing about the ESME, which may be on another one.
      if (outcome === 'closed') again()
      else if (later.includes(outcome) && queued.attempt < attempts) setTimeout(again, retryAfterMs)
      else {
        away -= 1
        queued.ended?.(outcome, session)
      }
    })
    pump()
  }

  const deliverOver = (queued: Queued, link: SmscLink): boolean => {
    const { number, command, messageId, stat } = queued
    const session = link.session
    const isSent = link.request(command, queued.fields, house.settings().answerWithinMs, (outcome) =>
      end(queued, outcome, session),
    )
    if (!isSent) return false
    queued.attempt += 1
    away += 1
    const attempt = queued.attempt
    house.log.append({ kind: 'delivery', delivery: number, session, at: Date.now(), attempt, command, messageId, stat }) // prettier-ignore
    return true
  }

  const hasRoom = (link: SmscLink): boolean => link.unanswered < house.settings().window

  const choose = ({ session, where }: Queued, links: readonly SmscLink[]): SmscLink | null => {
    if (where === 'other') return links.find((link) => link.session !== session && hasRoom(link)) ?? null
    const own = where === 'same' ? links.find((link) => link.session === session) : undefined
    if (own !== undefined) return hasRoom(own) ? own : null
    turn += 1
    return links.map((_, index) => links[(index + turn) % links.length] as SmscLink).find(hasRoom) ?? null
  }

  const pump = (): void => {
    const links = [...house.links()].filter((link) => link.canReceive)
    let missed = 0
    for (const queued of queue) {
      if (missed > lookPast || !links.some(hasRoom)) return
      const link = choose(queued, links)
      if (link !== null && deliverOver(queued, link)) queue.delete(queued)
      else missed += 1
    }
  }

  return {
    add(delivery) {
      queue.add({ ...delivery, number: (count += 1), attempt: 0 })
      pump()
    },
    pump,
    get pending() {
      return queue.size + away
    },
  }
}
