import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type GuideFacts,
  type GuidePhone,
  guideSteps,
  noGuideFacts,
  stepToDo,
} from '../../src/devices/phones/connect-guide.ts'
import { stepBack } from '../../src/devices/phones/guide-back.ts'
import { guideStepNames, todoOf, usualOf } from '../../src/devices/phones/guide-words.ts'

const phone: GuidePhone = {
  deviceId: 'dev_1',
  name: 'samsung/a12',
  appVersion: '1.68.0',
  isConnected: true,
  connection: 'open',
  sims: [{ slot: 1, number: '+4915550001234', carrier: 'Telco' }],
  senders: ['+4915550001234'],
  isNumberAwaited: false,
  withoutSim: [],
  battery: { percent: 80, charging: true },
  troubles: [],
}
const sent = {
  messageId: 'msg_1',
  to: '+4915550001234',
  status: 'sent',
  error: null,
  phoneError: null,
  isByOther: false,
} as const satisfies GuideFacts['test']
const outcome = fc.record({
  isOk: fc.boolean(),
  summary: fc.string(),
  remedy: fc.option(fc.string()),
})
const anyFacts: fc.Arbitrary<GuideFacts> = fc.record({
  way: fc.option(fc.constantFrom('local', 'internet', 'cable')),
  address: fc.option(outcome),
  reached: fc.option(fc.constant({ from: '192.168.1.23', way: 'the same network (Wi-Fi)' })),
  login: fc.option(outcome),
  phone: fc.option(
    fc.record({
      deviceId: fc.constant('dev_1'),
      name: fc.constantFrom('', 'samsung/a12'),
      appVersion: fc.option(fc.constant('1.68.0')),
      isConnected: fc.boolean(),
      connection: fc.string(),
      sims: fc.constantFrom([], phone.sims),
      senders: fc.constantFrom([], phone.senders),
      isNumberAwaited: fc.boolean(),
      withoutSim: fc.constantFrom([], [{ slot: 2, number: '+4915550001235' }]),
      battery: fc.constantFrom(null, phone.battery),
      troubles: fc.array(fc.string(), { maxLength: 2 }),
    }),
  ),
  test: fc.option(
    fc.record({
      messageId: fc.constant('msg_1'),
      to: fc.constant('+4915550001234'),
      status: fc.constantFrom('queued', 'sending', 'sent', 'delivered', 'failed', 'unconfirmed', 'expired'),
      error: fc.option(fc.string()),
      phoneError: fc.option(fc.string()),
      isByOther: fc.boolean(),
    }),
  ),
  answer: fc.option(fc.record({ from: fc.option(fc.string()), text: fc.string() })),
  keyLimits: fc.option(fc.array(fc.option(fc.integer({ min: 1 })), { maxLength: 3 })),
  isAwake: fc.boolean(),
  isNumberPassed: fc.boolean(),
  isLimitPassed: fc.boolean(),
  isAnswerPassed: fc.boolean(),
})
const stateOf = (facts: Partial<GuideFacts>, name: string) =>
  guideSteps({ ...noGuideFacts, ...facts }).find((step) => step.name === name)

test('any facts give ten steps, of which one is to do until all are done, and nothing after it is', () => {
  fc.assert(
    fc.property(anyFacts, (facts) => {
      const steps = guideSteps(facts)
      expect(steps.map(({ name }) => name)).toEqual(guideStepNames)
      const toDo = stepToDo(steps)
      const isOver = steps.every(({ state }) => state === 'done' || state === 'passed')
      expect(toDo === null).toBe(isOver)
      const after = toDo === null ? [] : steps.slice(toDo.number)
      expect(after.filter(({ state }) => state === 'now' || state === 'failed')).toEqual([])
      // What is to do comes with words.
      for (const { state, usual } of steps) if (state === 'now') expect(usual.text).not.toBe('')
    }),
  )
})

test('a step that failed is done as soon as its facts say so, and the steps behind it are as they were', () => {
  const failed = { isOk: false, summary: 'No answer.', remedy: 'Wake it.' }
  expect(stateOf({ way: 'local', address: failed }, 'address')).toMatchObject({
    state: 'failed',
    summary: 'No answer.',
    remedy: 'Wake it.',
  })
  expect(stateOf({ way: 'local', address: { ...failed, isOk: true } }, 'login')).toMatchObject({
    state: 'now',
  })
  const facts = { way: 'local', phone, isAwake: true, keyLimits: [] } as const
  expect(stateOf({ ...facts, test: { ...sent, status: 'failed', error: 'No credit.' } }, 'test')).toMatchObject({
    state: 'failed',
    remedy: 'No credit.',
  }) // prettier-ignore
  expect(stateOf({ ...facts, test: sent }, 'answer')).toMatchObject({ state: 'now' })
})

test('an address that this machine does not reach keeps no phone from it: the login is to do as well', () => {
  const address = { isOk: false, summary: 'route: no answer', remedy: null }
  const steps = guideSteps({ ...noGuideFacts, way: 'internet', address })
  expect(steps.slice(2, 5).map(({ state }) => state)).toEqual(['failed', 'now', 'later'])
  expect(stepToDo(steps)?.name).toBe('login')
  expect(stateOf({ way: 'internet', address, phone }, 'address')).toMatchObject({
    state: 'done',
    summary: 'A phone reached it.',
  })
})

test('what this machine reaches waits for a phone to open the link, and keeps no phone from the login', () => {
  const address = { isOk: true, summary: 'Reached from this machine.', remedy: null }
  const states = (facts: Partial<GuideFacts>) =>
    guideSteps({ ...noGuideFacts, way: 'internet', address, ...facts }).map(({ state }) => state)
  expect(states({}).slice(2, 5)).toEqual(['now', 'now', 'later'])
  const reached = { from: '192.168.1.23', way: 'the same network (Wi-Fi)' }
  expect(states({ reached }).slice(2, 5)).toEqual(['done', 'now', 'later'])
  const failed = { ...address, isOk: false }
  expect(stateOf({ way: 'internet', address: failed, reached }, 'address')).toMatchObject({
    state: 'done',
    summary: 'A phone reached it from 192.168.1.23, by the same network (Wi-Fi).',
  })
})

test('a failed test SMS says what the phone said, what the error means, and what the device reports', () => {
  const facts = {
    way: 'local',
    isAwake: true,
    phone: { ...phone, troubles: ['no_sim: insert one.'] },
    keyLimits: [],
  } as const
  const failed = { ...sent, status: 'failed', error: 'Try later.', phoneError: 'RADIO_OFF: flight mode.' } as const
  expect(stateOf({ ...facts, test: failed }, 'test')).toMatchObject({
    state: 'failed',
    remedy: 'RADIO_OFF: flight mode. Try later. no_sim: insert one.',
    heading: 'trouble',
  })
}) // prettier-ignore

test('a daily limit is offered while an API key that sends has none, and passed over where there is no key to limit', () => {
  const limit = (keyLimits: GuideFacts['keyLimits'], more: Partial<GuideFacts> = {}) =>
    stateOf({ way: 'local', isAwake: true, phone, keyLimits, ...more }, 'limit')
  expect(limit([200, null])).toMatchObject({ state: 'now', summary: '1 API key has no daily limit.' })
  expect(limit([null, null], { isLimitPassed: true })?.state).toBe('passed')
  expect(limit([200, 50])).toMatchObject({ state: 'done', summary: 'Each API key sends at most 200 SMS a day.' })
  expect(limit([])?.state).toBe('passed')
  expect(limit(null)).toMatchObject({ state: 'passed', summary: expect.stringContaining('shared') as string })
}) // prettier-ignore

test('from any facts, going back undoes one choice after the other down to the connection, and never leads forward', () => {
  fc.assert(
    fc.property(anyFacts, (facts) => {
      const now = { ...facts }
      const numberOf = (of: GuideFacts): number => stepToDo(guideSteps(of))?.number ?? guideStepNames.length + 1
      for (let returns = 0; returns < 10; returns++) {
        const back = stepBack(now)
        if (back === null) break
        const before = numberOf(now)
        Object.assign(now, back.facts)
        expect(numberOf(now)).toBeLessThanOrEqual(before)
        expect(stepToDo(guideSteps(now))?.name).toBe(back.to)
        // What is known of a phone or a test goes with it.
        if (back.forgets === 'phone') expect([now.phone, now.test, now.answer]).toEqual([null, null, null])
        if (back.forgets === 'test') expect(now.phone).toEqual(facts.phone)
      }
      expect(stepBack(now)).toBeNull()
      expect(now.way).toBeNull()
    }),
  )
}) // prettier-ignore

test('each way back leads where the choice was made, and a failed try is changed where it is', () => {
  const ok = { isOk: true, summary: '', remedy: null }
  const to = (facts: Partial<GuideFacts>) => {
    const back = stepBack({ ...noGuideFacts, ...facts })
    return back === null ? null : [back.to, back.forgets]
  }
  expect(to({})).toBeNull()
  expect(to({ way: 'local' })).toEqual(['way', null])
  expect(to({ way: 'local', address: { ...ok, isOk: false } })).toEqual(['way', null])
  expect(to({ way: 'local', address: ok })).toEqual(['address', null])
  expect(to({ way: 'internet', address: ok })).toEqual(['way', null])
  const connected = { way: 'local', address: ok, phone, keyLimits: [null] } as const
  expect(to(connected)).toEqual(['login', 'phone'])
  expect(to({ ...connected, isAwake: true })).toEqual(['battery', null])
  const asked = { ...connected, isAwake: true, isLimitPassed: true } as const
  expect(to(asked)).toEqual(['limit', null])
  expect(to({ ...asked, test: sent })).toEqual(['test', 'test'])
  expect(to({ ...asked, test: { ...sent, status: 'failed' } })).toEqual(['limit', null])
  expect(to({ ...asked, test: sent, isAnswerPassed: true })).toEqual(['answer', null])
})

test('a queued test SMS shows what the device reports, and one that another device sent says so', () => {
  const facts = {
    way: 'local',
    isAwake: true,
    phone: { ...phone, troubles: ['no_sim: insert one.'] },
  } as const
  expect(stateOf({ ...facts, test: { ...sent, status: 'queued' } }, 'test')).toMatchObject({
    state: 'now',
    remedy: 'no_sim: insert one.',
  })
  expect(stateOf({ ...facts, test: { ...sent, isByOther: true } }, 'test')?.summary).toContain(
    'Another device',
  )
})

test('a number that was set is done when the server sends from it, since a send before is refused', () => {
  const facts = { way: 'local', isAwake: true } as const
  const number = (isNumberAwaited: boolean) =>
    stateOf({ ...facts, phone: { ...phone, isNumberAwaited } }, 'number')?.state
  expect([number(true), number(false)]).toEqual(['now', 'done'])
})

test('a number that was set for a slot without a SIM holds nobody up, and is named', () => {
  const withoutSim = [{ slot: 2, number: '+4915550001235' }]
  const facts = { way: 'local', isAwake: true } as const
  const number = (senders: string[]) =>
    stateOf({ ...facts, phone: { ...phone, withoutSim, senders } }, 'number')
  const words = 'There is no SIM 2, for which +4915550001235 is set.'
  expect(number([])).toMatchObject({ state: 'now', summary: words })
  expect(number(['+4915550001234'])).toMatchObject({ state: 'done', summary: `+4915550001234. ${words}` })
})

test('an answer is shown in one line', () => {
  const answer = { from: '+49', text: 'Yes\r\n\tplease' }
  expect(stateOf({ answer }, 'answer')?.summary).toBe('+49: Yes please')
})

test('every step of every connection says what to do, and after a while what is usual', () => {
  for (const way of ['local', 'internet', 'cable'] as const)
    for (const name of guideStepNames) {
      expect(usualOf(name, way).afterMs).toBeGreaterThanOrEqual(15_000)
      if (name !== 'way') expect(todoOf(name, way).join('')).not.toBe('')
    }
})
