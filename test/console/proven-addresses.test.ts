import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { password, whoIs } from './identity-house.ts'
import { type SmtpStub, startSmtpStub } from './smtp-stub.ts'
import { startConsole, type TestConsole } from './start-console.ts'
import { newVisitor, totp, type Visitor } from './visitor.ts'

let smtp: SmtpStub
let house: TestConsole
beforeAll(async () => {
  smtp = await startSmtpStub()
  house = await startConsole({ ONESIXTY_SMTP_URL: smtp.url, ONESIXTY_SIGNUPS_PER_HOUR: '0' })
})
afterAll(async () => {
  await house.stop()
  await smtp.stop()
})
afterEach(() => void smtp.mails.splice(0))

/** Takes the mails that came to an address, each as the token of its link or, without one, as its subject. */
const mailsTo = async (address: string, count: number): Promise<string[]> => {
  const mails = await eventually(
    () => smtp.mails.filter(({ to }) => to === address),
    (found) => expect(found).toHaveLength(count),
  )
  for (const mail of mails) smtp.mails.splice(smtp.mails.indexOf(mail), 1)
  return mails.map(({ text }) => {
    const whole = text.replaceAll('=\r\n', '').replaceAll('=3D', '=')
    return /(?:link|confirm)#([\w-]{43})/.exec(whole)?.[1] ?? /^Subject: (.+)\r$/m.exec(whole)?.[1] ?? ''
  })
}

/** Somebody who has signed up, with the token of the link that was mailed then. */
const signedUp = async (email: string): Promise<{ visitor: Visitor; first: string }> => {
  const visitor = newVisitor(house.url)
  expect((await visitor.change('sign-up/open', { name: 'Eve', email, password })).status).toBe(200)
  const [first = ''] = await mailsTo(email, 1)
  return { visitor, first }
}

const signIn = async (email: string, secret = password) =>
  (await newVisitor(house.url).change('session/sign-in', { email, password: secret })).status

const addSecondFactor = async (visitor: Visitor): Promise<string> => {
  const { secret } = (await visitor.change('second-factor/begin', { password })).body as { secret: string }
  expect((await visitor.change('second-factor/confirm', { code: totp(secret) })).status).toBe(200)
  return secret
}

const profile = async (visitor: Visitor) => (await visitor.read('profile/read')).body

test('another address is in force once its link was opened; until then the old one is, which is told of both', async () => {
  const { visitor } = await signedUp('kim@example.org')
  const change = { name: 'Kim B', email: 'kim.b@example.org' }
  expect((await visitor.change('profile/change', change)).status).toBe(422)
  expect((await visitor.change('profile/change', { ...change, password: `${password}!` })).status).toBe(422)
  expect((await visitor.change('profile/change', { ...change, password })).body).toEqual({
    confirms: { email: 'kim.b@example.org', mail: 'taken' },
  })
  const [token = ''] = await mailsTo('kim.b@example.org', 1)
  expect(await mailsTo('kim@example.org', 1)).toEqual(['Your e-mail address for onesixty is about to change'])
  expect(await profile(visitor)).toMatchObject({ name: 'Kim B', email: 'kim@example.org', pendingEmail: 'kim.b@example.org' }) // prettier-ignore
  expect([await signIn('kim@example.org'), await signIn('kim.b@example.org')]).toEqual([200, 401])
  // A link that replaces the password, asked for by whoever reads the old mailbox.
  await visitor.change('reset/ask', { email: 'kim@example.org' })
  const [reset = ''] = await mailsTo('kim@example.org', 1)

  expect((await visitor.change('email/confirm', { token })).body).toMatchObject({
    email: 'kim.b@example.org',
  })
  expect(await mailsTo('kim@example.org', 1)).toEqual(['Your e-mail address for onesixty was changed'])
  expect(await profile(visitor)).toMatchObject({ email: 'kim.b@example.org', isEmailProven: true, pendingEmail: null }) // prettier-ignore
  expect([await signIn('kim@example.org'), await signIn('kim.b@example.org')]).toEqual([401, 200])
  expect((await visitor.change('email/confirm', { token })).status).toBe(410)
  const taken = await newVisitor(house.url).change('link/choose-password', { token: reset, password: 'vier Hasen am Bahnhof' }) // prettier-ignore
  expect(taken.status).toBe(410)
})

test('a link confirms nothing for another user, nor for a stranger, and keeps its power', async () => {
  const { visitor, first } = await signedUp('lea@example.org')
  const { visitor: other } = await signedUp('mia@example.org')
  for (const call of ['email/look', 'email/confirm'])
    expect((await other.change(call, { token: first })).status).toBe(410)
  expect((await visitor.change('email/look', { token: first })).body).toEqual({ email: 'lea@example.org' })
  expect((await newVisitor(house.url).change('email/confirm', { token: first })).status).toBe(401)
  expect((await visitor.change('email/confirm', { token: first })).status).toBe(200)
})

test('nobody takes an address that has got a user meanwhile, and nothing of the change remains', async () => {
  const { visitor } = await signedUp('nia@example.org')
  await visitor.change('profile/change', { name: 'Nia', email: 'taken@example.org', password })
  const [token = ''] = await mailsTo('taken@example.org', 1)
  await signedUp('taken@example.org')
  expect((await visitor.change('email/confirm', { token })).status).toBe(422)
  expect(await whoIs(visitor)).toMatchObject({ user: { email: 'nia@example.org' } })
})

test('a new password cancels a change that was asked for', async () => {
  const { visitor } = await signedUp('oda@example.org')
  await visitor.change('profile/change', { name: 'Oda', email: 'oda.b@example.org', password })
  const [token = ''] = await mailsTo('oda.b@example.org', 1)
  const next = 'vier Hasen am Bahnhof'
  expect((await visitor.change('profile/change-password', { password, next })).status).toBe(200)
  expect((await visitor.change('email/confirm', { token })).status).toBe(410)
})

test('the owner of an address is rid of whoever signed up with it: second factor and sessions end with the first reset, later ones stay', async () => {
  const { visitor: attacker } = await signedUp('pia@example.org')
  await addSecondFactor(attacker)
  const owner = newVisitor(house.url)
  await owner.change('reset/ask', { email: 'pia@example.org' })
  const [token = ''] = await mailsTo('pia@example.org', 1)
  const next = 'vier Hasen am Bahnhof'
  expect((await owner.change('link/choose-password', { token, password: next })).body).toEqual({
    state: 'signed-in',
    passkeys: 0,
    removed: { secondFactor: true, passkeys: 0 },
  })
  expect(await whoIs(attacker)).toMatchObject({ user: null })
  expect(await profile(owner)).toMatchObject({ isEmailProven: true, hasSecondFactor: false })
  expect(await signIn('pia@example.org')).toBe(401)
})

test('the first link that is opened while signed in drops what was set up before and other sessions, the next one nothing', async () => {
  const { visitor, first } = await signedUp('rut@example.org')
  const other = newVisitor(house.url)
  await other.change('session/sign-in', { email: 'rut@example.org', password })
  await addSecondFactor(visitor)
  expect((await visitor.change('email/confirm', { token: first })).body).toEqual({
    email: 'rut@example.org',
    isFirstProof: true,
  })
  expect(await whoIs(other)).toMatchObject({ user: null })
  expect(await profile(visitor)).toMatchObject({ isEmailProven: true, hasSecondFactor: false })
  await addSecondFactor(visitor)
  expect((await visitor.change('email/send-link')).body).toEqual({ mail: 'taken' })
  const [second = ''] = await mailsTo('rut@example.org', 1)
  expect((await visitor.change('email/confirm', { token: second })).body).toMatchObject({
    isFirstProof: false,
  })
  expect(await profile(visitor)).toMatchObject({ hasSecondFactor: true })
})

test('who asks to change to an address keeps its owner from no reset, and mails it three links an hour at most', async () => {
  const owner = 'ulf@example.org'
  const { visitor } = await signedUp('tom@example.org')
  const ask = async () =>
    (await visitor.change('profile/change', { name: 'Tom', email: owner, password })).status
  expect([await ask(), await ask(), await ask(), await ask()]).toEqual([200, 200, 200, 429])
  expect((await newVisitor(house.url).change('reset/ask', { email: owner })).status).toBe(200)
})

test('one person has at most five such links mailed in an hour', async () => {
  const { visitor } = await signedUp('sam@example.org')
  const statuses: number[] = []
  for (let i = 0; i < 6; i++) statuses.push((await visitor.change('email/send-link')).status)
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429])
})
