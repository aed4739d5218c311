import { expect, test } from 'vitest'
import type { Pdu } from '../../src/smpp/codec/pdu.ts'
import { submissionOf } from '../contracts/contract-subject.ts'
import { roundTrip, silentTo } from './session-fixture.ts'
import { openStubLink } from './stub-link.ts'

/** Receipts that do not say that they are receipts, as a link takes them: by the ids of its answers. */

const answerTo = (sequence: number, messageId: string): Pdu => ({
  command: 'submit_sm_resp',
  status: 0,
  sequence,
  body: { messageId, tlvs: [] },
})

test('a text that looks like a receipt is one when its id came with a late answer', async () => {
  const { link, smsc, world } = await openStubLink({
    answering: silentTo('submit_sm'),
    settings: { response_timeout_ms: '2000' },
  })
  const submitted = link.submit(submissionOf())
  const { sequence, body } = await smsc.seen('submit_sm')
  await world.clock.advance(2_000)
  await submitted
  smsc.send(answerTo(sequence, 'late-1'))
  const shortMessage = Buffer.from('id:late-1 stat:DELIVRD err:000')
  smsc.send({ command: 'deliver_sm', status: 0, sequence: 9, body: { ...body, esmClass: 0, shortMessage } })
  await smsc.seen('deliver_sm_resp')
  expect(world.stored).toMatchObject([{ networkId: 'late-1', result: 'delivered' }])
  expect(world.inbound).toEqual([])
})

test('a receipt that does not say so, and comes before the answer of its submit, is that receipt and no message', async () => {
  const { link, smsc, world } = await openStubLink({ answering: silentTo('submit_sm') })
  const submitted = link.submit(submissionOf())
  const { sequence, body } = await smsc.seen('submit_sm')
  const shortMessage = Buffer.from(
    'id:77 sub:001 dlvrd:001 submit date:2611260405 done date:2611260406 stat:DELIVRD err:000 text:',
  )
  const fields = {
    ...body,
    source: body.destination,
    destination: body.source,
    esmClass: 0,
    shortMessage,
    tlvs: [],
  }
  smsc.send({ command: 'deliver_sm', status: 0, sequence: 9, body: fields })
  await roundTrip(smsc)
  smsc.send(answerTo(sequence, '77'))
  await smsc.seen('deliver_sm_resp')
  expect(await submitted).toMatchObject({ kind: 'accepted', networkIds: ['77'] })
  expect(world.stored).toMatchObject([{ networkId: '77', result: 'delivered' }])
  expect(world.inbound).toEqual([])
})
