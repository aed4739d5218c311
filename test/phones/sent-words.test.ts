import { expect, test } from 'vitest'
import type { KnownPhone } from '../../src/devices/phones/known-phone.ts'
import { createDeviceSecretBox } from '../../src/runtime/secret-box.ts'
import { takeOverPhone } from '../../src/devices/phones/same-phone.ts'
import { readMessageDetails } from '../../src/messages/history/message-details.ts'
import { noteSent } from '../../src/messages/phones/phone-offers.ts'
import { pullKind } from './pull-kind.ts'
import { openDeskHouse, sayAll } from './gateway-fixture.ts'

test('the SIM and the parts that a phone tells of stand in the story of the message, and another phone cannot tell them', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  const other = await house.register('2')
  await house.send()
  const [offer] = await house.pull(phone)
  const attemptId = offer?.attemptId ?? ''
  const note = ({ deviceId, phoneId }: KnownPhone, said: { sim: number | null; parts: number | null }) =>
    house.storage.writer.write((tx) => noteSent(tx, { deviceId, phoneId, attemptId, ...said }))
  const story = async () => {
    const message = await house.storage.read.selectFrom('messages').selectAll().executeTakeFirstOrThrow()
    const owner = { accountId: message.account_id, mode: message.mode }
    return (await readMessageDetails(house.storage.read, owner, message.id))?.attempts[0]
  }
  await note(other, { sim: 3, parts: 9 })
  expect(await story()).toMatchObject({ sim: null, phoneParts: null })
  await note(phone, { sim: 2, parts: null })
  await note(phone, { sim: null, parts: 4 })
  expect(await story()).toMatchObject({ sim: 2, phoneParts: 4 })
})

test('what a phone was given in the moment in which its device was said to be a former one is told under that one', async () => {
  const house = await openDeskHouse()
  const former = await house.register('1')
  const anew = await house.register('2')
  await house.send()
  await house.storage.writer.write((tx) =>
    takeOverPhone(tx, { ids: house.ids, nowMs: house.clock.now(), secretBox: createDeviceSecretBox({ current: 's'.repeat(32), former: [] }), rules: pullKind() }, { deviceId: former.deviceId, newId: anew.deviceId, actor: 'test' }),
  )
  // A node remembers for two seconds whose token it is.
  const [offer] = await house.pull(anew)
  const now = (await house.known(anew.deviceToken))!
  expect(now).toMatchObject({ deviceId: former.deviceId, phoneId: anew.phoneId })
  expect(await house.report(former, sayAll('sent')(offer!)), 'by another registration of that device').toEqual([])
  expect(await house.report(now, sayAll('sent')(offer!))).toHaveLength(1)
  const attemptId = offer!.attemptId
  await house.storage.writer.write((tx) => noteSent(tx, { ...now, attemptId, sim: 2, parts: 1 }))
  expect(await house.messages()).toMatchObject([{ status: 'sent', charged: 1 }])
  expect(await house.storage.read.selectFrom('phone_offers').select('sim').execute()).toEqual([{ sim: 2 }])
}) // prettier-ignore
