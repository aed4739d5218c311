import type { Place } from '../../api/call.ts'

/**
 * The ID of the last private token that this browser created for an owner, over reloads: the next one replaces it, unless a
 * phone has used it. The token itself is kept nowhere.
 */
const nameOf = ({ accountId, mode }: Place, isShared: boolean): string =>
  `invitation ${isShared ? 'shared' : accountId} ${mode}`

export function formerInvitation(place: Place, isShared: boolean): { former?: string } {
  const former = localStorage.getItem(nameOf(place, isShared))
  return former === null ? {} : { former }
}

export const keepInvitation = (place: Place, isShared: boolean, tokenId: string): void =>
  localStorage.setItem(nameOf(place, isShared), tokenId)
