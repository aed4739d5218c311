import { readdir, readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Roots } from './roots.ts'

/** A program that has a port open. */
export interface Holder {
  pid: number
  /** As the kernel names it: at most 15 letters. */
  program: string
}

export interface Holders {
  /** By the path that was opened, links resolved. */
  byPath: ReadonlyMap<string, readonly Holder[]>
  /** False when programs of other users could not be looked at. */
  isComplete: boolean
}

/** More than a machine with ports runs; those beyond it are not looked at. */
const maxProcesses = 20_000

/** Returns which of these programs, but not this one itself, has which path open. */
export async function findHolders(
  { proc }: Pick<Roots, 'proc'>,
  paths: readonly string[],
  ownPid: number = process.pid,
): Promise<Holders> {
  const wanted = new Set(paths)
  const byPath = new Map<string, Holder[]>()
  const processes = await processesIn(proc)
  let isComplete = processes.length > 0 && processes.length < maxProcesses
  for (const name of processes) {
    if (Number(name) === ownPid) continue
    const opened = await openPaths(join(proc, name, 'fd'))
    if (opened === null) isComplete = false
    for (const path of new Set(opened))
      if (wanted.has(path))
        byPath.set(path, [...(byPath.get(path) ?? []), { pid: Number(name), program: await nameOf(join(proc, name)) }]) // prettier-ignore
  }
  return { byPath, isComplete }
}

/** Returns whether a program of this name runs, as far as this user can see. */
export async function isRunning({ proc }: Pick<Roots, 'proc'>, program: string): Promise<boolean> {
  const names = await Promise.all((await processesIn(proc)).map((name) => nameOf(join(proc, name))))
  return names.includes(program)
}

const processesIn = async (proc: string): Promise<string[]> =>
  (await readdir(proc).catch(() => [])).filter((name) => /^[1-9]\d*$/.test(name)).slice(0, maxProcesses)

/** The files that a process has open; null when this user may not know. One that has ended has none. */
async function openPaths(folder: string): Promise<string[] | null> {
  try {
    const names = await readdir(folder)
    return await Promise.all(names.map((name) => readlink(join(folder, name)).catch(() => '')))
  } catch (error) {
    return ['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '') ? null : []
  }
}

const nameOf = (folder: string): Promise<string> =>
  readFile(join(folder, 'comm'), 'utf8').then(
    (text) => text.trim(),
    () => 'unknown',
  )
