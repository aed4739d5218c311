import { execFile } from 'node:child_process'
import { appendFile, chown, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { hasCode } from '../../../src/process/durable-file.ts'
import { eventually } from '../../eventually.ts'
import type { PostgresServer } from '../../postgres-server.ts'

/** With owners and rights: the server runs as a user of its own, and refuses a directory that others may read. */
const copy = (from: string, to: string): Promise<unknown> => promisify(execFile)('cp', ['-a', from, to])

/** Copies the disk of a running server as a snapshot of its volume does: of one instant, whatever was under way. */
export async function takeSnapshot(server: PostgresServer, to: string): Promise<void> {
  // The first process starts no others any more.
  const pids = await server.pids()
  try {
    signal(pids, 'SIGSTOP')
    await eventually(
      () => Promise.all(pids.map(isStopped)),
      (stopped) => {
        if (stopped.includes(false)) throw new Error('a process of the server still runs')
      },
    )
    await copy(server.databaseDir, to)
  } finally {
    signal(pids, 'SIGCONT')
  }
}

/** A session may have ended meanwhile. */
function signal(pids: readonly number[], name: NodeJS.Signals): void {
  for (const pid of pids)
    try {
      process.kill(pid, name)
    } catch (error) {
      if (!hasCode(error, 'ESRCH')) throw error
    }
}

/** State T of /proc/<pid>/stat (proc_pid_stat(5)); one that has ended writes nothing either. */
async function isStopped(pid: number): Promise<boolean> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') T')
  return text.slice(text.lastIndexOf(')') + 2).startsWith('T')
}

/** Copies the disk of a server that is stopped for it. */
export async function copyStopped(server: PostgresServer, to: string): Promise<void> {
  await server.halt()
  await copy(server.databaseDir, to)
  await server.restart()
}

/**
 * Makes a base backup with the log that it needs (postgresql.org/docs/18/continuous-archiving.html, "Making a Base Backup Using the Low Level API"), and
 * asks for a recovery from it: what starts on it begins a new timeline. The log ends with the backup, so that no archive is asked.
 */
export async function makeBaseBackup(server: PostgresServer, to: string): Promise<void> {
  const session = new Client({ connectionString: server.url })
  await session.connect()
  try {
    await session.query("select pg_backup_start('proof', true)")
    await takeSnapshot(server, to)
    const { rows } = await session.query<{ labelfile: string }>('select labelfile from pg_backup_stop(false)')
    await rm(join(to, 'pg_wal'), { recursive: true })
    await copy(join(server.databaseDir, 'pg_wal'), to)
    await writeFile(join(to, 'backup_label'), rows[0]?.labelfile ?? '')
    await writeFile(join(to, 'recovery.signal'), '')
    await appendFile(join(to, 'postgresql.auto.conf'), "restore_command = 'false'\n")
    const { uid, gid } = await stat(to)
    for (const name of ['backup_label', 'recovery.signal']) await chown(join(to, name), uid, gid)
  } finally {
    await session.end()
  }
}

/** Puts a copy in the place of the disk of a server that was killed or stopped. */
export async function putBack(server: PostgresServer, from: string): Promise<void> {
  await rm(server.databaseDir, { recursive: true })
  await copy(from, server.databaseDir)
  // Of the server that was copied.
  await rm(join(server.databaseDir, 'postmaster.pid'), { force: true })
}
