/** What can be profiled. */
export const profileNames = [
  'accept',
  'accept-many',
  'life',
  'life-many',
  'smpp-life',
  'smpp-life-many',
  'accept-postgres',
  'life-postgres',
  'life-many-postgres',
  'history',
  'history-of-a-number',
  'changed-since',
  'status',
  'phones',
  'console-streams',
] as const

export type ProfileName = (typeof profileNames)[number]

/** Reads `accept,life`, or `all`. Refuses other names. */
export function readProfileNames(text: string): readonly ProfileName[] {
  if (text === 'all') return profileNames
  return text.split(',').map((given) => {
    const name = profileNames.find((one) => one === given)
    if (name === undefined)
      throw new Error(`--profile knows all, ${profileNames.join(', ')}; it was '${given}'.`)
    return name
  })
}
