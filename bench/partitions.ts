import { parseArgs } from 'node:util'
import { Client } from 'pg'
import { dayMs } from '../src/runtime/clock.ts'
import { lowestIdAt } from '../src/runtime/ids.ts'
import { readOldMessages, removeMessages } from '../src/privacy/remove-old-messages.ts'
import { openPostgres } from '../src/storage/postgres/postgres-database.ts'
import { withDatabase } from '../test/postgres-server.ts'
import { median } from './figure.ts'
import { recipientOf, textOfMessages } from './load-job.ts'
import { startBenchPostgres } from './bench-postgres.ts'

const usage = `node bench/partitions.ts [--messages 200000]

What the evidence of docs/decisions/0028 was measured with: accepting, settling, history and retention on PostgreSQL with messages and attempts as they are, and
cut into 13 partitions by the time in their ids. In turns, so that other work on the machine is fair. Takes half a minute.
`

const accounts = 5
const days = 390
/** Rows of one transaction, as under load. */
const batchRows = 200
const batches = 50

interface Bench {
  client: Client
  url: string
  messages: number
  partitions: number
  endMs: number
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { messages: { type: 'string', default: '200000' }, help: { type: 'boolean', default: false } },
  })
  if (values.help) return void process.stdout.write(usage)
  const postgres = await startBenchPostgres()
  const benches: Bench[] = []
  try {
    for (const partitions of [0, 13])
      benches.push(await openBench(postgres.url, Number(values.messages), partitions))
    await measureWrites(benches)
    await measureReads(benches)
    await measureRetention(benches)
  } finally {
    for (const { client } of benches) await client.end()
    await postgres.stop()
  }
}

async function openBench(server: string, messages: number, partitions: number): Promise<Bench> {
  const admin = new Client({ connectionString: server })
  await admin.connect()
  await admin.query(`create database parts_${partitions}`)
  await admin.end()
  const url = withDatabase(server, `parts_${partitions}`)
  const storage = await openStorage(url)
  await storage.close()
  const client = new Client({
    connectionString: url,
    options:
      '-c plan_cache_mode=force_custom_plan -c random_page_cost=1.1 -c jit=off -c max_parallel_workers_per_gather=0',
  })
  await client.connect()
  const bench: Bench = { client, url, messages, partitions, endMs: Date.now() }
  await fill(bench)
  return bench
}

const openStorage = (url: string) =>
  openPostgres(
    { url, applicationName: 'bench', readers: 1, connectTimeoutMs: 5_000, statementTimeoutMs: 0 },
    Date.now(),
  )

const say = (what: string, value: string): void => void process.stdout.write(`${what.padEnd(60)} ${value}\n`)

async function timed<T>(task: () => Promise<T>): Promise<[number, T]> {
  const fromMs = performance.now()
  const result = await task()
  return [performance.now() - fromMs, result]
}

/** Tables first, rows in the order of time, indexes last. */
async function fill(bench: Bench): Promise<void> {
  const { client, partitions, messages, endMs } = bench
  const { rows } = await client.query<{ indexdef: string }>(
    "select indexdef from pg_indexes where tablename in ('messages', 'attempts') order by indexname",
  )
  for (const table of ['messages', 'attempts']) await makeTable(bench, table)
  const slots = 4_000
  const prefixes = Array.from({ length: slots }, (_, i) => idAt(bench, i / slots).slice(4, 14))
  await client.query(
    `insert into accounts (id, name, state, created_at, updated_at) select 'acc_' || i, 'Bench', 'active', 0, 0 from generate_series(0, ${accounts - 1}) i`,
  )
  await client.query(
    `insert into wallets (account_id, mode, granted, reserved, used, low_threshold) select id, 'live', 1000000000, 0, 900000000, 0 from accounts`,
  )
  const startMs = endMs - days * dayMs
  const [fillMs] = await timed(() =>
    client.query(
      insertMessages(
        `generate_series(0::bigint, ${messages - 1})`,
        `($1::text[])[1 + n * ${slots} / ${messages}]`,
        `${startMs} + n * ${Math.floor((days * dayMs) / messages)}::bigint`,
      ),
      [prefixes],
    ),
  )
  await client.query(insertAttempts('messages'))
  await client.query(
    `insert into sends (account_id, id, mode, key_id, first_message_id, last_message_id, smart_encoding_applied, created_at)
     select account_id, send_id, mode, 'key_bench', id, id, 0, created_at from messages`,
  )
  await client.query(
    `insert into traffic (account_id, mode, grain, bucket, accepted, delivered) select account_id, mode, 'hours6', created_at - created_at % 21600000, count(*), count(*)
     from messages group by 1, 2, 3, 4`,
  )
  const [indexMs] = await timed(async () => {
    for (const { indexdef } of rows) await client.query(indexdef)
  })
  await client.query('analyze')
  const { rows: sizes } = await client.query<{ size: string }>(
    "select pg_size_pretty(sum(pg_total_relation_size(oid))) as size from pg_class where relkind = 'r' and (relname like 'messages%' or relname like 'attempts%')",
  )
  say(
    `${messages} messages over ${days} days, ${partitions} partitions`,
    `${sizes[0]?.size}; filled in ${Math.round(fillMs)} ms, indexes in ${Math.round(indexMs)} ms`,
  )
}

const idAt = ({ endMs }: Pick<Bench, 'endMs'>, share: number): string =>
  lowestIdAt('msg', Math.floor(endMs - days * dayMs * (1 - share)))

/** The same columns and CHECKs, without indexes. */
async function makeTable(bench: Bench, table: string): Promise<void> {
  const { client, partitions } = bench
  const column = table === 'messages' ? 'id' : 'message_id'
  const filled = table === 'messages' ? 'with (fillfactor = 50)' : ''
  const like = `create table made (like ${table} including defaults including constraints)`
  await client.query(partitions > 0 ? `${like} partition by range (${column})` : `${like} ${filled}`)
  await client.query(`drop table ${table}`)
  await client.query(`alter table made rename to ${table}`)
  for (let i = 0; i < partitions; i++) {
    const from = i === 0 ? 'minvalue' : `'${idAt(bench, i / partitions)}'`
    const to = `'${idAt(bench, i + 1 === partitions ? 2 : (i + 1) / partitions)}'`
    await client.query(
      `create table ${table}_${i} partition of ${table} for values from (${from}) to (${to}) ${filled}`,
    )
  }
}

/** Delivered ones. `prefix` is the part of an id that tells the time, `at` the time. */
const insertMessages = (from: string, prefix: string, at: string): string =>
  `insert into messages (account_id, mode, id, send_id, direction, status, recipient, category, text, text_redacted, encoding, units, parts, parts_sent, held,
     charged, cost_state, on_unknown, device_id, attempts, possible_duplicate, metadata, created_at, expires_at, sent_at, delivered_at, finalized_at, settled_at, updated_at)
   select 'acc_' || n % ${accounts}, 'live', 'msg_' || p || lpad(n::text, 16, '0'), 'snd_' || p || lpad(n::text, 16, '0'), 'outbound', 'delivered',
     '${recipientOf(0).slice(0, 6)}' || lpad((n * 7919 % 20000)::text, 8, '0'), 'transactional', '${textOfMessages}', 0, 'gsm7', 64, 1, 1, 1, 1, 'charged', 'stop', 'dev_a', 1, 0, '{}',
     t, t + 259200000, t + 20, t + 3000, t + 3000, t + 3000, t + 3000
   from (select n, ${prefix} as p, ${at} as t from ${from} n) as numbered`

const insertAttempts = (from: string): string =>
  `insert into attempts (account_id, mode, message_id, number, id, device_id, fence, state, parts_sent, network_ids, outcome, started_at, ended_at)
   select account_id, mode, id, 1, 'att_' || substr(id, 5), device_id, 1, 'accepted', 1, '["' || id || '"]', 'accepted', created_at, created_at from ${from}`

/** Runs a task on each of them in turns, so many times; says the middle of what each took, for one of `rows`. */
async function inTurns(
  benches: readonly Bench[],
  name: string,
  { times, rows }: { times: number; rows: number },
  task: (bench: Bench, time: number) => Promise<unknown>,
): Promise<void> {
  const took = new Map(benches.map((bench) => [bench, [] as number[]]))
  for (let time = 0; time < times; time++)
    for (const bench of benches) took.get(bench)?.push((await timed(() => task(bench, time)))[0])
  const words = [...took].map(
    ([{ partitions }, each]) => `${((median(each) * 1_000) / rows).toFixed(1)} µs (${partitions})`,
  )
  say(name, words.join(', '))
}

const newPrefix = ({ endMs }: Bench): string => lowestIdAt('msg', endMs).slice(4, 14)

async function measureWrites(benches: readonly Bench[]): Promise<void> {
  const shape = { times: batches, rows: batchRows }
  const namesOf = (bench: Bench, time: number): [owners: string[], ids: string[]] => {
    const numbers = Array.from({ length: batchRows }, (_, k) => bench.messages + time * batchRows + k)
    return [
      numbers.map((n) => `acc_${n % accounts}`),
      numbers.map((n) => `msg_${newPrefix(bench)}${String(n).padStart(16, '0')}`),
    ]
  }
  await inTurns(benches, 'insert a message, in batches of 200', shape, (bench, time) => {
    const text = insertMessages(
      'generate_series($1::bigint, $2::bigint)',
      `'${newPrefix(bench)}'`,
      `${bench.endMs}::bigint`,
    )
    const from = bench.messages + time * batchRows
    return bench.client.query({ name: 'insert', text, values: [from, from + batchRows - 1] })
  })
  const found =
    "unnest($1::text[], $2::text[]) v(a, i) cross join lateral (select * from messages m where m.account_id = v.a and m.mode = 'live' and m.id = v.i) f"
  await inTurns(benches, 'read it by its key', shape, (bench, time) =>
    bench.client.query({ name: 'read', text: `select f.* from ${found}`, values: namesOf(bench, time) }),
  )
  await inTurns(benches, 'insert its attempt', shape, (bench, time) =>
    bench.client.query({
      name: 'attempts',
      text: `${insertAttempts(`(select f.* from ${found})`)} as m`,
      values: namesOf(bench, time),
    }),
  )
  await inTurns(benches, 'update it by its key', shape, (bench, time) => {
    const text = `update messages t set sequence = 5, updated_at = updated_at + 1 from unnest($1::text[], $2::text[]) v(a, i) where t.account_id = v.a and t.mode = 'live' and t.id = v.i`
    return bench.client.query({ name: 'update', text, values: namesOf(bench, time) })
  })
}

const page = (where: string): string =>
  `select * from messages where account_id = 'acc_1' and mode = 'live' and ${where} order by id desc limit 50`

/** As the readers ask: planned each time. */
async function measureReads(benches: readonly Bench[]): Promise<void> {
  const reads: Record<string, (bench: Bench) => string> = {
    'newest page': () => page('true'),
    'a page in the middle': (bench) => page(`id < '${idAt(bench, 0.5)}'`),
    'newest page of one number': () => page(`recipient = '${recipientOf(7_919)}'`),
    'one message by its id': (bench) =>
      page(`id = 'msg_${newPrefix(bench)}${String(bench.messages + 1).padStart(16, '0')}'`),
    'an attempt by its own id': (bench) =>
      `select * from attempts where id = 'att_${newPrefix(bench)}${String(bench.messages + 1).padStart(16, '0')}' and account_id = 'acc_1'`,
  }
  for (const [name, textOf] of Object.entries(reads))
    await inTurns(benches, name, { times: 100, rows: 1 }, (bench) => bench.client.query(textOf(bench)))
}

/** The oldest thirteenth: in pages as retention does; in one statement for each table; and where its partition is dropped. */
async function measureRetention(benches: readonly Bench[]): Promise<void> {
  const storages = new Map<Bench, Awaited<ReturnType<typeof openStorage>>>()
  for (const bench of benches) storages.set(bench, await openStorage(bench.url))
  await inTurns(
    benches,
    'remove a message, in pages of 500 as retention does',
    { times: 20, rows: 500 },
    (bench, time) =>
      storages.get(bench)?.writer.write(async (tx) => {
        const mark = { accountId: `acc_${time % 3}`, mode: 'live', afterId: '' } as const
        const old = { acceptedBeforeMs: bench.endMs, settledBeforeMs: bench.endMs }
        await removeMessages(tx, await readOldMessages(tx, mark, old, 500), old)
      }) ?? Promise.resolve(),
  )
  for (const storage of storages.values()) await storage.close()
  const owner = "account_id = 'acc_4' and mode = 'live'"
  await inTurns(
    benches,
    'remove a message, in one statement for each table',
    { times: 1, rows: 10_000 },
    async ({ client }) => {
      const { rows } = await client.query<{ id: string }>(
        `select id from messages where ${owner} order by id offset 10000 limit 1`,
      )
      await client.query('begin')
      await client.query(`delete from messages where ${owner} and id < $1`, [rows[0]?.id])
      await client.query(`delete from attempts where ${owner} and message_id < $1`, [rows[0]?.id])
      await client.query(`delete from sends where ${owner} and last_message_id < $1`, [rows[0]?.id])
      await client.query('commit')
    },
  )
  const cut = benches.filter(({ partitions }) => partitions > 0)
  await inTurns(cut, 'drop the oldest partitions', { times: 1, rows: 1 }, ({ client }) =>
    client.query('drop table messages_0, attempts_0'),
  )
}

await main()
