import { isId } from '../../../runtime/ids.ts'
import { fillerOf } from '../request/build-request.ts'
import type { Verify } from '../declaration/proof-schemas.ts'
import { fillText } from '../request/fill-tree.ts'
import type { Callback } from './callback.ts'
import type { FetchText } from './certificates.ts'
import type { CalledAccount, ProviderPorts } from './ports.ts'
import { readInbound } from './read-inbound.ts'
import { readReceipts, type ReadReceipt } from './read-receipts.ts'
import { contentOf } from './signed-content.ts'
import { certificateUrlOf, confirmationUrlOf, isPublished } from './sns.ts'
import { verifyCallback } from './verify.ts'

/** What a provider is answered. */
export interface CallAnswer {
  status: number
  type: string
  body: string
}

interface Handled {
  ports: ProviderPorts
  /** Fetches certificates of Amazon SNS. */
  certificates: FetchText
  nowMs: number
}

/** Returns null for a call that is not the provider's, of which nothing is stored. */
export type HandleCall = (
  deps: Handled,
  account: CalledAccount,
  callback: Callback,
  attemptId: string | null,
) => Promise<CallAnswer | null>

/** Stores the receipts of a call, and answers as the declaration says. Rejects when they could not be stored. */
export const handleStatus: HandleCall = async (deps, account, callback, attemptId) => {
  const { deviceId, declaration } = account
  const { status } = declaration
  if (status === undefined || !(await isGenuine(deps, account, status.verify, callback))) return null
  if (await isAboutSubscription(deps, account, status.verify, callback)) return answerOf(status.answer)
  for (const read of readReceipts(declaration, contentOf(status.verify, callback), attemptId))
    await storeReport(deps.ports, deviceId, read)
  return answerOf(status.answer)
}

/** Stores the received messages of a call, and answers as the declaration says. Rejects when they could not be stored. */
export const handleInbound: HandleCall = async (deps, account, callback) => {
  const { deviceId, declaration } = account
  const { inbound, status } = declaration
  const verify = inbound?.verify === 'status' ? status?.verify : inbound?.verify
  if (inbound === undefined || verify === undefined || !(await isGenuine(deps, account, verify, callback)))
    return null
  if (await isAboutSubscription(deps, account, verify, callback)) return answerOf(inbound.answer)
  const { messages, unreadable } = readInbound(declaration, contentOf(verify, callback))
  const { ports } = deps
  for (let i = 0; i < unreadable; i++)
    ports.unparsed(deviceId, 'rest', 'a received message without a sender or a text')
  if (messages.length === 0 && unreadable === 0)
    ports.unparsed(deviceId, 'rest', 'a call about received messages without one')
  for (const message of messages) await ports.inbound(deviceId, message)
  return answerOf(inbound.answer)
}

type IsCall = (deps: Handled, account: CalledAccount, verify: Verify, callback: Callback) => Promise<boolean>

const isGenuine: IsCall = async ({ ports, certificates, nowMs }, account, verify, callback) => {
  const url = certificateUrlOf(topicOf(account, verify) ?? '', callback)
  const certificate = url === null ? null : await certificates(url)
  // The provider calls again.
  if (url !== null && certificate === null)
    throw new Error(`No certificate could be fetched from ${url.host}.`)
  const filler = fillerOf(account, {}, false)
  const isTheirs = verifyCallback(verify, callback, { filler, nowMs, certificate }) !== 'forged'
  if (isTheirs) ports.called(account.deviceId)
  return isTheirs
}

/** Follows what Amazon SNS says about a subscription: that of the topic is confirmed by visiting its address. */
const isAboutSubscription: IsCall = async ({ ports }, account, verify, callback) => {
  const topic = topicOf(account, verify)
  if (topic === null || isPublished(callback)) return false
  const url = confirmationUrlOf(topic, callback)
  if (url !== null && (await ports.fetchText(url)) === null)
    throw new Error(`The subscription could not be confirmed at ${url.host}.`)
  return true
}

/** The topic of Amazon SNS that a call must be about; null for other calls. */
function topicOf(account: CalledAccount, verify: Verify): string | null {
  if (typeof verify === 'string' || !('sns' in verify)) return null
  return fillText(fillerOf(account, {}, false), verify.sns.topic) as string | null
}

async function storeReport(ports: ProviderPorts, deviceId: string, read: ReadReceipt): Promise<void> {
  switch (read.kind) {
    case 'unreadable':
      return ports.unparsed(deviceId, 'receipt', 'a report without an ID or a state')
    case 'unknown_word':
      return ports.unparsed(deviceId, 'word', shapeOf(read.word))
    case 'on_its_way':
      return resolveUnknown(ports, deviceId, { attemptId: read.reference, id: read.id })
    case 'receipt': {
      // A report on an attempt shows that the provider accepted it, also where the answer to its submission was lost.
      await resolveUnknown(ports, deviceId, { attemptId: read.reference, id: read.receipt.networkId })
      return ports.receipt(deviceId, read.receipt)
    }
  }
}

async function resolveUnknown(
  ports: ProviderPorts,
  deviceId: string,
  { attemptId, id }: { attemptId: string | null; id: string | null },
): Promise<void> {
  if (attemptId === null || id === null || !isId('att', attemptId)) return
  await ports.late(deviceId, attemptId, { kind: 'accepted', networkIds: [id], receiptExpected: true })
}

/** Words for states are few and no secret, but what else is there in their place may be one. */
const shapeOf = (word: string): string =>
  /^[A-Za-z_ -]{1,40}$/.test(word) ? word : `${word.length} characters`

const answerOf = ({
  status,
  type = 'text/plain',
  body = '',
}: {
  status: number
  type?: string
  body?: string
}): CallAnswer => ({
  status,
  type,
  body,
})
