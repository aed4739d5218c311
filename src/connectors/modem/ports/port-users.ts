import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Roots } from './roots.ts'

/** Who opens a port. */
export interface PortUser {
  uid: number
  /** All of its groups. */
  gids: readonly number[]
}

/** The user of this process. */
export const ownUser = (): PortUser => ({
  uid: process.getuid?.() ?? 0,
  gids: [...(process.getgroups?.() ?? []), process.getgid?.() ?? 0],
})

/** Returns a user with its groups, from the files passwd and group; directories of a network are not asked. */
export async function userById({ etc }: Pick<Roots, 'etc'>, uid: number): Promise<PortUser> {
  const own = (await rows(etc, 'passwd')).find((row) => row[2] === String(uid))
  const name = own?.[0]
  const joined = (await rows(etc, 'group')).filter((row) => (row[3] ?? '').split(',').includes(name ?? ''))
  return {
    uid,
    gids: [own?.[3], ...(name === undefined ? [] : joined.map((row) => row[2]))].flatMap((gid) =>
      gid !== undefined && /^\d+$/.test(gid) ? [Number(gid)] : [],
    ),
  }
}

/** Returns the name of a group, or its number. */
export async function groupName({ etc }: Pick<Roots, 'etc'>, gid: number): Promise<string> {
  return (await rows(etc, 'group')).find((row) => row[2] === String(gid))?.[0] ?? String(gid)
}

/** Returns whether a user can read and write a file with these permissions. */
export function mayOpen(file: { mode: number; uid: number; gid: number }, user: PortUser): boolean {
  if (user.uid === 0) return true
  const both = 0o6
  const shift = file.uid === user.uid ? 6 : user.gids.includes(file.gid) ? 3 : 0
  return ((file.mode >> shift) & both) === both
}

const rows = async (etc: string, name: string): Promise<string[][]> =>
  (await readFile(join(etc, name), 'utf8').catch(() => '')).split('\n').map((line) => line.split(':'))
