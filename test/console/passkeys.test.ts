import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { issueLink } from '../../src/accounts/one-time-links.ts'
import { createIds } from '../../src/ids.ts'
import { testPassword } from '../e2e/signed-in.ts'
import { newSoftPasskey, type Quirks, type SoftPasskey, type UsedPasskey } from './soft-passkey.ts'
import { type ConsolePerson, startConsole, type TestConsole } from './start-console.ts'
import { newVisitor, totp, type Visitor } from './visitor.ts'

let house: TestConsole
beforeAll(async () => {
  house = await startConsole({ ONESIXTY_SIGN_IN_FAILURES: '1000', ONESIXTY_PASSKEYS_PER_USER: '3' })
})
afterAll(() => house.stop())

const password = testPassword
interface Profile {
  passkeys: { id: string; name: string; isSynced: boolean; createdAt: number; lastUsedAt: number | null }[]
  passkeyOrigin: string | null
  sessions: unknown[]
}

let people = 0
/** Somebody new, signed in with the password, which is hashed at each sign-in: what can takes one person for several proofs. */
async function newPerson(): Promise<Visitor & { person: ConsolePerson }> {
  const person = await house.newPerson(`Eve${++people}`)
  const visitor = newVisitor(house.url)
  const [name = '', value = ''] = person.cookie.split('=')
  visitor.cookies.set(name, value)
  return { ...visitor, person }
}
const begin = async (visitor: Visitor) => {
  const { body } = await visitor.change('passkeys/begin', { name: 'Phone', password })
  return (
    body as { options: { challenge: string; user: { id: string }; excludeCredentials: { id: string }[] } }
  ).options
}
const add = async (visitor: Visitor, passkey: SoftPasskey, quirks: Quirks = {}, name = 'Phone') =>
  visitor.change('passkeys/add', { name, made: passkey.make(await begin(visitor), quirks) })
/** Somebody new with a passkey. */
async function withPasskey(quirks: Quirks = {}) {
  const visitor = await newPerson()
  const passkey = newSoftPasskey(house.url)
  const added = await add(visitor, passkey, quirks)
  expect(added.status).toBe(200)
  return { visitor, passkey, person: visitor.person, ...(added.body as { passkeyId: string }) }
}
const ask = async (visitor: Visitor) =>
  ((await visitor.change('session/ask-passkey')).body as { options: { challenge: string; rpId: string } })
    .options
const enter = (visitor: Visitor, used: UsedPasskey) => visitor.change('session/sign-in-with-passkey', used)
const signIn = async (passkey: SoftPasskey, quirks: Quirks = {}, visitor = newVisitor(house.url)) =>
  enter(visitor, passkey.use(await ask(visitor), quirks))
const whoIs = async (visitor: Visitor) =>
  ((await visitor.read('session/read')).body as { user: { email: string } | null }).user?.email ?? null
const profile = async (visitor: Visitor) => (await visitor.read('profile/read')).body as Profile
const audited = async (userId: string): Promise<string[]> => {
  const rows = await house.app.storage.read
    .selectFrom('audit_log')
    .select(['action', 'detail'])
    .orderBy('id')
    .execute()
  return rows
    .filter(({ detail, action }) => detail.includes(userId) && action.startsWith('user.passkey'))
    .map(({ action }) => action)
}

describe('a passkey', () => {
  test('is added with the password, signs in, shows when it was used, and is removed with the password', async () => {
    const visitor = await newPerson()
    const { userId } = visitor.person
    expect(await profile(visitor)).toMatchObject({ passkeys: [], passkeyOrigin: house.url })
    expect((await visitor.change('passkeys/begin', { name: 'Phone', password: 'another one!' })).status).toBe(
      422,
    )
    const passkey = newSoftPasskey(house.url)
    const options = await begin(visitor)
    expect(options).toMatchObject({
      rp: { id: 'localhost' },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    })
    const { body } = await visitor.change('passkeys/add', { name: ' Phone ', made: passkey.make(options) })
    const { passkeyId } = body as { passkeyId: string }
    expect((await profile(visitor)).passkeys).toEqual([
      { id: passkeyId, name: 'Phone', isSynced: false, createdAt: expect.any(Number), lastUsedAt: null },
    ])
    // A browser is told, so that it makes no second one on the same device.
    expect((await begin(visitor)).excludeCredentials).toMatchObject([
      { id: passkey.id, transports: ['internal'] },
    ])

    const later = newVisitor(house.url)
    const entered = await signIn(passkey, {}, later)
    expect(entered).toMatchObject({ status: 200, body: { state: 'signed-in' } })
    expect(entered.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-onesixty-session=.+; Max-Age=604800; .*HttpOnly; Secure; SameSite=Strict$/,
      ),
    ])
    expect(await whoIs(later)).toBe(visitor.person.email)
    expect(await profile(later)).toMatchObject({ passkeys: [{ lastUsedAt: expect.any(Number) }] })
    expect((await profile(later)).sessions).toHaveLength(2)

    const removed = { passkeyId }
    expect((await later.change('passkeys/remove', { ...removed, password: 'another one!' })).status).toBe(422)
    expect((await house.bob.change('passkeys/remove', { ...removed, password })).status).toBe(404)
    expect((await later.change('passkeys/remove', { ...removed, password })).status).toBe(200)
    expect((await profile(later)).passkeys).toEqual([])
    expect(await signIn(passkey)).toMatchObject({
      status: 401,
      body: { detail: expect.stringContaining('not known here') },
    })
    expect(await audited(userId)).toEqual(['user.passkey_added', 'user.passkey_used', 'user.passkey_removed'])
  })

  test('stands for both factors: no code is asked for, which the password still needs', async () => {
    const { visitor, passkey, person } = await withPasskey()
    const { secret } = (await visitor.change('second-factor/begin', { password })).body as { secret: string }
    await visitor.change('second-factor/confirm', { code: totp(secret) })
    const later = newVisitor(house.url)
    expect(await signIn(passkey, {}, later)).toMatchObject({ body: { state: 'signed-in' } })
    expect(await whoIs(later)).toBe(person.email)
    const typed = await newVisitor(house.url).change('session/sign-in', { email: person.email, password })
    expect(typed.body).toEqual({ state: 'code-needed' })
    // Taking the app away takes no passkey.
    await visitor.change('second-factor/remove', { password })
    expect((await signIn(passkey)).status).toBe(200)
  })

  test('outlives a new password, of which the person is told, on the profile and by a link', async () => {
    const { visitor, passkey, person } = await withPasskey()
    await add(visitor, newSoftPasskey(house.url))
    const change = { password, next: 'vier Hasen am Bahnhof' }
    expect(await visitor.change('profile/change-password', change)).toMatchObject({ body: { passkeys: 2 } })
    const deps = { ids: createIds({ now: Date.now }), nowMs: Date.now(), randomBytes }
    const link = { purpose: 'reset', userId: person.userId, lifeMs: 3_600_000, actor: 'test' } as const
    const { token } = await house.app.storage.writer.write((tx) => issueLink(tx, deps, link))
    const chosen = await newVisitor(house.url).change('link/choose-password', { token, password })
    expect(chosen.body).toEqual({ state: 'signed-in', passkeys: 2 })
    expect((await signIn(passkey)).status).toBe(200)
  })

  test('opens what the password opens, whatever became of the account', async () => {
    const { passkey, person } = await withPasskey()
    for (const state of ['suspended', 'closed'] as const) {
      await house.app.storage.writer.write((tx) =>
        tx.updateTable('accounts').set({ state }).where('id', '=', person.accountId).execute(),
      )
      const [byPasskey, byPassword] = [newVisitor(house.url), newVisitor(house.url)]
      await signIn(passkey, {}, byPasskey)
      await byPassword.change('session/sign-in', { email: person.email, password })
      const seen = (await byPasskey.read('session/read')).body
      expect(seen).toMatchObject({ accounts: [{ id: person.accountId, state }] })
      expect(seen).toEqual((await byPassword.read('session/read')).body)
    }
  })

  test('is gone with the sign-in of its person', async () => {
    const { passkey, person } = await withPasskey()
    await house.app.storage.writer.write((tx) =>
      tx.deleteFrom('auth_users').where('id', '=', person.userId).execute(),
    )
    expect((await signIn(passkey)).status).toBe(401)
  })

  test('is one of as many as the setting allows', async () => {
    const { visitor } = await withPasskey()
    const fourth = newSoftPasskey(house.url)
    const made = fourth.make(await begin(visitor))
    expect((await add(visitor, newSoftPasskey(house.url))).status).toBe(200)
    expect((await add(visitor, newSoftPasskey(house.url))).status).toBe(200)
    const tooMany = { status: 422, body: { errors: [{ code: 'too_many_items' }] } }
    // Before the device makes one that nobody keeps, and of those that were begun at once.
    expect(await visitor.change('passkeys/begin', { name: 'Phone', password })).toMatchObject(tooMany)
    expect(await visitor.change('passkeys/add', { name: 'Phone', made })).toMatchObject(tooMany)
  })

  test('is not begun under a name that it could not have', async () => {
    const visitor = await newPerson()
    expect(await visitor.change('passkeys/begin', { name: ' ', password })).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/name' }] },
    })
  })
})

describe('a new passkey is refused', () => {
  const refused: [what: string, quirks: Quirks, words: string][] = [
    ['of another origin', { origin: 'https://evil.example' }, 'origin'],
    ['of another host', { rpId: 'evil.example' }, 'RP ID'],
    ['from within a foreign page', { crossOrigin: true }, 'in a page of somebody else'],
    [
      'to a question of their own',
      { challenge: Buffer.alloc(54, 1).toString('base64url') },
      'another question',
    ],
    ['whose owner was not recognised', { isVerified: false }, 'User verification was required'],
    ['without anybody there', { isPresent: false }, 'User presence was required'],
    ['that says what it was used for', { type: 'webauthn.get' }, 'type'],
    ['with certificates, which would be asked for elsewhere', { hasCertificate: true }, 'certificates'],
  ]
  let visitor: Awaited<ReturnType<typeof newPerson>>
  beforeAll(async () => {
    visitor = await newPerson()
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
        body: { detail: expect.stringContaining('another question') },
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
      body: { detail: expect.stringContaining('taken before') },
    })
    const thief = await newPerson()
    expect(await add(thief, passkey)).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining('here already') },
    })
    expect((await profile(visitor)).passkeys).toHaveLength(1)
  })
})

describe('signing in by a passkey is refused', () => {
  const refused: [what: string, quirks: Quirks, words: string][] = [
    ['from another origin', { origin: 'https://evil.example' }, 'origin'],
    ['for another host', { rpId: 'evil.example' }, 'RP ID'],
    ['from within a foreign page', { crossOrigin: true }, 'in a page of somebody else'],
    [
      'to a question of their own',
      { challenge: Buffer.alloc(54, 1).toString('base64url') },
      'another question',
    ],
    ['when the owner was not recognised', { isVerified: false }, 'User verification required'],
    ['without anybody there', { isPresent: false }, 'User not present'],
    ['with what was made for adding it', { type: 'webauthn.create' }, 'type'],
    ['with the key of another', { signsWithOtherKey: true }, 'signature is wrong'],
    ['as somebody else', { userHandle: Buffer.from('usr_somebody').toString('base64url') }, 'somebody else'],
  ]
  let owner: Awaited<ReturnType<typeof withPasskey>>
  beforeAll(async () => {
    owner = await withPasskey()
  })
  test.each(refused)('%s', async (_, quirks, words) => {
    const { passkey, person } = owner
    const before = await audited(person.userId)
    const visitor = newVisitor(house.url)
    const answer = await signIn(passkey, quirks, visitor)
    expect(answer).toMatchObject({
      status: 401,
      body: { code: 'not_signed_in', detail: expect.stringContaining(words) },
    })
    expect(await whoIs(visitor)).toBeNull()
    expect(await audited(person.userId)).toEqual(before)
    expect((await signIn(passkey)).status).toBe(200)
  })

  test('with one that nobody has', async () => {
    const foreign = newSoftPasskey(house.url)
    foreign.make({ challenge: '', user: { id: Buffer.from('usr_somebody').toString('base64url') } })
    expect((await signIn(foreign)).status).toBe(401)
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
      expect(answer).toMatchObject({ status: 401, body: { detail: expect.stringContaining('taken before') } })
    }
  })

  test('when its counter did not go up, which the audit log says', async () => {
    const { passkey, person } = await withPasskey({ counter: 7 })
    expect((await signIn(passkey, { counter: 9 })).status).toBe(200)
    for (const counter of [9, 8, 0]) {
      const answer = await signIn(passkey, { counter })
      expect(answer).toMatchObject({ status: 401, body: { detail: expect.stringContaining('copy') } })
    }
    expect((await signIn(passkey, { counter: 10 })).status).toBe(200)
    const back = 'user.passkey_counter_went_back'
    expect(await audited(person.userId)).toEqual([
      'user.passkey_added', 'user.passkey_used', back, back, back, 'user.passkey_used',
    ]) // prettier-ignore
  })

  test('by none that does not count: those of phones say 0 for ever', async () => {
    const { passkey } = await withPasskey({ counter: 0 })
    for (const _ of [1, 2]) expect((await signIn(passkey, { counter: 0 })).status).toBe(200)
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
  const { person } = await newPerson()
  const elsewhere = newVisitor(house.url.replace('localhost', '127.0.0.1'))
  expect((await elsewhere.change('session/sign-in', { email: person.email, password })).status).toBe(200)
  expect((await elsewhere.read('session/read')).body).toMatchObject({ passkeyOrigin: house.url })
  for (const [name, input] of [
    ['passkeys/begin', { name: 'Phone', password }],
    ['session/ask-passkey', {}],
  ] as const)
    expect(await elsewhere.change(name, input)).toMatchObject({
      status: 403,
      body: { code: 'foreign_origin', detail: `Passkeys work at ${house.url}: open the console there.` },
    })
})
