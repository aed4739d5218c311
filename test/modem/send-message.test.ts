import { describe, expect, test } from 'vitest'
import type { Outcome, Submission } from '../../src/connectors/connector.ts'
import { pduParts } from '../../src/connectors/modem/submit/pdu-parts.ts'
import { type EncodingSettings, sendMessage } from '../../src/connectors/modem/submit/send-message.ts'
import { type PartOutcome, sendPart } from '../../src/connectors/modem/submit/send-part.ts'
import { submissionOf } from '../contracts/contract-subject.ts'
import { eventually } from '../eventually.ts'
import { createStubClock } from '../stub-clock.ts'
import type { ModemOptions } from '../at-modem/modem-pool.ts'
import { connectTo, type Emulated, openEmulated } from './emulated.ts'

const settings: EncodingSettings = { serviceCentre: null, receipts: 'all', validity: 'relative' }
const three = 'x'.repeat(153) + 'y'.repeat(153) + 'z'.repeat(153)

async function open(options: ModemOptions = {}): Promise<Emulated> {
  const emulated = await openEmulated(options)
  await prepare(emulated)
  return emulated
}
async function prepare({ ask }: Pick<Emulated, 'ask'>): Promise<void> {
  for (const command of ['ATE0', 'AT+CMEE=1', 'AT+CMGF=0']) await ask(command)
}

interface Given {
  submission?: Partial<Submission>
  mayContinue?: () => boolean
  late?: (outcomes: PartOutcome[], part: number) => void
  mayWrite?: () => boolean
}

function send({ channel, tools }: Pick<Emulated, 'channel' | 'tools'>, given: Given = {}): Promise<Outcome> {
  const submission = submissionOf({ text: three, parts: 3, ...given.submission })
  let names = 0
  return sendMessage(
    {
      tools: { ...tools, now: Date.now, ...(given.mayWrite && { mayWrite: given.mayWrite }) },
      settings,
      sendPart: (part) =>
        sendPart(
          { channel, overrides: new Map(), sendTimeoutMs: 20_000, nameOf: (reference) => `${reference}@${(names += 1)}`, faulty: () => undefined },
          part,
        ),
      announceParts: () => Promise.resolve(),
      mayContinue: given.mayContinue ?? (() => true),
      mayBeLate: given.late ?? (() => undefined),
    },
    submission,
    pduParts(submission, 'udh8', () => 7),
  )
} // prettier-ignore

describe('19, 22: the parts of a message', () => {
  test('go one after the other, each with a reference of its own, and joined they are the text', async () => {
    const emulated = await open()
    expect(await send(emulated, { submission: { to: '+491711234567' } })).toEqual({
      kind: 'accepted',
      networkIds: ['1@1', '2@2', '3@3'],
      receiptExpected: true,
    })
    const taken = emulated.modem.taken()
    expect(taken.map(({ text }) => text).join('')).toBe(three)
    expect(taken.map(({ part }) => part)).toMatchObject([1, 2, 3].map((part) => ({ part, total: 3 })))
    expect(taken.every(({ to, wantsReport }) => to === '+491711234567' && wantsReport)).toBe(true)
  })

  test.for([
    ['refused for good', ['+CMS ERROR: 1'], { kind: 'partial', partsTaken: 1, code: 'number_invalid' }],
    ['refused for now', ['+CMS ERROR: 38'], { kind: 'partial', partsTaken: 1, code: 'network_congested' }],
    ['unclear', ['+CMS ERROR: 500'], { kind: 'unknown', partsTaken: 1, unknownParts: { parts: [1], wireParts: 3 } }],
    ['silent', 'silence', { kind: 'unknown', partsTaken: 1, unknownParts: { parts: [1], wireParts: 3 } }],
    ['cut', 'cut', { kind: 'unknown', partsTaken: 1, connectionLost: true }],
  ] as const)('after a part that is %s no further one is sent, and none again', async ([, answer, outcome]) => {
    const rules = [{ isTaken: false, answer, skip: 1, times: 1 }]
    const emulated = await open({ settings: { submit: { rules } } })
    expect(await send(emulated)).toMatchObject(outcome)
    expect(emulated.modem.submits()).toHaveLength(2)
  }) // prettier-ignore

  test('a response that comes late is told of with all parts of its message', async () => {
    const rules = [{ isTaken: true, answer: 'silence', skip: 1, times: 1 } as const]
    const emulated = await open({ settings: { submit: { rules } } })
    const late: (string | number)[][] = []
    await send(emulated, { late: (outcomes, part) => late.push([part, ...outcomes.map(({ kind }) => kind)]) })
    expect(late).toEqual([[1, 'taken', 'unknown', 'not_written']])
  })
})

describe('21: what keeps the rest here', () => {
  test('an opt-out between two parts', async () => {
    const emulated = await open()
    const answers = [null, true]
    const outcome = await send(emulated, {
      submission: { hasOptedOut: async () => answers.shift() as boolean | null },
    })
    expect(outcome).toMatchObject({ kind: 'partial', partsTaken: 1, code: 'recipient_opted_out' })
    expect(emulated.modem.submits()).toHaveLength(1)
  })

  test('an opt-out before the first', async () => {
    const emulated = await open()
    const outcome = await send(emulated, { submission: { isKnownOptedOut: () => true } })
    expect(outcome).toMatchObject({ kind: 'refused', code: 'recipient_opted_out' })
    expect(emulated.modem.submits()).toEqual([])
  })

  test('a lease that is lost at the prompt', async () => {
    const emulated = await open()
    const answers = [true, true, true, false]
    const outcome = await send(emulated, { mayWrite: () => answers.shift() ?? false })
    expect(outcome).toMatchObject({ kind: 'partial', partsTaken: 1 })
    expect(emulated.modem.submits()).toHaveLength(1)
    await eventually(
      async () => emulated.modem.recordsOf('prompt').map(({ what }) => what),
      (what) => expect(what).toEqual(['asked', 'ended', 'asked', 'escaped']),
    )
  })

  test('a stop that has no more time', async () => {
    const emulated = await open()
    expect(await send(emulated, { mayContinue: () => false })).toMatchObject({
      kind: 'partial',
      partsTaken: 1,
    })
    expect(emulated.modem.submits()).toHaveLength(1)
  })

  test('a validity that ends', async () => {
    const clock = createStubClock()
    const sent: PartOutcome[] = []
    const outcome = await sendMessage(
      {
        tools: clock,
        settings,
        sendPart: async (part) => {
          const refusal = part.refusal()
          if (refusal !== null) return refusal
          await clock.advance(2_000)
          sent.push({ kind: 'taken', messageId: String(sent.length) })
          return sent.at(-1) as PartOutcome
        },
        announceParts: () => Promise.resolve(),
        mayContinue: () => true,
        mayBeLate: () => undefined,
      },
      submissionOf({ text: three, parts: 3, validitySeconds: 10, validityMs: 3_500 }),
      pduParts({ text: three, encoding: 'gsm7' }, 'udh8', () => 1),
    )
    expect(outcome).toMatchObject({ kind: 'partial', partsTaken: 2, code: 'expired_in_queue' })
  })
})

test('a cut at every byte of three parts: the network has what was reported taken, and at most the one that is unknown', async () => {
  const lengths = [
    1, 12, 13, 25, 300, 349, 350, 351, 360, 520, 700, 715, 716, 717, 730, 1_000, 1_067, 1_090, 1_100,
  ]
  for (const [index, afterBytes] of lengths.entries()) {
    const emulated = await openEmulated()
    await prepare(emulated)
    const of = index % 2 === 0 ? 'in' : 'both'
    await emulated.modem.set({ line: { cut: { afterBytes, of, how: index % 3 === 0 ? 'rst' : 'fin' } } })
    const outcome = await send(emulated)
    const reported = outcome.kind === 'accepted' ? 3 : 'partsTaken' in outcome ? outcome.partsTaken : 0
    const doubt = outcome.kind === 'unknown' ? 1 : 0
    // The next line begins with an ESC: what was left at a prompt is not sent.
    await prepare(await connectTo(emulated.modem))
    const taken = emulated.modem.taken().length
    expect([taken >= reported, taken <= reported + doubt], `${of} ${afterBytes}: ${outcome.kind}`).toEqual([
      true,
      true,
    ])
    await emulated.modem.hangUp()
  }
}, 60_000)
