import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../eventually.ts'
import { type PostgresServer, startPostgres } from '../postgres-server.ts'
import { openSession, openThroughProxy } from './served-storage.ts'

const currentNumber = sql<{ id: string }>`select pg_current_xact_id()::text as id`

let postgres: PostgresServer
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.stop())

const crashes: Record<string, () => Promise<void>> = {
  'the whole server was killed': async () => {
    await postgres.kill()
    await postgres.restart()
  },
  'one session was killed, whereupon the server ended all and recovered': async () => {
    const victim = await openSession(postgres.url)
    const { rows } = await victim.query<{ pid: number }>('select pg_backend_pid() as pid')
    const other = await openSession(postgres.url)
    const ended = new Promise((resolve) => other.once('end', resolve))
    process.kill(rows[0]!.pid, 'SIGKILL')
    await ended
    await eventually(
      () => openSession(postgres.url).catch(String),
      (session) => expect(session).not.toBeTypeOf('string'),
    )
  },
}

test.each(Object.keys(crashes))(
  'the number of a lost transaction that was given out again tells nothing, after %s',
  async (crash) => {
    const { storage, proxy } = await openThroughProxy(postgres.url, { statementTimeoutMs: 6_000 })
    let lost = ''
    const write = storage.writer
      .write(async (tx) => {
        const { rows } = await currentNumber.execute(tx)
        lost = rows[0]!.id
        // Neither COMMIT nor the end of the server comes through: the node asks when it is over.
        proxy.halfOpen({ forMs: 60_000, newOnes: 'work' })
      })
      .catch((error: unknown) => error)
    await eventually(
      () => proxy.state().passed.toTarget,
      () => expect(lost).not.toBe(''),
    )
    await crashes[crash]!()
    const beside = await openSession(postgres.url)
    await eventually(
      async () => (await beside.query<{ id: string }>('select pg_current_xact_id()::text as id')).rows[0]!.id,
      (id) => expect(BigInt(id)).toBeGreaterThan(BigInt(lost)),
    )
    const { rows } = await beside.query<{ status: string }>(
      `select pg_xact_status('${lost}'::xid8) as status`,
    )
    expect(rows, 'the number is that of a committed one now').toEqual([{ status: 'committed' }])
    expect(await write).toMatchObject({ fault: 'outcome_unknown' })
  },
)
