import { afterEach, beforeEach, expect, test } from 'vitest'
import { writeMutes } from '../../src/alerts/alert-mutes.ts'
import { pausedForPumping } from '../../src/alerts/paused-accounts.ts'
import { utcDay } from '../../src/runtime/clock.ts'
import { appendAudit } from '../../src/storage/seam/audit-log.ts'
import { insertRows } from '../../src/storage/seam/sets.ts'
import { type AlertHouse, openAlertHouse } from './alert-house.ts'

let house: AlertHouse
beforeEach(async () => {
  house = await openAlertHouse()
})
afterEach(() => house.closeAll())

const write: AlertHouse['storage']['writer']['write'] = (unit) => house.storage.writer.write(unit)

test('a device that stays offline is told once to the owners, and once that it is back', async () => {
  await house.addDevice('dev_p', { accountId: 'acc_a' })
  await house.setStanding('dev_p', 'offline', ['no_contact'])
  await house.look()
  house.minutes(9)
  await house.look()
  expect(house.told()).toEqual([])
  house.minutes(1)
  for (let i = 0; i < 3; i++) await house.look()
  expect(house.told()).toEqual(['ada: dev_p is offline'])
  expect(house.post.mails[0]).toMatchObject({ user: 'alerts', from: 'onesixty@sms.example.org' })
  expect(house.post.mails[0]?.raw).toMatch(
    /no_contact[^]*https:\/\/sms.example.org\/a\/acc_a\/live\/devices[^]*profile/,
  )
  house.minutes(5)
  await house.setStanding('dev_p', 'online')
  for (let i = 0; i < 2; i++) await house.look()
  expect(house.told()).toEqual(['ada: dev_p is connected again', 'ada: dev_p is offline'])
})

test('who was told of the begin is told of the end, though others had not been told yet', async () => {
  const owners = Array.from({ length: 11 }, (_, i) => `owner${i}`)
  await write(async (tx) => {
    await insertRows(tx, 'users', owners.map((id) => ({ id, email: `${id}@example.org`, name: id, is_operator: 0, created_at: 1 }))) // prettier-ignore
    await insertRows(tx, 'account_users', owners.map((id) => ({ account_id: 'acc_a', user_id: id, role: 'owner' }))) // prettier-ignore
  })
  await house.addDevice('dev_p', { accountId: 'acc_a' })
  await house.setStanding('dev_p', 'offline')
  house.minutes(11)
  await house.look()
  const told = house.told()
  expect(told).toHaveLength(10)
  await house.setStanding('dev_p', 'online')
  for (let i = 0; i < 3; i++) await house.look()
  const back = told.map((line) => line.replace('is offline', 'is connected again'))
  expect(house.told()).toEqual([...told, ...back].toSorted())
})

test('what comes and goes is told again after the cool-down, if it still lasts then', async () => {
  await house.addDevice('dev_p', { accountId: 'acc_a' })
  const goAndCome = async (): Promise<void> => {
    await house.setStanding('dev_p', 'offline')
    house.minutes(11)
    await house.look()
    await house.setStanding('dev_p', 'online')
    await house.look()
  }
  for (let i = 0; i < 4; i++) await goAndCome()
  expect(house.told()).toHaveLength(2)
  await house.setStanding('dev_p', 'offline')
  house.minutes(61)
  await house.look()
  expect(house.told()).toHaveLength(3)
})

test('a shared device is told to the operators, a disabled one and one for play to nobody', async () => {
  await house.addDevice('dev_s', { accountId: null })
  await house.addDevice('dev_d', { accountId: 'acc_a' })
  await house.addDevice('dev_t', { accountId: 'acc_a', mode: 'test' })
  await write((tx) =>
    tx.updateTable('devices').set({ state: 'disabled' }).where('id', '=', 'dev_d').execute(),
  )
  for (const id of ['dev_s', 'dev_d', 'dev_t']) await house.setStanding(id, 'offline')
  house.minutes(30)
  await house.look()
  expect(house.told()).toEqual(['olga: dev_s is offline'])
  expect(house.post.mails[0]?.raw).toContain('/operator/health')
})

test('what ended because somebody removed, disabled or closed it is not told to be well', async () => {
  await house.addDevice('dev_p', { accountId: 'acc_a' })
  await house.setStanding('dev_p', 'offline')
  const use = { account_id: 'acc_a', mode: 'live' as const, day: utcDay(house.clock.now()), parts: 1 }
  await write((tx) => insertRows(tx, 'usage_days', [use]))
  const endpoint = { account_id: 'acc_a', id: 'whk_f', url: 'https://hooks.example', mode: null, state: 'disabled' as const, disabled_because: 'gone' as const, secret: 's', previous_secret: null, previous_until: null, failing_since: null, created_at: 1, updated_at: 1 } // prettier-ignore
  await write((tx) => insertRows(tx, 'webhook_endpoints', [endpoint]))
  await house.grant(-100)
  house.minutes(20)
  await house.look()
  const begun = house.told()
  expect(begun).toHaveLength(3)
  await write(async (tx) => {
    await tx.updateTable('devices').set({ state: 'disabled' }).execute()
    await tx.updateTable('webhook_endpoints').set({ state: 'removed', disabled_because: null }).execute()
    await tx.updateTable('accounts').set({ state: 'closed' }).execute()
  })
  await house.look()
  expect(house.told()).toEqual(begun)
  const open = await house.storage.read.selectFrom('alerts').select('id').where('ended_at', 'is', null).execute() // prettier-ignore
  expect(open).toEqual([])
})

test('what belongs to an account that was closed is nobody’s trouble', async () => {
  await house.addDevice('dev_p', { accountId: 'acc_a' })
  await house.setStanding('dev_p', 'offline')
  const endpoint = { account_id: 'acc_a', id: 'whk_f', url: 'https://hooks.example', mode: null, state: 'disabled' as const, disabled_because: 'gone' as const, secret: 's', previous_secret: null, previous_until: null, failing_since: null, created_at: 1, updated_at: 1 } // prettier-ignore
  await write((tx) => insertRows(tx, 'webhook_endpoints', [endpoint]))
  await write((tx) => tx.updateTable('accounts').set({ state: 'closed' }).execute())
  house.minutes(60)
  await house.look()
  expect(house.told()).toEqual([])
})

test('a balance that gets low and is used up is told step by step, and in one mail when it does both at once', async () => {
  const use = { account_id: 'acc_a', mode: 'live' as const, day: utcDay(house.clock.now()), parts: 1 }
  await write((tx) => tx.updateTable('wallets').set({ low_threshold: 20 }).execute())
  await house.grant(-85)
  await house.look()
  expect(house.told()).toEqual([])
  await write((tx) => insertRows(tx, 'usage_days', [use]))
  await house.look()
  expect(house.told()).toEqual(['ada: The balance of acc_a is low'])
  await house.grant(-15)
  await house.look()
  expect(house.told()).toContain('ada: The balance of acc_a is used up')
  await house.grant(500)
  await house.look()
  expect(house.told().filter((line) => line.endsWith('again'))).toEqual(['ada: acc_a can send again'])
  house.minutes(61)
  await house.grant(-500)
  await house.look()
  expect(house.told()).toHaveLength(4)
})

test('programs are told of a low and of a used up balance, in the same transaction and once', async () => {
  await write((tx) => insertRows(tx, 'webhook_endpoints', [{ account_id: 'acc_a', id: 'whk_1', url: 'https://a.example', mode: null, state: 'enabled', disabled_because: null, secret: 's', previous_secret: null, previous_until: null, failing_since: null, created_at: 1, updated_at: 1 }])) // prettier-ignore
  await write((tx) => insertRows(tx, 'usage_days', [{ account_id: 'acc_a', mode: 'live', day: utcDay(house.clock.now()), parts: 1 }])) // prettier-ignore
  await house.grant(-100)
  for (let i = 0; i < 2; i++) await house.look()
  const events = await house.storage.read.selectFrom('webhook_events').select(['type', 'facts']).orderBy('type').execute() // prettier-ignore
  expect(events.map(({ type }) => type)).toEqual(['balance.exhausted', 'balance.low'])
  expect(JSON.parse(events[0]?.facts ?? '')).toMatchObject({ available: 0 })
})

test('an endpoint that was given up is told, one that a person has disabled is not; no path of its address is', async () => {
  const endpoint = { account_id: 'acc_a', mode: null, state: 'disabled' as const, secret: 's', previous_secret: null, previous_until: null, failing_since: null, created_at: 1, updated_at: 1 } // prettier-ignore
  await write((tx) =>
    insertRows(tx, 'webhook_endpoints', [
      { ...endpoint, id: 'whk_f', url: 'https://u:p@hooks.example/secret?t=1', disabled_because: 'failing' },
      { ...endpoint, id: 'whk_p', url: 'https://b.example', disabled_because: 'person' },
    ]),
  )
  await house.look({ ONESIXTY_WEBHOOK_DISABLE_DAYS: '2' })
  expect(house.told()).toEqual(['ada: Webhook endpoint hooks.example was disabled'])
  expect(house.post.mails[0]?.raw.replaceAll(/=?\r?\n/g, ' ')).toContain('accepted no event for 2 days')
  expect(house.post.mails[0]?.raw).not.toContain('secret')
  await write((tx) => tx.updateTable('webhook_endpoints').set({ state: 'enabled', disabled_because: null }).where('id', '=', 'whk_f').execute()) // prettier-ignore
  await house.look()
  expect(house.told()).toContain('ada: Webhook endpoint hooks.example is active again')
})

test('an account that the guard paused is told to its owners and the operators, until it is reactivated', async () => {
  const say = (action: string) =>
    write(
      (tx) =>
      appendAudit(tx, { ids: house.ids, nowMs: house.clock.now() }, { accountId: 'acc_a', actor: 'system', action, detail: {} }), // prettier-ignore
    )
  await write((tx) => tx.updateTable('accounts').set({ state: 'suspended' }).execute())
  await say('account.suspended')
  await house.look()
  expect(house.told()).toEqual([])
  await say(pausedForPumping)
  await house.look()
  expect(house.told().map((line) => line.slice(0, 22))).toEqual([
    'ada: acc_a was paused:',
    'olga: acc_a was paused',
  ])
  await write((tx) => tx.updateTable('accounts').set({ state: 'active' }).execute())
  await say('account.reactivated')
  await house.look()
  expect(house.told()).toHaveLength(4)
})

test('who has muted a kind gets no mail of it, and the first operator without an address gets none', async () => {
  await write((tx) => writeMutes(tx, { userId: 'ada', kinds: ['device_offline'] }))
  await write((tx) =>
    tx.updateTable('users').set({ email: 'operator@localhost' }).where('id', '=', 'olga').execute(),
  )
  await house.addDevice('dev_p', { accountId: 'acc_a' })
  await house.addDevice('dev_s', { accountId: null })
  for (const id of ['dev_p', 'dev_s']) await house.setStanding(id, 'offline')
  house.minutes(20)
  await house.look()
  expect(house.told()).toEqual([])
  expect(await house.storage.read.selectFrom('alerts').select('id').execute()).toHaveLength(2)
})

test('an end, and what waits, is told to nobody who has left, is an operator no more, or wants no more of it', async () => {
  await house.addDevice('dev_p', { accountId: 'acc_a' })
  await house.addDevice('dev_s', { accountId: null })
  await write((tx) =>
    insertRows(tx, 'account_users', [{ account_id: 'acc_a', user_id: 'olga', role: 'owner' }]),
  )
  for (const id of ['dev_p', 'dev_s']) await house.setStanding(id, 'offline')
  house.minutes(11)
  await house.look()
  const begun = ['ada: dev_p is offline', 'olga: dev_p is offline', 'olga: dev_s is offline']
  expect(house.told()).toEqual(begun)
  await write(async (tx) => {
    await tx.deleteFrom('account_users').where('user_id', '=', 'ada').execute()
    await tx.updateTable('users').set({ is_operator: 0 }).where('id', '=', 'olga').execute()
  })
  await write((tx) => writeMutes(tx, { userId: 'olga', kinds: ['balance_low'] }))
  for (const id of ['dev_p', 'dev_s']) await house.setStanding(id, 'online')
  await house.look()
  expect(house.told()).toEqual([...begun, 'olga: dev_p is connected again'].toSorted())
  expect(await house.storage.read.selectFrom('alert_mails').selectAll().where('done_at', 'is', null).execute()).toEqual([]) // prettier-ignore
})

test('a mail that the server refuses comes later, and is given up after a day', async () => {
  await house.addDevice('dev_p', { accountId: 'acc_a' })
  await house.setStanding('dev_p', 'offline')
  house.minutes(20)
  house.post.refusal = new Error('busy')
  await house.look()
  house.minutes(1)
  await house.look()
  house.post.refusal = null
  await house.look()
  expect(house.told()).toEqual([])
  house.minutes(5)
  await house.look()
  expect(house.told()).toEqual(['ada: dev_p is offline'])

  await house.addDevice('dev_q', { accountId: 'acc_a' })
  await house.setStanding('dev_q', 'offline')
  house.minutes(20)
  house.post.refusal = new Error('busy')
  const tries: number[] = []
  for (let i = 0; i < 9; i++) {
    await house.look()
    const mail = await house.storage.read.selectFrom('alert_mails').select(['tries', 'done_at']).orderBy('alert_id', 'desc').executeTakeFirst() // prettier-ignore
    tries.push(mail?.tries ?? Number.NaN)
    expect(mail?.done_at !== null).toBe(i >= 6)
    house.minutes(16 * 60)
  }
  // Given up, none of them counts: nobody was told.
  expect(tries).toEqual([1, 2, 3, 4, 5, 6, 0, 0, 0])
})

test('what was over before its first mail left is told to nobody', async () => {
  await house.addDevice('dev_p', { accountId: 'acc_a' })
  await house.setStanding('dev_p', 'offline')
  house.minutes(20)
  const { createAlertWatch } = await import('../../src/dispatch/sweepers/alert-watch.ts')
  const { readConfig } = await import('../../src/config.ts')
  const { createLog } = await import('../../src/process/log.ts')
  const log = createLog('silent', { write: () => undefined })
  const config = readConfig({ ONESIXTY_SMTP_URL: house.post.url })
  const { read, writer } = house.storage
  await createAlertWatch({ ...house, log, config, read, writer }).sweepAll()
  await house.setStanding('dev_p', 'online')
  await house.look()
  expect(house.told()).toEqual([])
})

test('without a mail server nothing is planned, and one that is set later brings nothing old', async () => {
  await house.addDevice('dev_p', { accountId: 'acc_a' })
  await house.setStanding('dev_p', 'offline')
  house.minutes(20)
  await house.look({ ONESIXTY_SMTP_URL: '' })
  await house.look()
  expect(house.told()).toEqual([])
})

test('many nodes that look at the same instant tell of it once', async () => {
  await house.addDevice('dev_p', { accountId: 'acc_a' })
  await house.setStanding('dev_p', 'offline')
  house.minutes(20)
  await Promise.all(Array.from({ length: 8 }, () => house.look()))
  await house.look()
  expect(house.told()).toEqual(['ada: dev_p is offline'])
})

test('a name cannot add a header or a line to a mail', async () => {
  await house.addDevice('dev_p', { accountId: 'acc_a' })
  await write((tx) => tx.updateTable('devices').set({ name: 'Évil\r\nBcc: eve@example.org\r\n\r\nx' }).execute()) // prettier-ignore
  await house.setStanding('dev_p', 'offline')
  house.minutes(20)
  await house.look()
  const [mail] = house.post.mails
  expect(mail?.to).toBe('ada@example.org')
  expect(mail?.raw.split('\r\n\r\n')[0]).not.toMatch(/^Bcc/im)
})
