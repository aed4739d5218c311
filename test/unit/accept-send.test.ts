import { expect, test } from 'vitest'
import { createAcceptor } from '../../src/messages/send/accept-send.ts'
import type { SendRequest, SendResult } from '../../src/messages/send/send-request.ts'

const warning = { code: 'low_balance', message: 'The balance is low.' }

/** What the unit is given of a send with warnings. */
async function crossing(idempotency: SendRequest['idempotency']): Promise<SendRequest | undefined> {
  const given: SendRequest[] = []
  const accept = createAcceptor({
    run: async (requests) => {
      given.push(...requests)
      return [{ kind: 'refused' } as SendResult]
    },
    maxPendingSends: 1,
    wake: () => undefined,
    accepted: () => undefined,
  })
  await accept({
    sendId: 'snd_1',
    idempotency,
    warnings: [warning],
    lowBalanceWarning: warning,
  } as unknown as SendRequest)
  return given[0]
}

test('warnings cross to the unit that stores them, with an Idempotency-Key alone', async () => {
  const key = { key: 'k', fingerprint: 'f' }
  expect(await crossing(key)).toEqual({
    sendId: 'snd_1',
    idempotency: key,
    warnings: [warning],
    lowBalanceWarning: warning,
  })
  expect(await crossing(null)).toEqual({ sendId: 'snd_1', idempotency: null, warnings: [] })
})
