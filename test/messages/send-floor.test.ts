import { expect, onTestFinished, test } from 'vitest'
import { sendMessages } from '../../src/messages/send/send-messages.ts'
import { openMessagesFixture } from '../messages-fixture.ts'

test('a send at the instant up to which history was read is stored, and one before it is late', async () => {
  const fixture = await openMessagesFixture()
  onTestFinished(() => fixture.close())
  await fixture.addAccount('acc_a', 10)
  const sendAt = (floorMs: (createdAt: number) => number) => {
    const request = fixture.request()
    const floor = Promise.resolve(floorMs(request.createdAt))
    return fixture.storage.writer.write((tx) => sendMessages(tx, [request], floor))
  }
  expect(await sendAt((createdAt) => createdAt)).toMatchObject([{ kind: 'accepted' }])
  expect(await sendAt((createdAt) => createdAt + 1)).toMatchObject([{ kind: 'below_floor' }])
  expect(await fixture.statuses()).toEqual(['queued'])
})
