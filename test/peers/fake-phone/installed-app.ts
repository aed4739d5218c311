import type { Random } from '../seeded-random.ts'
import { Inbox, type ReceivedSms } from './inbox.ts'
import { MessageStore } from './message-store.ts'
import type { PhoneApi, Registration } from './phone-api.ts'
import type { PhoneKnobs } from './phone-knobs.ts'
import type { NoteRecord, PhoneLog } from './phone-log.ts'
import type { PhoneNetwork } from './phone-network.ts'
import { freshSettings, type PhoneSettings } from './phone-settings.ts'
import type { PhoneTime } from './phone-time.ts'
import { describeChange } from './phone-webhook-payloads.ts'
import { SmsSender } from './sms-sender.ts'
import { StateReports } from './state-reports.ts'
import { randomId, type Webhook, WebhookQueue } from './webhook-queue.ts'

export interface AppHouse {
  phone: number
  log: PhoneLog
  api: PhoneApi
  knobs(): PhoneKnobs
  network: PhoneNetwork
  time: PhoneTime
  random: Random
  note(what: NoteRecord['what'], detail: NoteRecord['detail']): void
}

/** What the app keeps in its preferences. */
export interface AppMemory {
  registration: Registration | null
  readonly pushToken: string
  settings: PhoneSettings
  /** As after the installation. */
  readonly firstSettings: PhoneSettings
  webhooks: readonly Webhook[]
}

/** All that goes when the app is removed. */
export interface InstalledApp {
  memory: AppMemory
  store: MessageStore
  sender: SmsSender
  reports: StateReports
  queue: WebhookQueue
  inbox: Inbox
  /** Of its Local Server: drawn at random unless the user has typed one. */
  localPassword: string
}

/** A fresh installation; with a foreign token it comes from another server. The SMS are those that Android keeps, not the app. */
export function installApp(
  house: AppHouse,
  hasForeignToken: boolean,
  keptSms: ReceivedSms[] = [],
): InstalledApp {
  const { knobs, random, time } = house
  const settings = freshSettings(randomId(random, 8))
  const foreign = { id: randomId(random, 21), token: randomId(random, 21), login: 'ABCDEF' }
  const memory: AppMemory = {
    registration: hasForeignToken ? foreign : null,
    pushToken: randomId(random, 60),
    settings,
    firstSettings: settings,
    webhooks: [],
  }
  const kept = {
    registration: () => memory.registration,
    settings: () => memory.settings,
    webhooks: () => memory.webhooks,
  }
  const localPassword = knobs().localPassword ?? randomId(random, 8)
  const queue = new WebhookQueue({ ...house, ...kept })
  const store = new MessageStore({
    now: time.now,
    changed(message, recipient) {
      if (message.source === 'Cloud') reports.report(message.id)
      const change = describeChange(knobs(), message, recipient, time.now())
      if (change !== null) queue.emit(change.event, change.payload)
    },
  })
  const reports = new StateReports({ ...house, ...kept, store })
  const sender = new SmsSender({ ...house, ...kept, store })
  return {
    memory,
    store,
    sender,
    reports,
    queue,
    localPassword,
    inbox: new Inbox({ ...house, queue }, keptSms),
  }
}
