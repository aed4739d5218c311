import { expect, test } from 'vitest'
import type { Inbound, Receipt } from '../../src/connectors/connector.ts'
import type { Callback } from '../../src/connectors/http/callbacks/callback.ts'
import { handleInbound, handleStatus } from '../../src/connectors/http/callbacks/handle-call.ts'
import { ownDeclaration } from '../../src/connectors/http/own-providers.ts'

/** A device at Infobip, which calls with lists: "Receive outbound SMS message reports", "Receive inbound SMS messages". */
function open() {
  const stored: { receipts: Receipt[]; inbound: Inbound[]; unparsed: string[] } = { receipts: [], inbound: [], unparsed: [] }
  const ports = {
    account: async () => null,
    called: () => undefined,
    receipt: async (_: string, receipt: Receipt) => void stored.receipts.push(receipt),
    late: async () => undefined,
    inbound: async (_: string, inbound: Inbound) => void stored.inbound.push(inbound),
    fetchText: async () => null,
    unparsed: (_: string, kind: string) => void stored.unparsed.push(kind),
  }
  const deps = { ports, certificates: async () => null, nowMs: 0 }
  const account = { deviceId: 'dev_1', declaration: ownDeclaration('infobip')!, settings: {}, secrets: {} }
  const call = (results: object[]): Callback => ({
    method: 'POST',
    url: 'https://sms.example/providers/v1/hook/status',
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify({ results })),
  })
  return {
    stored,
    status: (results: object[]) => handleStatus(deps, account, call(results), null),
    inbound: (results: object[]) => handleInbound(deps, account, call(results), null),
  }
} // prettier-ignore

test('every report and every message of a call is stored before it is acknowledged, however many they are', async () => {
  const { stored, status, inbound } = open()
  const ids = Array.from({ length: 1_500 }, (_, i) => `id-${i}`)
  await status(ids.map((messageId) => ({ messageId, status: { name: 'DELIVERED_TO_HANDSET' } })))
  expect(stored.receipts.map(({ networkId }) => networkId)).toEqual(ids)
  await inbound(ids.map((messageId) => ({ messageId, from: '491511234567', text: 'x' })))
  expect(stored.inbound.map(({ fingerprint }) => fingerprint)).toEqual(ids)
  expect(stored.unparsed).toEqual([])
})

test('what cannot be read beside what can is counted', async () => {
  const { stored, inbound } = open()
  await inbound([{ messageId: '1', from: '491511234567', text: 'x' }, { messageId: '2', text: 'from nobody' }, { from: '491511234567' }])
  expect([stored.inbound.length, stored.unparsed]).toEqual([1, ['rest', 'rest']])
}) // prettier-ignore
