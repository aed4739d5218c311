import { readFileOrRefuse } from '../core/read-secrets.ts'

/** Options that choose the declaration of a messaging service. */
export const providerOptions = {
  provider: {
    type: 'text',
    value: 'NAME',
    summary: 'A messaging service that comes with the program: provider list.',
  },
  declaration: { type: 'text', value: 'FILE', summary: 'A declaration of your own, in JSON.' },
} as const

/** Returns the settings of these options; one of them ends the other. */
export async function providerSettings(given: {
  provider?: string | undefined
  declaration?: string | undefined
}): Promise<Record<string, string>> {
  return {
    ...(given.provider !== undefined && { provider: given.provider }),
    ...(given.declaration !== undefined && { declaration: await readFileOrRefuse(given.declaration) }),
  }
}

/** Returns the same for a device that has one of them: the other one is reset. */
export const changedProvider = async (
  given: Parameters<typeof providerSettings>[0],
): Promise<Record<string, string | null>> => ({
  ...(given.provider !== undefined && { declaration: null }),
  ...(given.declaration !== undefined && { provider: null }),
  ...(await providerSettings(given)),
})

/** Returns the value of `--provider` among words that are not parsed yet. */
export function namedProvider(words: readonly string[]): string | null {
  const at = words.findIndex((word) => word === '--provider' || word.startsWith('--provider='))
  const word = words[at]
  return word === undefined
    ? null
    : word.includes('=')
      ? word.slice('--provider='.length)
      : (words[at + 1] ?? null)
}
