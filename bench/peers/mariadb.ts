import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../test/free-port.ts'
import { hasCommands } from '../../test/peers/foreign-tools.ts'
import { runOwn, startOwn, waitForPort } from './own-process.ts'

/** A MariaDB with its default settings, but for its port, on a fresh folder. */
export interface MariaDb {
  pid: number
  port: number
  /** Makes an empty database in the place of a former one, for the user and password `sms`. */
  emptyDatabase(): Promise<void>
  stop(): Promise<void>
}

export const hasMariaDb = (): boolean => hasCommands('mariadbd', 'mariadb-install-db', 'mariadb')

export const mariaDbVersion = async (): Promise<string> =>
  /Ver (\S+)/.exec(await runOwn('mariadbd', ['--no-defaults', '--version']))?.[1] ?? 'unknown'

export async function startMariaDb(): Promise<MariaDb> {
  const folder = await mkdtemp(join(tmpdir(), 'onesixty-mariadb-'))
  const [data, socket] = [join(folder, 'data'), join(folder, 'socket')]
  const user = process.getuid?.() === 0 ? ['--user=root'] : []
  await runOwn('mariadb-install-db', ['--no-defaults', `--datadir=${data}`, '--auth-root-authentication-method=normal', ...user]) // prettier-ignore
  const port = await freePort()
  const server = startOwn({
    program: 'mariadbd',
    args: ['--no-defaults', `--datadir=${data}`, `--socket=${socket}`, `--port=${port}`, '--bind-address=127.0.0.1', `--pid-file=${join(folder, 'pid')}`, ...user],
    cwd: folder,
    log: join(folder, 'log'),
  }) // prettier-ignore
  await waitForPort(port)
  const statements = [
    'drop database if exists sms',
    'create database sms character set utf8mb4',
    "create user if not exists sms identified by 'sms'",
    'grant all on sms.* to sms',
  ]
  return {
    pid: server.pid,
    port,
    emptyDatabase: async () =>
      void (await runOwn('mariadb', ['--no-defaults', `--socket=${socket}`, '--user=root', `--execute=${statements.join(';')}`])), // prettier-ignore
    async stop() {
      await server.stop()
      await rm(folder, { recursive: true })
    },
  }
}
