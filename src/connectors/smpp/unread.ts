import { BoundedMap } from '../../bounded-map.ts'
import type { ConnectorTools } from '../connector-tools.ts'
import type { MalformedPdu } from './decode-pdu.ts'
import type { Delivery } from './deliveries.ts'
import { describePdu } from './describe-pdu.ts'
import type { Pdu } from './pdu.ts'

/** Bounds the words of a carrier that are remembered as said. */
const mostSaid = 100

/** What came over a link and could not be read, or not as a whole: all of it is counted, and each kind and word stands in the log once. */
export interface Unread {
  /** A receipt has a word that SMPP has not, and that nobody has explained. */
  word(word: string, meaning: 'undelivered' | 'open'): void
  /** A receipt names no message, or says nothing of it. */
  receipt(delivery: Delivery): void
  /** What nobody waited for, or what could not be read behind the mandatory part of a PDU. */
  odd(pdu: Pdu | MalformedPdu): void
}

export function createUnread({ counters, log }: Pick<ConnectorTools, 'counters' | 'log'>): Unread {
  const said = new BoundedMap<true>(mostSaid)
  const sayOnce = (name: string, words: string, detail: Record<string, unknown>): void => {
    if (said.has(name)) return
    said.set(name, true)
    log('warn', words, detail)
  }
  return {
    word(word, meaning) {
      counters?.unread('word')
      const words =
        meaning === 'undelivered'
          ? 'receipts have a word that is none of SMPP; it counts as undelivered, unless receipt_words says otherwise'
          : 'receipts have a word that is none of SMPP, where none tells an end; it is passed over, unless receipt_words says otherwise'
      sayOnce(`word ${word}`, words, { word })
    },
    receipt(delivery) {
      counters?.unread('receipt')
      const words = 'receipts come that name no message or say nothing of it; they are passed over'
      sayOnce('receipt', words, describePdu(delivery))
    },
    odd(pdu) {
      if (pdu.command === 'malformed') {
        counters?.unread('pdu')
        return sayOnce('pdu', 'PDUs come that cannot be read, and are refused', describePdu(pdu))
      }
      if (!('rest' in pdu)) return log('debug', 'the SMSC sent what nobody asked for', describePdu(pdu))
      counters?.unread('rest')
      const words = 'PDUs come whose optional part cannot be read as a whole; what is whole counts'
      sayOnce('rest', words, describePdu(pdu))
    },
  }
}
