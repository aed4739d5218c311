import { BoundedMap } from '../../../runtime/bounded-map.ts'
import type { ConnectorTools } from '../../connector-tools.ts'
import type { MalformedPdu } from '../../../smpp/codec/decode-pdu.ts'
import type { Delivery } from '../../../smpp/session/deliveries.ts'
import { describePdu } from '../../../smpp/values/describe-pdu.ts'
import { type Pdu, tlvTags } from '../../../smpp/codec/pdu.ts'

/** Bounds the words of a carrier that are remembered as said. */
const maxSaid = 100

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
  const said = new BoundedMap<true>(maxSaid)
  const sayOnce = (name: string, words: string, detail: Record<string, unknown>): void => {
    if (said.has(name)) return
    said.set(name, true)
    log('warn', words, detail)
  }
  return {
    word(word, meaning) {
      counters?.unread('word', isOneWord.test(word) ? word.toUpperCase() : formOf(word))
      const words =
        meaning === 'undelivered'
          ? 'receipts have a word that is none of SMPP; it counts as undelivered, unless receipt_words says otherwise'
          : 'receipts have a word that is none of SMPP, where none tells an end; it is passed over, unless receipt_words says otherwise'
      sayOnce(`word ${word}`, words, { word })
    },
    receipt(delivery) {
      counters?.unread('receipt', formOfReceipt(delivery))
      const words = 'receipts come that name no message or say nothing of it; they are passed over'
      sayOnce('receipt', words, describePdu(delivery))
    },
    odd(pdu) {
      if (pdu.command === 'malformed') {
        counters?.unread('pdu', `${pdu.claimed ?? 'no command'}: ${pdu.fault}`)
        return sayOnce('pdu', 'PDUs come that cannot be read, and are refused', describePdu(pdu))
      }
      if (!('rest' in pdu)) return log('debug', 'the SMSC sent what nobody asked for', describePdu(pdu))
      counters?.unread('rest', `${pdu.command}: ${pdu.rest}`)
      const words = 'PDUs come whose optional part cannot be read as a whole; what is whole counts'
      sayOnce('rest', words, describePdu(pdu))
    },
  }
}

/** Keys of appendix B of SMPP 3.4, which stay as they are; what people write may have them, too. */
const runs = /\b(?:id|sub|dlvrd|submit date|done date|stat|err|text)(?=:)|[a-z\u0080-\uffff]+|\d+/gi
const keys = /^(?:id|sub|dlvrd|submit date|done date|stat|err|text)$/i

/** What a text looks like: letters in a row are `a`, digits `0`. */
const formOf = (text: string): string =>
  text
    .slice(0, maxRead)
    .replace(runs, (run) => (keys.test(run) ? run.toLowerCase() : /^\d/.test(run) ? '0' : 'a'))

/** Words of carriers are such, and what receipt_words are named by: nobody writes them but for a receipt. */
const isOneWord = /^(?:[a-z][a-z_-]*|\d{1,3})$/i

/** More of it than a form holds. */
const maxRead = 500

function formOfReceipt({ body }: Delivery): string {
  const { esmClass, dataCoding, shortMessage, tlvs } = body
  const payload = tlvs.find(({ tag }) => tag === tlvTags.message_payload)?.value
  const octets = Buffer.from(shortMessage.length > 0 ? shortMessage : (payload ?? shortMessage))
  const text = octets.toString('latin1').replace(/\0$/, '')
  // Of UCS-2, and whatever else is not written in octets, signs may be halves of letters.
  const isWritten = dataCoding !== 8 && !/[^\t\r\n\x20-\x7e\x80-\xff]/.test(text)
  const tags = tlvs.map(({ tag }) => tag.toString(16).padStart(4, '0'))
  return [
    `esm_class ${esmClass}`,
    ...(tags.length === 0 ? [] : [`TLVs ${tags.join(' ')}`]),
    isWritten ? formOf(text) : `${octets.length} octets`,
  ].join(', ')
}
