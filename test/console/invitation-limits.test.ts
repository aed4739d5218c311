import { expect, onTestFinished, test } from 'vitest'
import { startConsole } from './start-console.ts'

async function inviteFrom(env: Record<string, string>) {
  const house = await startConsole(env)
  onTestFinished(() => house.stop())
  return {
    ...house,
    invite: async (email: string, person = house.ada) =>
      (await person.change('members/invite', { email, role: 'member' })).status,
  }
}

test('an account invites so many an hour, and what is refused counts for nothing', async () => {
  const { invite, bob } = await inviteFrom({ ONESIXTY_INVITATIONS_PER_HOUR: '2' })
  expect(await invite('no address')).toBe(422)
  expect(await invite('one@example.org')).toBe(200)
  expect(await invite('two@example.org')).toBe(200)
  expect(await invite('three@example.org')).toBe(429)
  expect(await invite('three@example.org', bob)).toBe(200)
})

test('an account that is suspended or closed mails nobody, and a closed one lets nobody in', async () => {
  const { invite, ada, bob, app } = await inviteFrom({})
  const { body } = await ada.change('members/invite', { email: 'one@example.org', role: 'owner' })
  const token = (body as { link: string }).link.split('#')[1]
  const become = (state: 'suspended' | 'closed') =>
    app.storage.writer.write((tx) =>
      tx.updateTable('accounts').set({ state }).where('id', '=', ada.accountId).execute(),
    )
  for (const state of ['suspended', 'closed'] as const) {
    await become(state)
    expect(await invite('two@example.org'), state).toBe(403)
  }
  expect((await bob.change('link/accept', { token })).status).toBe(410)
  await become('suspended')
  expect((await bob.change('link/accept', { token })).status).toBe(200)
})

test('so many invitations to an account are open at once; one more to the same address takes the place of the first', async () => {
  const { invite, ada } = await inviteFrom({ ONESIXTY_OPEN_INVITATIONS: '2' })
  expect(await invite('one@example.org')).toBe(200)
  expect(await invite('two@example.org')).toBe(200)
  expect(await invite('two@example.org')).toBe(200)
  expect(await invite('three@example.org')).toBe(429)
  const { body } = await ada.read('members/list')
  const [open] = (body as { invitations: { id: string }[] }).invitations
  await ada.change('members/revoke-invitation', { linkId: open?.id })
  expect(await invite('three@example.org')).toBe(200)
})
