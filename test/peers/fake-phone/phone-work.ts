import { type PullHouse, pullMessages } from './message-pull.ts'
import { syncSettings, syncWebhooks, type SyncHouse } from './phone-sync.ts'
import { UniqueWork, type WorkHouse } from './unique-work.ts'

const dayMs = 86_400_000

/** The jobs of the app with the server of its cloud, of each of which there is one. */
export interface PhoneWork {
  registration: UniqueWork
  pull: UniqueWork
  webhooks: UniqueWork
  settings: UniqueWork
}

export interface PhoneWorkHouse extends WorkHouse {
  all(): PullHouse & SyncHouse
  register(signal: AbortSignal): Promise<void>
}

export function createPhoneWork(house: PhoneWorkHouse): PhoneWork {
  const { all } = house
  const everyMs = (): number => dayMs
  const settings = async (signal: AbortSignal): Promise<void> => {
    await syncSettings(all(), signal)
    all().sender.wake()
  }
  return {
    registration: new UniqueWork(house, { name: 'registration', run: house.register }),
    pull: new UniqueWork(house, {
      name: 'pull',
      run: (signal) => pullMessages(all(), signal),
      everyMs: () => all().knobs().pollEveryMs,
    }),
    webhooks: new UniqueWork(house, {
      name: 'webhooks',
      run: (signal) => syncWebhooks(all(), signal),
      everyMs,
    }),
    settings: new UniqueWork(house, { name: 'settings', run: settings, everyMs }),
  }
}
