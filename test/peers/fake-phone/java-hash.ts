const toInt = (value: number): number => value | 0

const hashOfText = (text: string): number => {
  let hash = 0
  for (let i = 0; i < text.length; i += 1) hash = toInt(Math.imul(31, hash) + text.charCodeAt(i))
  return hash
}

const hashOfDate = (atMs: number): number => {
  const bits = BigInt(atMs)
  return Number(BigInt.asIntN(32, bits ^ (bits >> 32n)))
}

/**
 * The id of a text in the app's table of what came in: `buildId` of IncomingMessagesService.kt over `hashCode` of InboxMessage.kt (app 1.68), which is
 * Java's, of 32 bits. `Aa` and `BB` share one.
 */
export function textIdOf(sms: {
  from: string
  text?: string
  data?: string
  receivedAtMs: number
  simNumber: number
}): string {
  let hash = hashOfText(sms.from)
  hash = toInt(Math.imul(31, hash) + hashOfDate(sms.receivedAtMs))
  hash = toInt(Math.imul(31, hash) + sms.simNumber)
  hash = toInt(Math.imul(31, hash) + hashOfText(sms.text ?? sms.data ?? ''))
  return `${sms.data === undefined ? 'text' : 'data'}:${hash}`
}
