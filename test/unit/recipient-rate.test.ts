import { expect, test } from 'vitest'
import type { Caller } from '../../src/accounts/keys/authenticator.ts'
import type { CheckedSend } from '../../src/sending/prepare-send.ts'
import { RecipientRate } from '../../src/sending/recipient-rate.ts'
import { createStubClock } from '../stub-clock.ts'

/** Which accounts are suspended when twenty neighbours are written to, one by one. */
async function suspendedBy(limits: { pumpingNumbers: number; pumpingMessages: number }): Promise<unknown[]> {
  const suspended: unknown[] = []
  const guard = new RecipientRate({
    clock: createStubClock(),
    config: { messagesPerNumber: 0, messagesPerPrefix: 0, ...limits },
    ports: {
      pauseForPumping: async (accountId) => void suspended.push(accountId),
      timesTo: async () => new Map(),
    },
  })
  const caller = {
    accountId: 'acc_a',
    mode: 'live',
    recipientLimits: { pumpingNumbers: null },
  } as unknown as Caller
  for (let i = 0; i < 20; i++) {
    const send = { body: {}, recipients: [{ to: `+491517777${String(i).padStart(4, '0')}` }] }
    await guard.watch(caller, send as unknown as CheckedSend).then(
      (note) => note(),
      () => undefined,
    )
  }
  return suspended
}

test('an instance that watches no codes watches nothing else either', async () => {
  expect(await suspendedBy({ pumpingNumbers: 30, pumpingMessages: 3 })).not.toEqual([])
  expect(await suspendedBy({ pumpingNumbers: 0, pumpingMessages: 3 })).toEqual([])
  expect(await suspendedBy({ pumpingNumbers: 30, pumpingMessages: 0 })).toEqual([])
})
