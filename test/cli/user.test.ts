import { readConfig } from '../../src/config.ts'
import { databaseSettings } from '../test-database.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pendingEmail } from '../../src/accounts/people/email-links.ts'
import { readLink } from '../../src/accounts/people/one-time-links.ts'
import { setPassword } from '../../src/accounts/people/passwords.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { type CommandStorage, openForCommand } from '../../src/storage/open/command-storage.ts'
import { type Cli, openCli } from './run-cli.ts'

let cli: Cli
let userId: string
beforeAll(async () => {
  cli = await openCli({ ONESIXTY_PUBLIC_URL: 'https://sms.example.org', ONESIXTY_RESET_LINK_HOURS: '2' })
  ;({ user_id: userId } = await cli.json<{ user_id: string }>(
    'account create --name Ada --email ada@example.org',
  ))
})
afterAll(() => cli.close())

interface ResetLink {
  purpose: string
  link: string
  expires_at: string
}
const resetLink = (more = '') => cli.json<ResetLink>(`user reset-link --email Ada@example.org ${more}`)

async function withStorage<T>(use: (storage: CommandStorage) => Promise<T>): Promise<T> {
  const storage = await openForCommand(readConfig(databaseSettings(cli.dataFolder)), systemClock.now())
  try {
    return await use(storage)
  } finally {
    await storage.close()
  }
}

const giveSecondFactor = () =>
  withStorage(({ writer }) =>
    writer.write(async (tx) => {
      const nowMs = systemClock.now()
      await tx.deleteFrom('auth_two_factors').execute()
      await setPassword(tx, { nowMs }, { userId, passwordHash: 'not-a-hash' })
      await tx.updateTable('auth_users').set({ twoFactorEnabled: 1 }).where('id', '=', userId).execute()
      await tx
        .insertInto('auth_two_factors')
        .values({ id: 't', secret: 's', backupCodes: 'c', userId })
        .execute()
      await tx.deleteFrom('passkeys').execute()
      await tx
        .insertInto('passkeys')
        .values({
          id: 'psk_a',
          user_id: userId,
          credential_id: 'c',
          public_key: 'k',
          counter: 0,
          transports: '',
          is_synced: 0,
          name: 'Phone',
          created_at: nowMs,
          last_used_at: null,
        })
        .execute()
    }),
  )
const secondFactors = () =>
  withStorage(async ({ read }) => ({
    asked: (await read.selectFrom('auth_users').select('twoFactorEnabled').executeTakeFirstOrThrow())
      .twoFactorEnabled,
    stored: (await read.selectFrom('auth_two_factors').select('id').execute()).length,
    passkeys: (await read.selectFrom('passkeys').select('id').execute()).length,
  }))

test('a user without a password gets a set-up link, and one with a password a reset link', async () => {
  const first = await resetLink()
  expect(first).toMatchObject({
    user_id: userId,
    purpose: 'set-up',
    link: expect.stringMatching(/^https:\/\/sms\.example\.org\/link#[\w-]{43}$/),
  })
  await giveSecondFactor()
  const before = systemClock.now()
  const second = await resetLink()
  expect(second.purpose).toBe('reset')
  const lifeHours = (Date.parse(second.expires_at) - before) / 3_600_000
  expect(lifeHours).toBeGreaterThanOrEqual(2)
  expect(lifeHours).toBeLessThan(2.1)
  const token = second.link.split('#')[1] ?? ''
  await expect(withStorage(({ read }) => readLink(read, systemClock.now(), token))).resolves.toMatchObject({
    userId,
    purpose: 'reset',
  })
})

test('the second factor stays unless the operator says otherwise', async () => {
  await giveSecondFactor()
  await resetLink()
  expect(await secondFactors()).toEqual({ asked: 1, stored: 1, passkeys: 1 })
  await resetLink('--remove-second-factor')
  expect(await secondFactors()).toEqual({ asked: 0, stored: 0, passkeys: 0 })
})

test('a user that there is not is refused, and a second account brings a known owner no link', async () => {
  expect(await cli.run('user reset-link --email eve@example.org')).toMatchObject({
    code: 1,
    stderr: 'onesixty: User eve@example.org not found.\n',
  })
  await giveSecondFactor()
  expect(
    await cli.json(`account create --name Second --email ada@example.org --user ${userId}`),
  ).toMatchObject({
    user_id: userId,
    setup_link: null,
  })
})

test('a link for another address names it, changes nothing by itself, and is refused for an address of another user', async () => {
  const made = await cli.json<{ email: string; link: string }>(
    'user email-link --email ada@example.org --to Ada.B@example.org',
  )
  expect(made).toMatchObject({
    user_id: userId,
    email: 'ada.b@example.org',
    link: expect.stringMatching(/^https:\/\/sms\.example\.org\/confirm#[\w-]{43}$/),
  })
  await expect(withStorage(({ read }) => pendingEmail(read, userId, systemClock.now()))).resolves.toBe(
    'ada.b@example.org',
  )
  await cli.json('account create --name Bob --email bob@example.org')
  for (const [to, why] of [
    ['bob@example.org', 'Another user has'],
    ['bob', 'e-mail'],
  ])
    expect(await cli.run(`user email-link --email ada@example.org --to ${to}`)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(why ?? ''),
    })
  const present = await cli.json<{ email: string }>('user email-link --email ada@example.org')
  expect(present.email).toBe('ada@example.org')
})
