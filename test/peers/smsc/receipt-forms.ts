/**
 * The texts of receipts as SMSCs write them, as templates: `{id}`, `{sub}`, `{dlvrd}`, `{submit10}` or 12 or 14 digits of the
 * date of the submit, `{done10}` likewise, `{stat}`, `{err}`, and `{text}`, the first 20 characters.
 * SMPP 3.4 Appendix B gives `standard` as an example and leaves the rest to the vendor.
 */
export const receiptForms = {
  standard:
    'id:{id} sub:{sub} dlvrd:{dlvrd} submit date:{submit10} done date:{done10} stat:{stat} err:{err} text:{text}',
  capitalText:
    'id:{id} sub:{sub} dlvrd:{dlvrd} submit date:{submit10} done date:{done10} stat:{stat} err:{err} Text:{text}',
  noSubNorDlvrd: 'id:{id} submit date:{submit10} done date:{done10} stat:{stat} err:{err} text:{text}',
  seconds:
    'id:{id} sub:{sub} dlvrd:{dlvrd} submit date:{submit12} done date:{done12} stat:{stat} err:{err} text:{text}',
  centuries:
    'id:{id} sub:{sub} dlvrd:{dlvrd} submit date:{submit14} done date:{done14} stat:{stat} err:{err} text:{text}',
  /** OpenMarket's: no blank inside of the names. */
  joinedDates:
    'id:{id} sub:{sub} dlvrd:{dlvrd} submitdate:{submit10} donedate:{done10} stat:{stat} err:{err} text:{text}',
  noText: 'id:{id} sub:{sub} dlvrd:{dlvrd} submit date:{submit10} done date:{done10} stat:{stat} err:{err}',
  capitals:
    'ID:{id} SUB:{sub} DLVRD:{dlvrd} SUBMIT DATE:{submit10} DONE DATE:{done10} STAT:{stat} ERR:{err} TEXT:{text}',
  otherOrder: 'stat:{stat} err:{err} done date:{done12} submit date:{submit12} id:{id}',
  blanks:
    'id: {id} sub: {sub} dlvrd: {dlvrd} submit date: {submit10} done date: {done10} stat: {stat} err: {err} text: {text}',
  short: 'id:{id} stat:{stat}',
} as const

/** The state of SMPP 3.4 section 5.2.28 (5.0: also 0 and 9) for the words of texts; null for words that nobody standardised. */
export const messageStates: Readonly<Record<string, number>> = {
  SCHEDULED: 0,
  ENROUTE: 1,
  DELIVRD: 2,
  EXPIRED: 3,
  DELETED: 4,
  UNDELIV: 5,
  ACCEPTD: 6,
  UNKNOWN: 7,
  REJECTD: 8,
  SKIPPED: 9,
  // What Kannel has met besides.
  ACKED: 6,
  ACCEPTED: 6,
  BUFFRED: 1,
  BUFFERD: 1,
  DELIVERED: 2,
  UNDELIVERABLE: 5,
  REJECTED: 8,
}

export interface ReceiptWords {
  id: string
  stat: string
  err: string
  submittedMs: number
  doneMs: number
  text: string
}

export function writeReceipt(form: string, words: ReceiptWords): string {
  const isDelivered = messageStates[words.stat] === 2
  const values: Record<string, string> = {
    id: words.id,
    sub: '001',
    dlvrd: isDelivered ? '001' : '000',
    stat: words.stat,
    err: words.err,
    text: [...words.text].slice(0, 20).join(''),
    ...digitsOf('submit', words.submittedMs),
    ...digitsOf('done', words.doneMs),
  }
  return form.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name]
    if (value === undefined) throw new Error(`No receipt has a {${name}}.`)
    return value
  })
}

/** YYMMDDhhmm, with seconds, and with the century. */
function digitsOf(name: string, atMs: number): Record<string, string> {
  const iso = new Date(atMs).toISOString()
  const digits = iso.slice(0, 4) + [5, 8, 11, 14, 17].map((at) => iso.slice(at, at + 2)).join('')
  return {
    [`${name}10`]: digits.slice(2, 12),
    [`${name}12`]: digits.slice(2),
    [`${name}14`]: digits,
  }
}
