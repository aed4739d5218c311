import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { testPassword } from '../e2e/signed-in.ts'
import { type SmtpStub, startSmtpStub } from './smtp-stub.ts'
import { startConsole, type TestConsole } from './start-console.ts'
import { newVisitor } from './visitor.ts'

let smtp: SmtpStub
let house: TestConsole
beforeAll(async () => {
  smtp = await startSmtpStub()
  house = await startConsole({ ONESIXTY_SMTP_URL: smtp.url, ONESIXTY_MAIL_FROM: 'SMS <sms@example.org>' })
})
afterAll(async () => {
  await house.stop()
  await smtp.stop()
})
afterEach(() => {
  smtp.refuses = false
  smtp.hangsUp = null
  smtp.mails.splice(0)
})

/** The one mail that came, with its lines joined again (quoted-printable, RFC 2045 section 6.7). */
const oneMail = () =>
  eventually(
    () =>
      smtp.mails.map(({ to, text }) => ({ to, text: text.replaceAll('=\r\n', '').replaceAll('=3D', '=') })),
    (mails) => expect(mails).toHaveLength(1),
  )

test('who lost the password is mailed a link that works, and only who is known is mailed', async () => {
  const visitor = newVisitor(house.url)
  expect((await visitor.read('session/read')).body).toMatchObject({ mailsResets: true })
  await visitor.change('reset/ask', { email: 'nobody@example.org' })
  expect((await visitor.change('reset/ask', { email: ' ADA@example.org' })).body).toEqual({ mails: true })
  const [mail] = await oneMail()
  expect(mail).toMatchObject({
    to: 'ada@example.org',
    text: expect.stringContaining('From: SMS <sms@example.org>'),
  })
  const token = /link#([\w-]{43})/.exec(mail?.text ?? '')?.[1]
  const next = 'gelber Igel im Schnee'
  expect((await visitor.change('link/choose-password', { token, password: next })).body).toEqual({
    state: 'signed-in',
    passkeys: 0,
    removed: { secondFactor: false, passkeys: 0 },
  })
  const old = await newVisitor(house.url).change('session/sign-in', {
    email: 'ada@example.org',
    password: testPassword,
  })
  expect(old.status).toBe(401)
})

test('one address is mailed no more than three links an hour', async () => {
  const ask = async () =>
    (await newVisitor(house.url).change('reset/ask', { email: 'many@example.org' })).status
  expect([await ask(), await ask(), await ask(), await ask()]).toEqual([200, 200, 200, 429])
})

test('resets that strangers ask for keep no browser from one that has signed in as that user', async () => {
  const { email } = house.bob
  const known = newVisitor(house.url)
  await known.change('session/sign-in', { email, password: testPassword })
  known.cookies.delete('__Host-onesixty-session')
  const ask = async (visitor: ReturnType<typeof newVisitor>, of = email) =>
    (await visitor.change('reset/ask', { email: of })).status
  const strangers: number[] = []
  for (let i = 0; i < 4; i++) strangers.push(await ask(newVisitor(house.url)))
  expect(strangers.at(-1)).toBe(429)
  expect([await ask(known), await ask(known), await ask(known), await ask(known)]).toEqual([
    200, 200, 200, 429,
  ])
  // Known to Bob alone.
  expect(await ask(known, 'many@example.org')).toBe(429)
  await eventually(
    () => smtp.mails.length,
    (count) => expect(count).toBe(6),
  )
})

test('a link that was mailed works although another one was asked for, and ends what was mailed beside it', async () => {
  const eve = await house.newPerson('Uta')
  const tokens: string[] = []
  for (let i = 0; i < 2; i++) {
    await newVisitor(house.url).change('reset/ask', { email: eve.email })
    const [mail] = await oneMail()
    tokens.push(/link#([\w-]{43})/.exec(mail?.text ?? '')?.[1] ?? '')
    smtp.mails.splice(0)
  }
  const choose = async (token = '') =>
    (await newVisitor(house.url).change('link/choose-password', { token, password: 'gelber Igel im Schnee' }))
      .status
  expect(await choose(tokens[0])).toBe(200)
  expect(await choose(tokens[1])).toBe(410)
})

test('an invitation is mailed, and its link is shown all the same when the mail server refuses it', async () => {
  const invite = async (email: string) =>
    (await house.bob.change('members/invite', { email, role: 'member' })).body as {
      link: string
      mail: string | null
    }
  const sent = await invite('gus@example.org')
  const [mail] = await oneMail()
  expect(sent.mail).toBe('taken')
  expect(mail?.to).toBe('gus@example.org')
  expect(mail?.text).toContain(sent.link)
  expect(mail?.text).toContain('Bob')
  smtp.refuses = true
  expect(await invite('hal@example.org')).toMatchObject({
    mail: 'refused',
    link: expect.stringContaining('/link#'),
  })
})

test('of an invitation whose mail the mail server did not answer it is said that nobody knows', async () => {
  smtp.hangsUp = 'after the dot'
  const { body } = await house.bob.change('members/invite', { email: 'jon@example.org', role: 'member' })
  expect(body).toMatchObject({ mail: 'unknown', link: expect.stringContaining('/link#') })
  await oneMail()
})

test('a name cannot write headers into a mail', async () => {
  const eve = await house.newPerson('Eve')
  const { storage } = house.app
  // As nobody can enter it; what stands in the database is trusted no more.
  await storage.writer.write(async (tx) => {
    await tx
      .updateTable('accounts')
      .set({ name: 'X\r\nBcc: all@example.org' })
      .where('id', '=', eve.accountId)
      .execute()
  })
  await eve.change('members/invite', { email: 'ida@example.org', role: 'member' })
  const [mail] = await oneMail()
  const head = mail?.text.split('\r\n\r\n')[0] ?? ''
  expect(head).not.toMatch(/^Bcc:/m)
})
