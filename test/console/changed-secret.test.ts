import { writeFile } from 'node:fs/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type App, createApp } from '../../src/app/app.ts'
import { readConfig } from '../../src/config.ts'
import { previousSecretFile } from '../../src/process/instance-secret.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { openNear } from '../open-near.ts'
import { createLog } from '../../src/process/log.ts'
import { databaseSettings, makeTestFolder, removeTestFolder } from '../test-database.ts'
import { password } from './identity-house.ts'
import { newVisitor, totp } from './visitor.ts'

const [first, second, third] = ['the first secret of', 'the second secret of', 'the third secret of'].map(
  (begin) => `${begin} an instance that changes it`,
) as [string, string, string]

let dataFolder: string
let app: App
let url: string
beforeEach(async () => {
  dataFolder = await makeTestFolder()
  await serveWith(first)
})
afterEach(async () => {
  await app.stop()
  await removeTestFolder(dataFolder)
})

async function serveWith(secret: string): Promise<void> {
  const settings = { ...databaseSettings(dataFolder), ONESIXTY_PORT: '0', ONESIXTY_SECRET: secret }
  const log = createLog('silent', { write: () => undefined })
  app = await createApp(readConfig(settings), log, systemClock, { open: openNear })
  ;({ url } = await app.start())
}

/** A restart with another secret, and the former ones beside it. */
async function change(secret: string, former: readonly string[]): Promise<void> {
  await app.stop()
  await writeFile(previousSecretFile(dataFolder), former.join('\n'), { mode: 0o600 })
  await serveWith(secret)
}

/** Somebody who has signed up and has a second factor. */
async function withSecondFactor(email: string): Promise<{ secret: string; recoveryCodes: string[] }> {
  const visitor = newVisitor(url)
  await visitor.change('sign-up/open', { name: 'Eve', email, password })
  const { body } = await visitor.change('second-factor/begin', { password })
  const begun = body as { secret: string; recoveryCodes: string[] }
  await visitor.change('second-factor/confirm', { code: totp(begun.secret) })
  return begun
}

/** What becomes of a sign-in with this code. */
async function signIn(email: string, code: string): Promise<unknown> {
  const visitor = newVisitor(url)
  // As if the code of this moment had not been used before.
  await app.storage.writer.write((tx) => tx.updateTable('auth_two_factors').set({ lastStep: null }).execute())
  expect((await visitor.change('session/sign-in', { email, password })).body).toEqual({
    state: 'code-needed',
  })
  return (await visitor.change('session/give-code', { code })).body
}

/** As versions stored it that knew one secret alone. */
async function forgetVersions(): Promise<void> {
  const { read, writer } = app.storage
  for (const { id, ...sealed } of await read
    .selectFrom('auth_two_factors')
    .select(['id', 'secret', 'backupCodes'])
    .execute()) {
    const [secret = '', backupCodes = ''] = [sealed.secret, sealed.backupCodes].map((each) =>
      each.replace(/^\$ba\$\d+\$/, ''),
    )
    await writer.write((tx) =>
      tx.updateTable('auth_two_factors').set({ secret, backupCodes }).where('id', '=', id).execute(),
    )
  }
}

const signedIn = { state: 'signed-in' }

test('who has a second factor signs in by it after the secret was changed, and changed again, and so does who got one in between', async () => {
  const nia = await withSecondFactor('nia@example.org')
  await change(second, [first])
  const oda = await withSecondFactor('oda@example.org')
  expect(await signIn('nia@example.org', totp(nia.secret))).toEqual(signedIn)
  await change(third, [second, first])
  expect(await signIn('nia@example.org', totp(nia.secret))).toEqual(signedIn)
  expect(await signIn('nia@example.org', nia.recoveryCodes[0] ?? '')).toEqual(signedIn)
  expect(await signIn('oda@example.org', totp(oda.secret))).toEqual(signedIn)
})

test('so does who got a second factor before its secret was named in it, under the present secret and under a former one', async () => {
  const pia = await withSecondFactor('pia@example.org')
  await forgetVersions()
  expect(await signIn('pia@example.org', totp(pia.secret))).toEqual(signedIn)
  await change(second, [first])
  const rut = await withSecondFactor('rut@example.org')
  await forgetVersions()
  await change(second, [first])
  expect(await signIn('pia@example.org', totp(pia.secret))).toEqual(signedIn)
  expect(await signIn('pia@example.org', pia.recoveryCodes[0] ?? '')).toEqual(signedIn)
  expect(await signIn('rut@example.org', totp(rut.secret))).toEqual(signedIn)
  await change(third, [second, first])
  expect(await signIn('pia@example.org', totp(pia.secret))).toEqual(signedIn)
  expect(await signIn('rut@example.org', rut.recoveryCodes[0] ?? '')).toEqual(signedIn)
})
