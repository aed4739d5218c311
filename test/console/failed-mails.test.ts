import { expect, test } from 'vitest'
import type { CallContext } from '../../src/api/console/core/call.ts'
import { mailEmailAsked, mailEmailChanged } from '../../src/api/console/sign-in/confirm-email.ts'

test.for<[string, (context: CallContext, change: { from: string; to: string }) => void]>([
  ['asked for', mailEmailAsked],
  ['made', mailEmailChanged],
])('a mail about a change that was %s is logged when it fails behind the answer, and ends nothing', async ([, mail]) => {
  const logged = Promise.withResolvers<unknown[]>()
  const mailer = { send: () => Promise.reject(new Error('the mail server is gone')) }
  const context = {
    ports: { identity: { mailer } },
    log: { error: (...line: unknown[]) => logged.resolve(line) },
    publicUrl: () => 'https://sms.example.org',
    requestId: 'req_1',
  } as unknown as CallContext
  mail(context, { from: 'kim@example.org', to: 'kim.b@example.org' })
  expect(await logged.promise).toMatchObject([
    { request: 'req_1', err: { message: 'the mail server is gone' } },
    'failed to notify an e-mail address of its change',
  ])
}) // prettier-ignore
