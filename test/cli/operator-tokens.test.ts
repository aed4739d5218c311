import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Cli, openCli } from './run-cli.ts'

let cli: Cli
beforeAll(async () => {
  cli = await openCli()
  await cli.json('account create --name Ada --email ada@example.org')
})
afterAll(() => cli.close())

test('a token is made, listed without itself, and revoked once', async () => {
  const made = await cli.json<{ id: string; token: string }>(
    'operator token create --name Billing --scope write --expires 2100-01-01T00:00:00Z',
  )
  expect(made).toMatchObject({ scope: 'write', expires_at: '2100-01-01T00:00:00.000Z' })
  const listed = await cli.run('operator token list --json')
  expect(JSON.parse(listed.stdout)).toMatchObject({
    tokens: [{ id: made.id, state: 'active', last_used_at: null }],
  })
  expect(listed.stdout).not.toContain(made.token)
  expect(await cli.json(`operator token revoke --token ${made.id}`)).toMatchObject({ changed: true })
  expect(await cli.json(`operator token revoke --token ${made.id}`)).toMatchObject({ changed: false })
})

test('a scope is one of two, read when nobody says; the token itself is not its id', async () => {
  expect(await cli.json('operator token create --name Reports')).toMatchObject({ scope: 'read' })
  expect(await cli.run('operator token create --name X --scope all')).toMatchObject({ code: 2 })
  expect(await cli.run('operator token revoke --token onesixty_operator_x')).toMatchObject({ code: 2 })
  expect(await cli.run('operator token revoke --token otk_00000000000000000000000000')).toMatchObject({
    code: 1,
  })
})

test('words under words explain themselves', async () => {
  expect((await cli.run('operator --help')).stdout).toContain('token')
  expect((await cli.run('operator token --help')).stdout).toContain('revoke')
  expect((await cli.run('operator token create --help')).stdout).toContain('--scope')
  expect((await cli.run('operator token')).stderr).toContain('create, list, revoke')
  expect((await cli.run('operator tokens')).stderr).toContain("Did you mean 'token'?")
})
