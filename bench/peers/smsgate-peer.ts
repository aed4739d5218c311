import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../test/free-port.ts'
import { hasCommands } from '../../test/peers/foreign-tools.ts'
import { recipientOf, textOfMessages } from '../load-job.ts'
import { hasMariaDb, type MariaDb, mariaDbVersion, startMariaDb } from './mariadb.ts'
import { runOwn, startOwn, waitForPort } from './own-process.ts'
import type { MissingPeer, Peer, RunningPeer } from './peer.ts'

const name = 'SMSGate server'
const programName = 'sms-gateway'
const privateToken = 'smsgate-of-the-bench'

/**
 * The server of SMSGate (github.com/android-sms-gateway/server) with MariaDB: messages wait there for an Android phone. `program` is what
 * `go build ./cmd/sms-gateway` made of a checkout, or is found in PATH. `onStop` is called with what ends its database.
 */
export async function smsGatePeer({
  program = programName,
  onStop,
}: {
  program?: string | undefined
  onStop: (stop: () => Promise<void>) => void
}): Promise<Peer | MissingPeer> {
  if (!hasCommands(program)) return { name, missing: `Build it from github.com/android-sms-gateway/server with go build ./cmd/${programName}, and name it by --smsgate.` } // prettier-ignore
  if (!hasMariaDb()) return { name, missing: 'Install MariaDB for it: apt-get install mariadb-server-core mariadb-client-core.' } // prettier-ignore
  let database: MariaDb | null = null
  const opened = async (): Promise<MariaDb> => {
    if (database !== null) return database
    database = await startMariaDb()
    onStop(database.stop)
    return database
  }
  return {
    name,
    version: `built from a checkout with ${(await runOwn('go', ['version', '-m', program]).catch(() => 'an unknown Go')).split('\n', 1)[0]?.split(': ').at(-1) ?? ''}, MariaDB ${await mariaDbVersion()}`,
    durability:
      'flushed to the disk by MariaDB (innodb_flush_log_at_trx_commit=1), with an ID and a state; no price',
    hasLives: false,
    start: async () => start(program, await opened()),
  }
}

async function start(program: string, database: MariaDb): Promise<RunningPeer> {
  await database.emptyDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'onesixty-smsgate-'))
  const port = await freePort()
  const file = join(folder, 'config.yml')
  await writeFile(file, configurationOf(port, database.port))
  const env = { CONFIG_PATH: file }
  await runOwn(program, ['db:migrate'], env)
  const startedMs = performance.now()
  const server = startOwn({ program, args: [], cwd: folder, log: join(folder, 'log'), env })
  await waitForPort(port)
  const readyMs = performance.now() - startedMs
  const login = await register(port)
  return {
    readyMs,
    pids: [server.pid, database.pid],
    port,
    token: '',
    shapeOf: (recipients) => shapeOf(recipients, port, login),
    settled: () => Promise.reject(new Error(`${name} sends over phones only.`)),
    async stop() {
      await server.stop()
      await rm(folder, { recursive: true })
    },
  }
}

/** Registers a phone without a push token, so that nothing is pushed anywhere; gives the login of its owner. */
async function register(port: number): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/api/mobile/v1/device`, {
    method: 'POST',
    headers: { authorization: `Bearer ${privateToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Bench' }),
  })
  const body = await answer.text()
  if (!answer.ok) throw new Error(`${name} refused a phone with ${answer.status}: ${body}`)
  const { login, password } = JSON.parse(body) as { login: string; password: string }
  return Buffer.from(`${login}:${password}`).toString('base64')
}

function shapeOf(recipients: number, port: number, login: string) {
  const body = JSON.stringify({
    textMessage: { text: textOfMessages },
    phoneNumbers: Array.from({ length: recipients }, (_, i) => recipientOf(i)),
  })
  const head = `Host: 127.0.0.1:${port}\r\nAuthorization: Basic ${login}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`
  return { kind: 'text', recipients, request: `POST /api/3rdparty/v1/messages HTTP/1.1\r\n${head}\r\n\r\n${body}` } as const // prettier-ignore
}

/** By configs/config.example.yml. In private mode it registers phones by a token, and its upstream, which is never asked, is a closed port here. */
const configurationOf = (port: number, databasePort: number): string =>
  JSON.stringify({
    gateway: { mode: 'private', private_token: privateToken, upstream_url: 'http://127.0.0.1:9/upstream/v1' },
    http: { listen: `127.0.0.1:${port}` },
    database: { host: '127.0.0.1', port: databasePort, user: 'sms', password: 'sms', database: 'sms', timezone: 'UTC' },
    fcm: { credentials_json: '{}', timeout_seconds: 1, debounce_seconds: 5 },
  }) // prettier-ignore
