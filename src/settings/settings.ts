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

/** Every setting by its name in the code; read by `config.ts`. */
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

/** The same settings by subject, in the order of the documentation. */
export const settingGroups = [
  { title: 'Server', settings: serverSettings },
  { title: 'Database and nodes', settings: storageSettings },
  { title: 'Accounts', settings: accountSettings },
  { title: 'Requests', settings: requestSettings },
  { title: 'Protection against abuse', settings: guardSettings },
  { title: 'Devices and receipts', settings: deviceSettings },
  { title: 'Received messages and opt-outs', settings: inboundSettings },
  { title: 'Webhooks', settings: webhookSettings },
  { title: 'Console and users', settings: consoleSettings },
  { title: 'Alerts by e-mail', settings: alertSettings },
  { title: 'Retention', settings: retentionSettings },
] as const
