import { BoundedMap } from '../../../runtime/bounded-map.ts'
import type { ConnectorTools } from '../../connector-tools.ts'
import type { MalformedPdu } from '../../../smpp/codec/decode-pdu.ts'
import type { IncomingPdu } from '../../../smpp/session/deliveries.ts'
import { describePdu } from '../../../smpp/values/describe-pdu.ts'
import { type Pdu, tlvTags } from '../../../smpp/codec/pdu.ts'

/** Limits how many unknown words of a carrier are remembered as logged. */
const maxSaid = 100

/**
 * Records what a link received and could not parse, or not completely: all of it is counted, and each kind
 * and word is logged once.
 */
export interface Unparsed {
  /** A receipt contains a status word that SMPP does not define and that the settings do not explain. */
  word(word: string, meaning: 'undelivered' | 'open'): void
  /** A receipt matches no message, or has no result. */
  receipt(delivery: IncomingPdu): void
  /** An unexpected PDU, or one whose optional part cannot be parsed. */
  odd(pdu: Pdu | MalformedPdu): void
}

export function createUnparsed({ counters, log }: Pick<ConnectorTools, 'counters' | 'log'>): Unparsed {
  const logged = new BoundedMap<true>(maxSaid)
  const logOnce = (name: string, words: string, detail: Record<string, unknown>): void => {
    if (logged.has(name)) return
    logged.set(name, true)
    log('warn', words, detail)
  }
  return {
    word(word, meaning) {
      counters?.unparsed('word', isOneWord.test(word) ? word.toUpperCase() : formOf(word))
      const words =
        meaning === 'undelivered'
          ? 'receipts contain a word that SMPP does not define; it counts as undelivered, unless receipt_words defines it'
          : 'receipts without a final state contain a word that SMPP does not define; it is ignored, unless receipt_words defines it'
      logOnce(`word ${word}`, words, { word })
    },
    receipt(delivery) {
      counters?.unparsed('receipt', formOfReceipt(delivery))
      const words = 'ignoring receipts that match no message or have no result'
      logOnce('receipt', words, describePdu(delivery))
    },
    odd(pdu) {
      if (pdu.command === 'malformed') {
        counters?.unparsed('pdu', `${pdu.claimed ?? 'no command'}: ${pdu.fault}`)
        return logOnce('pdu', 'rejecting PDUs that cannot be parsed', describePdu(pdu))
      }
      if (!('rest' in pdu)) return log('debug', 'the SMSC sent an unexpected PDU', describePdu(pdu))
      counters?.unparsed('rest', `${pdu.command}: ${pdu.rest}`)
      const words = 'received PDUs whose optional part is incomplete; the complete fields are used'
      logOnce('rest', words, describePdu(pdu))
    },
  }
}

/** Keys of appendix B of SMPP 3.4, which are kept; texts written by people may contain them, too. */
const runs = /\b(?:id|sub|dlvrd|submit date|done date|stat|err|text)(?=:)|[a-z\u0080-\uffff]+|\d+/gi
const keys = /^(?:id|sub|dlvrd|submit date|done date|stat|err|text)$/i

/** Returns the shape of a text: runs of letters become `a`, digits `0`. */
const formOf = (text: string): string =>
  text
    .slice(0, maxRead)
    .replace(runs, (run) => (keys.test(run) ? run.toLowerCase() : /^\d/.test(run) ? '0' : 'a'))

/** Status words of carriers, and the keys of receipt_words: people write them only in receipts. */
const isOneWord = /^(?:[a-z][a-z_-]*|\d{1,3})$/i

/** More than a form holds. */
const maxRead = 500

function formOfReceipt({ body }: IncomingPdu): string {
  const { esmClass, dataCoding, shortMessage, tlvs } = body
  const payload = tlvs.find(({ tag }) => tag === tlvTags.message_payload)?.value
  const octets = Buffer.from(shortMessage.length > 0 ? shortMessage : (payload ?? shortMessage))
  const text = octets.toString('latin1').replace(/\0$/, '')
  // Characters of UCS-2 and other encodings that are not octets may be split.
  const isWritten = dataCoding !== 8 && !/[^\t\r\n\x20-\x7e\x80-\xff]/.test(text)
  const tags = tlvs.map(({ tag }) => tag.toString(16).padStart(4, '0'))
  return [
    `esm_class ${esmClass}`,
    ...(tags.length === 0 ? [] : [`TLVs ${tags.join(' ')}`]),
    isWritten ? formOf(text) : `${octets.length} octets`,
  ].join(', ')
}
