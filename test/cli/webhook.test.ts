import { afterAll, beforeAll, expect, test } from 'vitest'
import { withDatabase } from '../open-database.ts'
import { type Cli, openCli } from './run-cli.ts'

let cli: Cli
let of: string
const env: Record<string, string> = {}
beforeAll(async () => {
  cli = await openCli(env)
  const account = await cli.json<{ account_id: string }>('account create --name Ada --email ada@example.org')
  of = `--account ${account.account_id}`
})
afterAll(() => cli.close())

const add = (more = '') =>
  cli.json<{ id: string; secret: string }>(`webhook add ${of} --url https://shop.example.org/sms ${more}`)
const listed = async (id: string) =>
  (await cli.json<{ endpoints: { id: string }[] }>(`webhook list ${of}`)).endpoints.find(
    (each) => each.id === id,
  )

test('an endpoint is added with its secret, which no list shows again', async () => {
  const { id, secret } = await add('--event message.delivered --event message.failed --mode live')
  expect(id).toMatch(/^whk_/)
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  const { stdout } = await cli.run(['webhook', 'list', ...of.split(' '), '--json'])
  expect(stdout).not.toContain('whsec_')
  expect(await listed(id)).toEqual({
    id,
    url: 'https://shop.example.org/sms',
    events: ['message.delivered', 'message.failed'],
    mode: 'live',
    state: 'enabled',
    disabled_because: null,
    failing_since: null,
    failing_because: null,
    previous_secret_until: null,
    created_at: expect.stringMatching(/Z$/),
  })
})

test('a rotated secret is another one, and the old one is told to sign for a day', async () => {
  const { id, secret } = await add()
  const rotated = await cli.json<{ secret: string; previous_secret_until: string }>(
    `webhook rotate ${of} --endpoint ${id}`,
  )
  expect(rotated.secret).toMatch(/^whsec_/)
  expect(rotated.secret).not.toBe(secret)
  expect(Date.parse(rotated.previous_secret_until) - Date.now()).toBeGreaterThan(23 * 3_600_000)
  expect(await listed(id)).toMatchObject({ previous_secret_until: rotated.previous_secret_until })
})

test('former secrets are ended at once, and no list tells of one then', async () => {
  const { id } = await add()
  await cli.json(`webhook rotate ${of} --endpoint ${id}`)
  expect(await cli.json(`webhook end-former-secrets ${of} --endpoint ${id}`)).toEqual({ id, ended: 1 })
  expect(await listed(id)).toMatchObject({ previous_secret_until: null })
  const { stdout } = await cli.run(`webhook end-former-secrets ${of} --endpoint ${id}`)
  expect(stdout).toBe('No former secrets were active.\n')
})

test('an endpoint is disabled, enabled and removed, and is gone then', async () => {
  const { id } = await add()
  await cli.json(`webhook disable ${of} --endpoint ${id}`)
  expect(await listed(id)).toMatchObject({ state: 'disabled', disabled_because: 'person' })
  await cli.json(`webhook enable ${of} --endpoint ${id}`)
  expect(await listed(id)).toMatchObject({ state: 'enabled', disabled_because: null })
  await cli.json(`webhook remove ${of} --endpoint ${id}`)
  expect(await listed(id)).toBeUndefined()
  for (const verb of ['remove', 'enable', 'rotate', 'end-former-secrets']) {
    const { code, stderr } = await cli.run(['webhook', verb, ...of.split(' '), '--endpoint', id])
    expect({ code, stderr }).toEqual({ code: 1, stderr: `onesixty: Webhook endpoint ${id} not found.\n` })
  }
})

test.for([
  ['ftp://shop.example.org/', 'must be an https or http URL'],
  ['shop.example.org', 'must be an https or http URL'],
  ['https://user:password@shop.example.org/', 'must not contain a user name or password'],
  ['https://shop.example.org/#a', 'must not contain a fragment'],
  [`https://shop.example.org/${'a'.repeat(2_000)}`, 'at most 2000 characters'],
  ['http://10.1.2.3/sms', 'ONESIXTY_WEBHOOK_ALLOW=10.1.2.3'],
  ['http://2130706433/sms', 'ONESIXTY_WEBHOOK_ALLOW=127.0.0.1'],
  ['http://[::ffff:10.1.2.3]:8080/', 'ONESIXTY_WEBHOOK_ALLOW=::ffff:a01:203'],
  ['http://localhost:3000/sms', 'ONESIXTY_WEBHOOK_ALLOW=localhost'],
  ['http://shop.localhost./sms', 'ONESIXTY_WEBHOOK_ALLOW=shop.localhost.'],
])('the address %s is refused', async ([url, because]) => {
  const { code, stderr } = await cli.run(['webhook', 'add', ...of.split(' '), '--url', url as string])
  expect(code).toBe(1)
  expect(stderr).toContain(because)
})

test('an address inside is taken once the setting allows it, at first and as the new one', async () => {
  env['ONESIXTY_WEBHOOK_ALLOW'] = '10.1.0.0/16,localhost'
  for (const url of ['http://10.1.2.3/sms', 'http://localhost:3000/sms'])
    expect(await cli.json(`webhook add ${of} --url ${url}`)).toMatchObject({ secret: expect.any(String) })
  delete env['ONESIXTY_WEBHOOK_ALLOW']
})

test('the list says since when an endpoint takes nothing, and why', async () => {
  const { id } = await add()
  await withDatabase(cli.dataFolder, (db) =>
    db
      .updateTable('webhook_endpoints')
      .set({ failing_since: Date.UTC(2026, 10, 21, 9, 30), failing_because: 'answered 503' })
      .where('id', '=', id)
      .execute(),
  )
  expect(await listed(id)).toMatchObject({
    state: 'enabled',
    failing_since: '2026-11-21T09:30:00.000Z',
    failing_because: 'answered 503',
  })
  const { stdout } = await cli.run(['webhook', 'list', ...of.split(' ')])
  expect(stdout).toContain(`${id}  failing `)
  expect(stdout).toContain('    failing since 2026-11-21T09:30:00.000Z: answered 503\n')
})

test('a name of an event that there is not is refused, with the one that was meant', async () => {
  const { code, stderr } = await cli.run(['webhook', 'add', ...of.split(' '), '--url', 'https://a.example', '--event', 'message.deliverd'])
  expect(code).toBe(2)
  expect(stderr).toContain('message.delivered')
}) // prettier-ignore

test('an account has at most so many endpoints as the setting says', async () => {
  const { account_id: id } = await cli.json<{ account_id: string }>(
    'account create --name Bob --email bob@example.org',
  )
  const many = (n: number) => cli.run(['webhook', 'add', '--account', id, '--url', `https://a.example/${n}`])
  env['ONESIXTY_WEBHOOK_ENDPOINTS'] = '3'
  for (let n = 0; n < 3; n++) expect((await many(n)).code).toBe(0)
  expect(await many(3)).toMatchObject({ code: 1, stderr: expect.stringContaining('3 webhook endpoints') })
  delete env['ONESIXTY_WEBHOOK_ENDPOINTS']
})

test('the doctor says how endpoints stand, and what is wrong with targets that are allowed', async () => {
  await add()
  const checks = async (): Promise<Record<string, string>> => {
    const { stdout } = await cli.run('doctor --json')
    const { checks: found } = JSON.parse(stdout) as { checks: { name: string; summary: string }[] }
    return Object.fromEntries(found.map(({ name, summary }) => [name, summary]))
  }
  expect((await checks())['webhooks']).toMatch(
    /^\d+ endpoints, 0 disabled after failures, 1 failing; 0 with deliveries overdue/,
  )
  expect((await checks())['webhook_targets']).toBeUndefined()
  env['ONESIXTY_WEBHOOK_ALLOW'] = 'ten dot one'
  expect(await checks()).toMatchObject({
    webhook_targets: "ONESIXTY_WEBHOOK_ALLOW: 'ten dot one' is not an address, CIDR range or host name.",
  })
  env['ONESIXTY_WEBHOOK_ALLOW'] = '10.1.0.0/16,hooks.internal'
  expect(await checks()).toMatchObject({
    webhook_targets: 'Allowed targets: public addresses and 10.1.0.0/16, hooks.internal.',
  })
})
