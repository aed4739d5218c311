import type { KyselyPlugin } from 'kysely'
import { expect, test } from 'vitest'
import { PhoneGateway } from '../../src/dispatch/phones/phone-gateway.ts'
import { createLog } from '../../src/process/log.ts'
import { touchDirectory } from '../../src/storage/seam/directory-version.ts'
import { openDeskHouse } from './gateway-fixture.ts'

const silent = createLog('silent', { write: () => undefined })

test('a phone with four parts left in its window gets no more of them, however many senders have messages', async () => {
  const house = await openDeskHouse({ window: 20 })
  const phone = await house.register('1')
  const senders = ['+4915100000001', '+4915100000002']
  await house.storage.writer.write(async (tx) => {
    const paced = { parts_per_window: 4, window_seconds: 3_600, senders: JSON.stringify(senders), updated_at: house.clock.now() + 1 } // prettier-ignore
    await tx.updateTable('devices').set(paced).execute()
    await touchDirectory(tx)
  })
  await house.pool.reloadIfChanged()
  const twoParts = 'a'.repeat(200)
  const numbersOf = [['+4915112345601', '+4915112345602'], ['+4915112345603', '+4915112345604']] as const // prettier-ignore
  for (const [i, from] of senders.entries()) await house.send({ from, text: twoParts, parts: 2, to: [...numbersOf[i as 0 | 1]] }) // prettier-ignore
  const offers = await house.pull(phone)
  expect(offers.map(({ to }) => to).toSorted()).toEqual(numbersOf.map(([first]) => first))
})

test('a request of a phone begins when the one before has ended, also where a third comes as the first ends', async () => {
  const { storage, ...house } = await openDeskHouse()
  const seen: string[] = []
  const noting: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    async transformResult({ result }) {
      if (seen.at(-1) !== 'reads') seen.push('reads')
      return result
    },
  }
  const gateway = new PhoneGateway({
    ...house,
    read: storage.read.withPlugin(noting),
    writer: storage.writer,
    log: silent,
    fence: 1,
    judgeFailure: () => expect.fail(),
    claim: () => expect.fail(),
    dueNow: () => 0,
    wake: () => undefined,
    // It runs nowhere: what it holds is read, and nothing claimed.
    pool: { get: () => (seen.push('asks'), null) } as never,
  })
  const ask = () => gateway.offer({ phoneId: 'pho_a', deviceId: 'dev_a', hangsAfterMs: 1 })
  const [first, second] = [ask(), ask()]
  await first
  await Promise.all([second, ask()])
  expect(seen).toEqual(['asks', 'reads', 'asks', 'reads', 'asks', 'reads'])
})
