import { expect, test } from 'vitest'
import { goneMs } from '../../src/devices/phones/registered-phones.ts'
import { createHalfOpenWatch } from '../../src/dispatch/sweepers/half-open-phones.ts'
import { maxOpen } from '../../src/messages/phones/phone-offers.ts'
import { readOffers } from '../../src/messages/phones/read-offers.ts'
import { countUnfinishedOffers } from '../../src/messages/phones/unfinished-offers.ts'
import { createLog } from '../../src/process/log.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { statementsOf } from '../plans.ts'
import { openDeskHouse, sayAll } from './gateway-fixture.ts'

test('what a phone has not acknowledged is found behind as many as it may hold', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  await house.send({ to: ['+4915112345601', '+4915112345602'] })
  const [held, newest] = await house.pull(phone)
  await house.report(phone, sayAll('pending')(held!))
  await house.storage.writer.write(async (tx) => {
    const row = await tx.selectFrom('phone_offers').selectAll().where('attempt_id', '=', held!.attemptId).executeTakeFirstOrThrow() // prettier-ignore
    const others = Array.from({ length: maxOpen }, (_, i) => ({ ...row, attempt_id: `att_${i}`, offered_at: row.offered_at - 1 })) // prettier-ignore
    await insertRows(tx, 'phone_offers', others)
  })
  const nowMs = house.clock.now()
  const offers = await readOffers(house.storage.read, { ...phone, askedAtMs: nowMs, nowMs, most: 20, hangsAfterMs: 600_000 }) // prettier-ignore
  expect(offers.map(({ attemptId }) => attemptId)).toEqual([newest!.attemptId])
})

test('what an app that was installed anew has lost does not count among what its phone holds', async () => {
  const house = await openDeskHouse()
  const { deviceId, ...phone } = await house.register('1')
  await house.send({ to: ['+4915112345601', '+4915112345602'] })
  await house.pull({ deviceId, ...phone })
  const count = async () =>
    (await countUnfinishedOffers(house.storage.read, [deviceId], { nowMs: house.clock.now(), most: 20 })).get(
      deviceId,
    )
  expect(await count()).toBe(2)
  house.clock.jumpWallClock(goneMs)
  const anew = await house.register('1')
  expect([anew.deviceId, anew.phoneId === phone.phoneId]).toEqual([deviceId, false])
  expect(await count()).toBe(0)
})

test('a phone does not hold what another attempt is open for, though nothing has closed its offer', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  await house.send()
  await house.pull(phone)
  await house.storage.writer.write(async (tx) => {
    const attempt = await tx.selectFrom('attempts').selectAll().executeTakeFirstOrThrow()
    await tx.updateTable('attempts').set({ state: 'unknown', ended_at: house.clock.now() }).execute()
    await insertRows(tx, 'attempts', [{ ...attempt, id: 'att_other', number: attempt.number + 1 }])
  })
  const held = await countUnfinishedOffers(house.storage.read, [phone.deviceId], { nowMs: house.clock.now(), most: 20 }) // prettier-ignore
  expect([...held]).toEqual([[phone.deviceId, 0]])
})

test('what a phone was given before is read at its first request, and by a node that is alone not again', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  const readsPace = async () =>
    (await statementsOf(house.storage.read, () => house.pull(phone))).filter(({ sql }) => sql.includes('sum(m.parts)'))
  expect(await readsPace()).toHaveLength(1)
  expect(await readsPace()).toHaveLength(0)
}) // prettier-ignore

test('nobody asks what phones hold that hold nothing', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  const watch = createHalfOpenWatch({ ...house, read: house.storage.read, log: createLog('silent', { write: () => undefined }) })
  const asked = () => statementsOf(house.storage.read, () => watch.sweepAll())
  expect(await asked()).toEqual([])
  await house.send()
  const offers = await house.pull(phone)
  expect(await asked()).not.toEqual([])
  await house.report(phone, ...offers.map(sayAll('sent')))
  expect(await asked()).toEqual([])
}) // prettier-ignore
