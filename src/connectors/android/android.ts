import type { ConnectorKind } from '../connector.ts'
import { Phone } from './phone.ts'
import { androidSettings } from './settings.ts'

/**
 * A phone with the SMSGate app (Android, 1.53.1 and later), for which this service is the server. It
 * registers itself and is not added.
 */
export const androidKind: ConnectorKind<Phone> = {
  kind: 'android',
  settings: androidSettings,
  secretNames: [],
  ownNumbersOnly: true,
  createLink: (setup, tools, events) => new Phone({ tools, events }, setup.settings),
}
