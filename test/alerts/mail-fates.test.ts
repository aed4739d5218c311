import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLog } from '../../src/process/log.ts'
import { createMailer, type Mailer } from '../../src/process/mailer.ts'
import { type SmtpStub, startSmtpStub } from '../console/smtp-stub.ts'

let smtp: SmtpStub
let mailer: Mailer
let said: string
beforeEach(async () => {
  smtp = await startSmtpStub()
  said = ''
  const log = createLog('error', { write: (line: string) => void (said += line) })
  const config = { smtpUrl: smtp.url, mailFrom: null }
  mailer = createMailer({ config, log, publicUrl: () => 'https://sms.example.org' }) as Mailer
})
afterEach(() => smtp.stop())

const send = () => mailer.send({ to: 'ada@example.org', subject: 'One', text: 'A line.\n.\nAnother.\n' })

test('a mail that the server answered with its yes is taken', async () => {
  expect(await send()).toBe('taken')
  expect(said).toBe('')
})

test('one whose recipient it refused is refused', async () => {
  smtp.refuses = true
  expect(await send()).toBe('refused')
})

test('so is one where it hung up before it was given the mail, or where nobody listens', async () => {
  smtp.hangsUp = 'at DATA'
  expect(await send()).toBe('refused')
  await smtp.stop()
  expect(await send()).toBe('refused')
  expect(smtp.mails).toEqual([])
  expect(said).toContain('a mail could not be sent')
})

test('of one where it hung up after the final dot nobody knows', async () => {
  smtp.hangsUp = 'after the dot'
  expect(await send()).toBe('unknown')
  expect(smtp.mails).toHaveLength(1)
  expect(said).toContain('the mail server did not confirm a mail')
})
