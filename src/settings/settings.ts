import { accountSettings } from './account-settings.ts'
import { alertSettings } from './alert-settings.ts'
import { consoleSettings } from './console-settings.ts'
import { deviceSettings } from './device-settings.ts'
import { guardSettings } from './guard-settings.ts'
import { inboundSettings } from './inbound-settings.ts'
import { requestSettings } from './request-settings.ts'
import { retentionSettings } from './retention-settings.ts'
import { serverSettings } from './server-settings.ts'
import { storageSettings } from './storage-settings.ts'
import { webhookSettings } from './webhook-settings.ts'

/** Every setting by its name in the code; `config.ts` reads them. */
export const settings = {
  ...serverSettings,
  ...storageSettings,
  ...accountSettings,
  ...requestSettings,
  ...guardSettings,
  ...deviceSettings,
  ...inboundSettings,
  ...webhookSettings,
  ...consoleSettings,
  ...alertSettings,
  ...retentionSettings,
} as const

/** The same by subject, in the order of the documentation. */
export const settingGroups = [
  { title: 'The server', settings: serverSettings },
  { title: 'The database, and several nodes', settings: storageSettings },
  { title: 'Accounts', settings: accountSettings },
  { title: 'Requests', settings: requestSettings },
  { title: 'The guard against abuse', settings: guardSettings },
  { title: 'Sending devices and receipts', settings: deviceSettings },
  { title: 'Received messages and opt-outs', settings: inboundSettings },
  { title: 'Webhooks', settings: webhookSettings },
  { title: 'The console and its people', settings: consoleSettings },
  { title: 'Alerts by mail', settings: alertSettings },
  { title: 'How long things are kept', settings: retentionSettings },
] as const
