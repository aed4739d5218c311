import type { FoundPort } from '../../connector-tools.ts'
import type { Holder } from './holders.ts'
import { groupName, mayOpen, type PortUser } from './port-users.ts'
import type { Roots } from './roots.ts'

/** Says that other programs have a port open. */
export function heldFault(heldBy: readonly Holder[]): FoundPort['faults'] {
  const held = heldBy.map(({ program, pid }) => `${program} (process ${pid})`).join(', ')
  return held === '' ? [] : [{ reason: 'port_in_use', detail: `It is open in ${held}.` }]
}

/** Says that a user cannot open a port, and which group can. */
export async function accessFault(
  roots: Pick<Roots, 'etc'>,
  file: { mode: number; uid: number; gid: number },
  user: PortUser,
): Promise<FoundPort['faults']> {
  if (mayOpen(file, user)) return []
  const group = await groupName(roots, file.gid)
  const isOfGroup = (file.mode & 0o060) === 0o060
  const may = isOfGroup ? `Only the group ${group} can use it` : 'Only its owner can use it'
  const detail = isOfGroup
    ? `${may}, and user ${user.uid} is not in it.`
    : `${may}, which user ${user.uid} is not.`
  return [{ reason: 'port_denied', detail }]
}
