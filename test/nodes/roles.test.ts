import { expect, test } from 'vitest'
import { runCommandLine } from '../../src/cli/command-line.ts'
import { readRoles } from '../../src/settings/roles.ts'
import { openCluster } from './cluster.ts'

const patience = { timeout: 90_000 }
const statusOf = async (url: string): Promise<number> => {
  const answer = await fetch(url)
  await answer.arrayBuffer()
  return answer.status
}

test('roles stand in a list, in any order, and a word that is none is refused with those that there are', () => {
  expect(readRoles('janitor, api')).toEqual(['api', 'janitor'])
  expect(() => readRoles('api,sender')).toThrow(
    "needs one or more of api, dispatch, webhooks, janitor, separated by commas; 'sender' is none",
  )
  expect(() => readRoles('')).toThrow("'' is none")
})

test(
  'a node without dispatch runs no link, and one without api hands over what that accepts',
  patience,
  async () => {
    const cluster = await openCluster()
    const front = await cluster.start({ ONESIXTY_NODE: 'front', ONESIXTY_ROLES: 'api,webhooks' })
    const back = await cluster.start({ ONESIXTY_NODE: 'back', ONESIXTY_ROLES: 'dispatch,janitor' })
    const { testKey } = await cluster.openAccount('Ada')
    const available = async () => (await front.client.balance(testKey)).available
    await expect.poll(available, { timeout: 30_000 }).toBeGreaterThan(0)
    const { status, body } = await front.client.send(testKey, {
      to: '+4915112345678',
      text: 'through the back',
    })
    expect(status).toBe(202)
    const delivered = async () =>
      (await front.client.history(testKey, 'status=delivered')).map(({ id }) => id)
    await expect.poll(delivered, { timeout: 30_000 }).toEqual(body.messages.map(({ id }) => id))
    const owners = await back.app.storage.read.selectFrom('devices').select('lease_owner').execute()
    expect(owners).toEqual([{ lease_owner: 'back' }])
  },
)

test('a node without api answers only those that watch it', patience, async () => {
  const cluster = await openCluster()
  const { url } = await cluster.start({ ONESIXTY_ROLES: 'dispatch,janitor' })
  const paths = ['/healthz', '/readyz', '/metrics', '/', '/docs', '/openapi.json', '/schemas/provider.json', '/console/api/auth/session', '/mobile/v1/device', '/api/v1/balance'] // prettier-ignore
  const statuses = await Promise.all(paths.map((path) => statusOf(`${url}${path}`)))
  expect(statuses).toEqual([200, 200, 200, 404, 404, 404, 404, 404, 404, 404])
})

const onTheCommandLine = async (...args: string[]): Promise<{ code: number; said: string }> => {
  let said = ''
  const out = { write: (text: string) => (said += text) }
  const { serve } = await import('../../src/cli/server/serve.ts')
  const host = {
    env: {},
    stdout: out,
    once: () => undefined,
    exit: () => {
      throw new Error('exit')
    },
  }
  const io = { env: {}, stdin: process.stdin, stdout: out, stderr: out } as never
  const code = await runCommandLine(['serve', ...args], io, (options) => serve(host, options))
  return { code, said }
}

test('serve says in its help what roles there are, and what is wrong with others', async () => {
  expect((await onTheCommandLine('--help')).said).toMatch(/--roles LIST +.*api, dispatch, webhooks, janitor/)
  expect(await onTheCommandLine('--roles', 'api,sender')).toMatchObject({
    code: 2,
    said: expect.stringContaining("'sender' is none"),
  })
  expect(await onTheCommandLine('--roles', 'api')).toMatchObject({
    code: 78,
    said: expect.stringContaining('need PostgreSQL (DATABASE_URL)'),
  })
})
