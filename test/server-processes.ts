import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** Returns the processes of the PostgreSQL that runs on this disk, the one that starts the others first; none if it has written no file of itself. */
export async function serverProcesses(databaseDir: string): Promise<number[]> {
  const text = await readFile(join(databaseDir, 'postmaster.pid'), 'utf8').catch(() => '')
  const first = Number(text.split('\n')[0])
  return first > 0 ? [first, ...(await childrenOf(first))] : []
}

/** Returns the processes that name this folder, such as the programs that a Patroni has run for its member. */
export async function processesNaming(folder: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
  const named = await Promise.all(
    pids.map(async (pid) => {
      const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
      return command.split('\0').some((word) => word.includes(folder)) ? [Number(pid)] : []
    }),
  )
  return named.flat()
}

/** The processes that a process has started and that still run. */
async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
  return text
    .split(' ')
    .filter((child) => child !== '')
    .map(Number)
}

/** Kills a process; one that ended by itself since it was listed is gone already. */
export function killIfThere(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
