import type { AppMemory } from './installed-app.ts'
import type { PhoneApi } from './phone-api.ts'
import type { PhoneKnobs } from './phone-knobs.ts'
import { importSettings } from './phone-settings.ts'
import { readWebhooks } from './webhook-queue.ts'

export interface SyncHouse {
  api: PhoneApi
  knobs(): PhoneKnobs
  memory: AppMemory
}

/** Puts the server's list of webhooks in the place of the phone's. */
export async function syncWebhooks(house: SyncHouse, signal: AbortSignal): Promise<void> {
  const answer = await read(house, '/webhooks', signal)
  if (answer !== undefined) house.memory.webhooks = readWebhooks(answer, house.knobs().appVersion)
}

/** Takes in the settings that the server pushes. */
export async function syncSettings({ memory, ...house }: SyncHouse, signal: AbortSignal): Promise<void> {
  const answer = await read({ memory, ...house }, '/settings', signal)
  if (answer !== undefined) memory.settings = importSettings(memory.settings, answer, memory.firstSettings)
}

/** Without a registration nothing is asked, and that is a success. */
async function read({ api, memory }: SyncHouse, path: string, signal: AbortSignal): Promise<unknown> {
  if (memory.registration === null) return undefined
  const authorization = `Bearer ${memory.registration.token}`
  return api.read({ method: 'GET', path, authorization, signal })
}
