import { fillerOf } from '../request/build-request.ts'
import { type Callback, documentOf } from './callback.ts'
import type { CalledAccount, ProviderPorts } from './ports.ts'
import { readInbound } from './read-inbound.ts'
import { readReceipts, type ReadReceipt } from './read-receipts.ts'
import { verifyCallback } from './verify.ts'

/** What a provider is answered. */
export interface CallAnswer {
  status: number
  type: string
  body: string
}

interface Handled {
  ports: ProviderPorts
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
export const handleStatus: HandleCall = async ({ ports, nowMs }, account, callback, attemptId) => {
  const { deviceId, declaration } = account
  const { status } = declaration
  if (status === undefined || !isGenuine(account, status.verify, callback, nowMs)) return null
  for (const read of readReceipts(declaration, documentOf(callback), attemptId))
    await storeReport(ports, deviceId, { read, attemptId })
  return answerOf(status.answer)
}

/** Stores the received messages of a call, and answers as the declaration says. Rejects when they could not be stored. */
export const handleInbound: HandleCall = async ({ ports, nowMs }, account, callback) => {
  const { deviceId, declaration } = account
  const { inbound, status } = declaration
  const verify = inbound?.verify === 'status' ? status?.verify : inbound?.verify
  if (inbound === undefined || verify === undefined || !isGenuine(account, verify, callback, nowMs))
    return null
  const messages = readInbound(declaration, documentOf(callback))
  if (messages.length === 0) ports.unparsed(deviceId, 'rest', 'a call about received messages without one')
  for (const message of messages) await ports.inbound(deviceId, message)
  return answerOf(inbound.answer)
}

function isGenuine(
  account: CalledAccount,
  verify: NonNullable<CalledAccount['declaration']['status']>['verify'],
  callback: Callback,
  nowMs: number,
): boolean {
  return verifyCallback(verify, callback, { filler: fillerOf(account, {}, false), nowMs }) !== 'forged'
}

async function storeReport(
  ports: ProviderPorts,
  deviceId: string,
  { read, attemptId }: { read: ReadReceipt; attemptId: string | null },
): Promise<void> {
  switch (read.kind) {
    case 'unreadable':
      return ports.unparsed(deviceId, 'receipt', 'a report without an ID or a state')
    case 'unknown_word':
      return ports.unparsed(deviceId, 'word', shapeOf(read.word))
    case 'on_its_way':
      return resolveUnknown(ports, attemptId, read.id)
    case 'receipt': {
      // A report on an attempt shows that the provider accepted it, also where the answer to its submission was lost.
      await resolveUnknown(ports, attemptId, read.receipt.networkId)
      return ports.receipt(deviceId, read.receipt)
    }
  }
}

async function resolveUnknown(
  ports: ProviderPorts,
  attemptId: string | null,
  id: string | null,
): Promise<void> {
  if (attemptId === null || id === null) return
  await ports.late(attemptId, { kind: 'accepted', networkIds: [id], receiptExpected: true })
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
