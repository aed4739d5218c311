import { afterEach, beforeEach, expect, test } from 'vitest'
import { setPassword } from '../../src/accounts/people/passwords.ts'
import {
  addSecondFactor,
  type CodeProof,
  type StepProof,
  takeCode,
} from '../../src/accounts/people/second-factor-codes.ts'
import { minuteMs } from '../../src/runtime/clock.ts'
import { type AccountsFixture, openAccountsFixture } from './accounts-fixture.ts'

let fixture: AccountsFixture
let userId: string
beforeEach(async () => {
  fixture = await openAccountsFixture()
  ;({ userId } = await fixture.addAccount())
  await fixture.storage.writer.write(async (tx) => {
    await setPassword(tx, { nowMs: fixture.clock.now() }, { userId, passwordHash: 'not-a-hash' })
    await tx
      .insertInto('auth_two_factors')
      .values({ id: 'factor', secret: 's', backupCodes: 'sealed-10', userId })
      .execute()
  })
})
afterEach(() => fixture.close())

let challenges = 0
/** A sign-in that waits for a code, as Better Auth stores it after the password. */
const begin = async (): Promise<string> => {
  const challenge = `2fa-${++challenges}`
  const createdAt = new Date(fixture.clock.now()).toISOString()
  const expiresAt = new Date(fixture.clock.now() + 10 * minuteMs).toISOString()
  const times = { createdAt, updatedAt: createdAt, expiresAt }
  await fixture.storage.writer.write(async (tx) => {
    const rows = [
      { id: challenge, identifier: challenge, value: userId, ...times },
      { id: `a-${challenge}`, identifier: `2fa-attempts-${challenge}`, value: '0', ...times },
    ]
    await tx.insertInto('auth_verifications').values(rows).execute()
  })
  return challenge
}

const give = (challenge: string, proof: CodeProof | null, isKnownBrowser = false) =>
  fixture.storage.writer.write((tx) =>
    takeCode(tx, { nowMs: fixture.clock.now() }, { challenge, userId, proof, isKnownBrowser }),
  )

/** A code of the app that the user has. */
const ofApp = (step: number) => ({ step, secret: 's' })
const recovery = { codesBefore: 'sealed-10', codesAfter: 'sealed-9' }

test.for<[string, CodeProof]>([
  ['a code of the app', ofApp(100)],
  ['a recovery code', recovery],
])('of two who give %s at the same time one is let in', async ([, proof]) => {
  const [one, two] = [await begin(), await begin()]
  const results = await Promise.all([give(one, proof), give(two, proof)])
  expect(results.toSorted()).toEqual(['accepted', 'wrong'])
})

test('a step at or before the last accepted one lets nobody in, the next one does', async () => {
  expect(await give(await begin(), ofApp(100))).toBe('accepted')
  expect(await give(await begin(), ofApp(100))).toBe('wrong')
  expect(await give(await begin(), ofApp(99))).toBe('wrong')
  expect(await give(await begin(), ofApp(101))).toBe('accepted')
})

/** Another app, of which no code was given yet. The step of the former one is left. */
const beginApp = (secret: string) =>
  fixture.storage.writer.write((tx) => tx.updateTable('auth_two_factors').set({ secret, verified: 0 }).where('userId', '=', userId).execute()) // prettier-ignore

test('the code that added the app is used as any other', async () => {
  const { writer } = fixture.storage
  await beginApp('s')
  expect(await writer.write((tx) => addSecondFactor(tx, { userId, ...ofApp(100) }))).toBe(true)
  expect(await writer.write((tx) => addSecondFactor(tx, { userId, ...ofApp(100) }))).toBe(false)
  expect(await give(await begin(), ofApp(100))).toBe('wrong')
})

test('a new app is held up by no step of the former one, whose codes neither add it nor let in', async () => {
  const { writer } = fixture.storage
  expect(await give(await begin(), ofApp(200))).toBe('accepted')
  await beginApp('t')
  const add = (proof: StepProof) => writer.write((tx) => addSecondFactor(tx, { userId, ...proof }))
  expect(await add(ofApp(201))).toBe(false)
  expect(await add({ step: 100, secret: 't' })).toBe(true)
  expect(await give(await begin(), ofApp(101))).toBe('wrong')
  expect(await give(await begin(), { step: 101, secret: 't' })).toBe('accepted')
})

test('a sign-in takes one code, and ends after five wrong ones or ten minutes', async () => {
  const used = await begin()
  expect(await give(used, ofApp(100))).toBe('accepted')
  expect(await give(used, ofApp(101))).toBe('ended')
  const guessed = await begin()
  for (let i = 0; i < 5; i++) expect(await give(guessed, null)).toBe('wrong')
  expect(await give(guessed, ofApp(102))).toBe('too_many')
  expect(await give(guessed, ofApp(102))).toBe('ended')
  const late = await begin()
  await fixture.clock.advance(10 * minuteMs)
  expect(await give(late, ofApp(103))).toBe('ended')
})

test('ten wrong codes in a row make strangers wait for 15 minutes, and a browser that is known does not', async () => {
  for (let i = 0; i < 10; i++) expect(await give(await begin(), null)).toBe('wrong')
  const waiting = await begin()
  expect(await give(waiting, ofApp(100))).toBe('too_many')
  expect(await give(await begin(), ofApp(100), true)).toBe('accepted')
  for (let i = 0; i < 10; i++) await give(await begin(), null)
  expect(await give(await begin(), ofApp(101))).toBe('too_many')
  await fixture.clock.advance(15 * minuteMs)
  expect(await give(await begin(), ofApp(101))).toBe('accepted')
})

test('wrong codes from a known browser make no stranger wait', async () => {
  for (let i = 0; i < 10; i++) expect(await give(await begin(), null, true)).toBe('wrong')
  expect(await give(await begin(), ofApp(100))).toBe('accepted')
})
