import { expect, test } from 'vitest'
import { readMessageStory } from '../../src/messages/message-story.ts'
import { noteSent } from '../../src/messages/phone-offers.ts'
import { openDeskHouse } from './desk-house.ts'

test('the SIM and the parts that a phone tells of stand in the story of the message, and another phone cannot tell them', async () => {
  const house = await openDeskHouse()
  const phone = await house.register('1')
  const other = await house.register('2')
  await house.send()
  const [offer] = await house.pull(phone)
  const attemptId = offer?.attemptId ?? ''
  const note = (deviceId: string, said: { sim: number | null; parts: number | null }) =>
    house.storage.writer.write((tx) => noteSent(tx, { deviceId, attemptId, ...said }))
  const story = async () => {
    const message = await house.storage.read.selectFrom('messages').selectAll().executeTakeFirstOrThrow()
    const owner = { accountId: message.account_id, mode: message.mode }
    return (await readMessageStory(house.storage.read, owner, message.id))?.attempts[0]
  }
  await note(other.deviceId, { sim: 3, parts: 9 })
  expect(await story()).toMatchObject({ sim: null, phoneParts: null })
  await note(phone.deviceId, { sim: 2, parts: null })
  await note(phone.deviceId, { sim: null, parts: 4 })
  expect(await story()).toMatchObject({ sim: 2, phoneParts: 4 })
})
