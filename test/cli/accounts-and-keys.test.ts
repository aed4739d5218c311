import { afterAll, beforeAll, expect, test } from 'vitest'
import { Authenticator } from '../../src/accounts/keys/authenticator.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { openDatabase } from '../open-database.ts'
import { type Cli, openCli } from './run-cli.ts'

let cli: Cli
let account: { account_id: string; user_id: string; live_key: string; test_key: string }
beforeAll(async () => {
  cli = await openCli()
  account = await cli.json('account create --name Ada --email ada@example.org')
})
afterAll(() => cli.close())

async function authenticate(token: string) {
  const opened = openDatabase(cli.dataFolder)
  const refused: string[] = []
  const authenticator = new Authenticator({
    read: opened.db,
    clock: systemClock,
    refused: ({ because }) => refused.push(because),
  })
  const caller = await authenticator.authenticate(token, '127.0.0.1')
  await opened.close()
  return caller ?? refused[0]
}

test('the keys of a new account work, one for each mode', async () => {
  expect(account).toEqual({
    account_id: expect.stringMatching(/^acc_/),
    user_id: expect.stringMatching(/^usr_/),
    live_key: expect.stringMatching(/^onesixty_live_/),
    test_key: expect.stringMatching(/^onesixty_test_/),
    setup_link: expect.stringMatching(/^http:\/\/localhost:8160\/link#[\w-]{43}$/),
    setup_link_expires_at: expect.stringMatching(/Z$/),
  })
  expect(await authenticate(account.live_key)).toMatchObject({
    accountId: account.account_id,
    mode: 'live',
    accountState: 'active',
  })
  expect(await authenticate(account.test_key)).toMatchObject({ accountId: account.account_id, mode: 'test' })
})

test('what is wrong with a new account is said in a sentence, with the exit code 1', async () => {
  expect(await cli.run(['account', 'create', '--name', ' ', '--email', 'ada'])).toEqual({
    code: 1,
    stdout: '',
    stderr:
      'onesixty: The name must not be empty. The e-mail address is not valid; write it as name@example.org.\n',
  })
})

test('grants are seen in the list, and corrections take back no more than is free', async () => {
  const to = `--account ${account.account_id}`
  expect(await cli.json(`account grant ${to} --sms 100 --note Paid`)).toMatchObject({
    sms: 100,
    granted: 110,
    available: 110,
    mode: 'live',
  })
  expect(await cli.json(`account grant ${to} --sms -20 --note Mistake --kind correction`)).toMatchObject({
    granted: 90,
    available: 90,
  })
  expect((await cli.run(`account grant ${to} --sms -91 --note X --kind correction`)).stderr).toContain(
    'only 90 of 90 are neither used nor reserved',
  )
  const { accounts } = await cli.json<{ accounts: object[] }>('account list')
  expect(accounts).toEqual([
    expect.objectContaining({
      id: account.account_id,
      name: 'Ada',
      state: 'active',
      emails: ['ada@example.org'],
      balance: {
        live: { available: 90, granted: 90, reserved: 0, used: 0 },
        test: { available: 1_000, granted: 1_000, reserved: 0, used: 0 },
      },
    }),
  ])
})

test('limits are set, switched off, and put back', async () => {
  const limit = (rest: string) => cli.json(`account limit --account ${account.account_id} ${rest}`)
  expect(await limit('--send-per-minute 60 --queue 0')).toMatchObject({
    send_per_minute: 60,
    read_per_minute: null,
    queue_limit: 0,
  })
  expect(await limit('--send-per-minute default')).toMatchObject({ send_per_minute: null, queue_limit: 0 })
  expect((await cli.run(`account limit --account ${account.account_id}`)).code).toBe(2)
  expect((await cli.run(`account limit --account ${account.account_id} --queue many`)).code).toBe(2)
})

test('a key is made with what it may do, listed without itself, and revoked', async () => {
  const limits =
    '--scope messages:send --scope balance:read --address 127.0.0.0/8 --daily-cap 50 --expires 2100-01-01T00:00:00+01:00'
  const create = `key create --account ${account.account_id} --name Shop ${limits}`
  const key = await cli.json<{ id: string; key: string }>(create)
  expect(await authenticate(key.key)).toMatchObject({
    keyId: key.id,
    scopes: new Set(['messages:send', 'balance:read']),
    dailyCap: 50,
  })
  const listed = await cli.run(`key list --account ${account.account_id} --json`)
  expect(listed.stdout).not.toContain(key.key)
  expect((JSON.parse(listed.stdout) as { keys: object[] }).keys[0]).toMatchObject({
    id: key.id,
    name: 'Shop',
    state: 'active',
    addresses: ['127.0.0.0/8'],
    daily_cap: 50,
    expires_at: '2099-12-31T23:00:00.000Z',
    last_four: key.key.slice(-4),
  })
  expect(await cli.json(`key revoke --key ${key.id}`)).toEqual({
    id: key.id,
    state: 'revoked',
    changed: true,
  })
  expect(await cli.json(`key revoke --key ${key.id}`)).toMatchObject({ changed: false })
  expect(await authenticate(key.key)).toBe('revoked')
})

test('a key itself is not taken where its id is wanted, and is not repeated in what is said', async () => {
  const { code, stderr } = await cli.run(`key revoke --key ${account.live_key}`)
  expect(code).toBe(2)
  expect(stderr).not.toContain(account.live_key)
})

test('an expiry needs an offset, an unknown scope is refused', async () => {
  const create = `key create --account ${account.account_id} --name X`
  expect((await cli.run(`${create} --expires 2100-01-01T00:00:00`)).code).toBe(2)
  expect((await cli.run(`${create} --expires 2100-13-01T00:00:00Z`)).code).toBe(2)
  expect((await cli.run(`${create} --expires 2001-01-01T00:00:00Z`)).code).toBe(1)
  expect((await cli.run(`${create} --scope messages:sent`)).code).toBe(2)
})

test('an account is suspended, reactivated, and closed for ever', async () => {
  const made = await cli.json<{ account_id: string; live_key: string }>(
    'account create --name Bob --email bob@example.org',
  )
  const change = (verb: string) => cli.json(`account ${verb} --account ${made.account_id}`)
  expect(await change('suspend')).toMatchObject({ state: 'suspended', changed: true })
  expect(await authenticate(made.live_key)).toMatchObject({ accountState: 'suspended' })
  expect(await change('suspend')).toMatchObject({ changed: false })
  expect(await change('reactivate')).toMatchObject({ state: 'active', changed: true })
  expect(await change('close')).toMatchObject({ state: 'closed', changed: true, canceled_messages: 0 })
  expect(await authenticate(made.live_key)).toBe('closed')
  expect((await cli.run(`account reactivate --account ${made.account_id}`)).code).toBe(1)
  expect((await cli.run('account suspend --account acc_none --json')).stderr).toContain('"code":"not_found"')
})

test('what belongs to an account that does not exist is refused, not empty', async () => {
  for (const line of ['key list --account acc_none', 'device list --account acc_none']) {
    const { code, stdout, stderr } = await cli.run(line)
    expect([line, code, stdout]).toEqual([line, 1, ''])
    expect(stderr).toContain('Account acc_none not found.')
  }
})

test('quiet hours are set as times of day, and taken away; what is neither is refused', async () => {
  const { account_id: id } = await cli.json<{ account_id: string }>(
    'account create --name Quiet --email quiet@example.org',
  )
  const set = `account quiet-hours --account ${id}`
  expect(await cli.json(`${set} --from 21:30 --until 08:00`)).toEqual({
    account_id: id,
    quiet_hours: { from: '21:30', until: '08:00' },
  })
  expect(await cli.json(`${set} --off`)).toEqual({ account_id: id, quiet_hours: null })
  for (const wrong of ['--from 21:30', '--from 24:00 --until 08:00', '', '--off --from 21:00 --until 08:00'])
    expect((await cli.run(`${set} ${wrong}`)).code).toBe(2)
  expect((await cli.run(`${set} --from 08:00 --until 08:00`)).code).not.toBe(0)
})

test('the plan of an account is a word, or none', async () => {
  const set = (rest: string) => cli.json(`account plan --account ${account.account_id} ${rest}`)
  expect(await set('--plan pro')).toEqual({ account_id: account.account_id, plan: 'pro' })
  const listed = await cli.json<{ accounts: { id: string; plan: string | null }[] }>('account list')
  expect(listed.accounts.find(({ id }) => id === account.account_id)?.plan).toBe('pro')
  expect(await set('--no-plan')).toEqual({ account_id: account.account_id, plan: null })
  const fault = async (rest: string) =>
    (await cli.run(`account plan --account ${account.account_id} ${rest}`)).stderr
  expect(await fault('')).toContain('Give one of --plan and --no-plan.')
  expect(await fault('--plan pro --no-plan')).toContain('Give one of --plan and --no-plan.')
  for (const plan of ['Pro', 'none', 'a,b', 'x'.repeat(33)])
    expect(await fault(`--plan ${plan}`)).toContain('A plan is a word of up to 32 lower-case letters')
  expect((await cli.run('account plan --account acc_nobody --plan pro')).stderr).toContain('acc_nobody')
})

test('a closed account keeps its plan', async () => {
  const { account_id: id } = await cli.json<{ account_id: string }>(
    'account create --name Eve --email eve@example.org',
  )
  await cli.json(`account plan --account ${id} --plan pro`)
  await cli.json(`account close --account ${id}`)
  for (const change of ['--plan plus', '--no-plan'])
    expect((await cli.run(`account plan --account ${id} ${change}`)).stderr).toContain(
      `Account ${id} is closed.`,
    )
  expect(await cli.json(`account plan --account ${id} --plan pro`)).toMatchObject({ plan: 'pro' })
})

test('what own devices of an account cost is set to one of two', async () => {
  const set = (rest: string) => cli.json(`account own-devices --account ${account.account_id} ${rest}`)
  expect(await set('--free')).toEqual({ account_id: account.account_id, own_devices: 'free' })
  expect(await set('--charged')).toMatchObject({ own_devices: 'charged' })
  const both = await cli.run(`account own-devices --account ${account.account_id} --free --charged`)
  expect(both.stderr).toContain('Give one of --free and --charged.')
})

test('the countries of an account are named, opened to all and closed to all; its guard has limits', async () => {
  const set = (rest: string) => `account countries --account ${account.account_id} ${rest}`
  expect(await cli.json(set('--allow DE --allow AT'))).toMatchObject({ countries: ['AT', 'DE'] })
  expect(await cli.json(set('--none'))).toMatchObject({ countries: [] })
  expect(await cli.json(set('--all'))).toMatchObject({ countries: null })
  expect((await cli.run(set(''))).code).toBe(2)
  expect((await cli.run(set('--all --allow DE'))).code).toBe(2)
  expect((await cli.run(set('--allow XX'))).code).not.toBe(0)
  const limits = '--number-per-hour 10 --prefix-per-hour 0 --pumping-numbers default'
  expect(await cli.json(`account limit --account ${account.account_id} ${limits}`)).toMatchObject({
    number_per_hour: 10,
    prefix_per_hour: 0,
    pumping_numbers: null,
  })
})

test('the keywords of an account are set by language, listed and removed', async () => {
  const { account_id: id } = await cli.json<{ account_id: string }>(
    'account create --name Words --email words@example.org',
  )
  const keywords = (rest: string) => `account keywords ${rest.replace(' ', ` --account ${id} `)}`
  const none = { stop_words: [], start_words: [], help_words: [], words_off: [], stop_answer: null, help_answer: null } // prettier-ignore
  expect(
    await cli.json(keywords('set --language fr --stop-word Fini --stop-word Marre --help-word Aide --stop-answer Fini! --help-answer off')),
  ).toEqual({ ...none, account_id: id, language: 'fr', stop_words: ['Fini', 'Marre'], help_words: ['Aide'], stop_answer: 'Fini!', help_answer: 'off' }) // prettier-ignore
  await cli.json(keywords('set --language und --word-off end --start-word Ja'))
  expect(await cli.json(keywords('list '))).toMatchObject({
    account_id: id,
    keyword_sets: [{ language: 'fr' }, { ...none, language: 'und', words_off: ['END'], start_words: ['Ja'] }],
  })
  expect((await cli.run(keywords('list '))).stdout).toBe(
    'fr  STOP: Fini, Marre  HELP: Aide  answer to STOP: Fini!  answer to HELP: off\nund  START: Ja  off: END\n',
  )
  const refused = await cli.run(keywords('set --language de --start-word fini'))
  expect(refused.code).not.toBe(0)
  expect(refused.stderr).toContain("'fini' is in the keyword set 'fr' already.")
  expect(await cli.json(keywords('remove --language FRA'))).toMatchObject({ language: 'fr', removed: true })
  expect((await cli.run(keywords('remove --language fr'))).code).toBe(1)
})
