import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testPassword } from '../e2e/signed-in.ts'
import { newSoftPasskey, type Quirks, type SoftPasskey } from './soft-passkey.ts'
import { startConsole } from './start-console.ts'
import { newVisitor } from './visitor.ts'
import {
  add,
  ask,
  begin,
  enter,
  openPasskeyHouse,
  type Owner,
  type PasskeyHouse,
  profile,
  type SignedIn,
  whoIs,
} from './passkey-house.ts'

let house: PasskeyHouse
beforeAll(async () => {
  house = await openPasskeyHouse()
})
afterAll(() => house.stop())

const password = testPassword

describe('a new passkey is refused', () => {
  const refused: [what: string, quirks: Quirks, words: string][] = [
    ['of another origin', { origin: 'https://evil.example' }, 'origin'],
    ['of another host', { rpId: 'evil.example' }, 'RP ID'],
    ['from within a foreign page', { crossOrigin: true }, 'in a page of another origin'],
    [
      'to a question of their own',
      { challenge: Buffer.alloc(54, 1).toString('base64url') },
      'its challenge was not issued',
    ],
    ['whose owner was not recognised', { isVerified: false }, 'User verification was required'],
    ['without anybody there', { isPresent: false }, 'User presence was required'],
    ['that says what it was used for', { type: 'webauthn.get' }, 'type'],
    ['with certificates, which would be asked for elsewhere', { hasCertificate: true }, 'certificates'],
  ]
  let visitor: SignedIn
  beforeAll(async () => {
    visitor = await house.signedIn()
  })
  test.each(refused)('%s', async (_, quirks, words) => {
    const answer = await add(visitor, newSoftPasskey(house.url), quirks)
    expect(answer).toMatchObject({ status: 422, body: { detail: expect.stringContaining(words) } })
    expect((await profile(visitor)).passkeys).toEqual([])
  })

  test('to the question of another session, or of the sign-in', async () => {
    const other = newVisitor(house.url)
    await other.change('session/sign-in', { email: visitor.person.email, password })
    const { user } = await begin(visitor)
    for (const { challenge } of [await begin(other), await ask(visitor)]) {
      const made = newSoftPasskey(house.url).make({ challenge, user })
      expect(await visitor.change('passkeys/add', { name: 'Phone', made })).toMatchObject({
        status: 422,
        body: { detail: expect.stringContaining('its challenge was not issued') },
      })
    }
  })

  test('when its question was answered before, and when somebody has it', async () => {
    const options = await begin(visitor)
    const [passkey, second] = [newSoftPasskey(house.url), newSoftPasskey(house.url)]
    const answer = (of: SoftPasskey) =>
      visitor.change('passkeys/add', { name: 'Phone', made: of.make(options) })
    expect((await answer(passkey)).status).toBe(200)
    expect(await answer(second)).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining('already used') },
    })
    const thief = await house.signedIn()
    expect(await add(thief, passkey)).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining('already registered') },
    })
    expect((await profile(visitor)).passkeys).toHaveLength(1)
  })
})

describe('signing in by a passkey is refused', () => {
  const refused: [what: string, quirks: Quirks, words: string][] = [
    ['from another origin', { origin: 'https://evil.example' }, 'origin'],
    ['for another host', { rpId: 'evil.example' }, 'RP ID'],
    ['from within a foreign page', { crossOrigin: true }, 'in a page of another origin'],
    [
      'to a question of their own',
      { challenge: Buffer.alloc(54, 1).toString('base64url') },
      'its challenge was not issued',
    ],
    ['when the owner was not recognised', { isVerified: false }, 'User verification required'],
    ['without anybody there', { isPresent: false }, 'User not present'],
    ['with what was made for adding it', { type: 'webauthn.create' }, 'type'],
    ['with the key of another', { signsWithOtherKey: true }, 'signature is wrong'],
    ['as somebody else', { userHandle: Buffer.from('usr_somebody').toString('base64url') }, 'another user'],
  ]
  let owner: Owner
  beforeAll(async () => {
    owner = await house.withPasskey()
  })
  test.each(refused)('%s', async (_, quirks, words) => {
    const { passkey, person } = owner
    const before = await house.audited(person.userId)
    const visitor = newVisitor(house.url)
    const answer = await house.signIn(passkey, quirks, visitor)
    expect(answer).toMatchObject({
      status: 401,
      body: { code: 'not_signed_in', detail: expect.stringContaining(words) },
    })
    expect(await whoIs(visitor)).toBeNull()
    expect(await house.audited(person.userId)).toEqual(before)
    expect((await house.signIn(passkey)).status).toBe(200)
  })

  test('with one that nobody has', async () => {
    const foreign = newSoftPasskey(house.url)
    foreign.make({ challenge: '', user: { id: Buffer.from('usr_somebody').toString('base64url') } })
    expect((await house.signIn(foreign)).status).toBe(401)
  })

  test('to the question that another browser was asked, or of adding one', async () => {
    const { visitor, passkey } = owner
    const [victim, attacker] = [newVisitor(house.url), newVisitor(house.url)]
    const options = await ask(attacker)
    for (const used of [passkey.use(options), passkey.use(await begin(visitor))]) {
      expect((await enter(victim, used)).status).toBe(401)
      await ask(victim)
      expect((await enter(victim, used)).status).toBe(401)
    }
    // In two tabs of one browser each question stays good.
    const [first] = [await ask(victim), await ask(victim)]
    expect((await enter(victim, passkey.use(first))).status).toBe(200)
  })

  test('a second time by the same answer, or by another answer to the same question', async () => {
    const { passkey } = owner
    const visitor = newVisitor(house.url)
    const options = await ask(visitor)
    const used = passkey.use(options)
    const at = await Promise.all([enter(visitor, used), enter(visitor, used)])
    expect(at.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 401])
    for (const again of [used, passkey.use(options)]) {
      const answer = await enter(visitor, again)
      expect(answer).toMatchObject({ status: 401, body: { detail: expect.stringContaining('already used') } })
    }
  })

  test('when its counter did not go up, which the audit log says', async () => {
    const { passkey, person } = await house.withPasskey({ counter: 7 })
    expect((await house.signIn(passkey, { counter: 9 })).status).toBe(200)
    for (const counter of [9, 8, 0]) {
      const answer = await house.signIn(passkey, { counter })
      expect(answer).toMatchObject({ status: 401, body: { detail: expect.stringContaining('copied') } })
    }
    expect((await house.signIn(passkey, { counter: 10 })).status).toBe(200)
    const back = 'user.passkey_counter_went_back'
    expect(await house.audited(person.userId)).toEqual([
      'user.passkey_added',
      'user.passkey_used',
      back,
      back,
      back,
      'user.passkey_used',
    ])
  })

  test('by none that does not count: those of phones say 0 for ever', async () => {
    const { passkey } = await house.withPasskey({ counter: 0 })
    for (const _ of [1, 2]) expect((await house.signIn(passkey, { counter: 0 })).status).toBe(200)
  })
})

test('guessing ends after so many failures in a row, and locks nobody out of the password', async () => {
  const strict = await startConsole({ ONESIXTY_SIGN_IN_FAILURES: '3' })
  try {
    const visitor = newVisitor(strict.url)
    await visitor.change('session/sign-in', { email: strict.ada.email, password })
    const passkey = newSoftPasskey(strict.url)
    await add(visitor, passkey)
    const later = newVisitor(strict.url)
    const attempt = async (quirks: Quirks = {}) =>
      (await enter(later, passkey.use(await ask(later), quirks))).status
    // Who gets it right begins anew.
    for (let round = 0; round < 2; round++) {
      for (let wrong = 0; wrong < 2; wrong++) expect(await attempt({ signsWithOtherKey: true })).toBe(401)
      expect(await attempt()).toBe(200)
    }
    for (const _ of [1, 2, 3]) expect(await attempt({ signsWithOtherKey: true })).toBe(401)
    expect(await attempt()).toBe(429)
    expect((await later.change('session/sign-in', { email: strict.ada.email, password })).status).toBe(200)
  } finally {
    await strict.stop()
  }
})

test('at another address of the same service passkeys are refused with the one at which they work', async () => {
  const { person } = await house.signedIn()
  const elsewhere = newVisitor(house.url.replace('localhost', '127.0.0.1'))
  expect((await elsewhere.change('session/sign-in', { email: person.email, password })).status).toBe(200)
  expect((await elsewhere.read('session/read')).body).toMatchObject({ passkeyOrigin: house.url })
  for (const [name, input] of [
    ['passkeys/begin', { name: 'Phone', password }],
    ['session/ask-passkey', {}],
  ] as const)
    expect(await elsewhere.change(name, input)).toMatchObject({
      status: 403,
      body: { code: 'foreign_origin', detail: `Passkeys work at ${house.url}. Open the console there.` },
    })
})
