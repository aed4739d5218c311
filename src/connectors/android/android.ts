import type { ConnectorKind } from '../connector.ts'
import { localDevices } from './local/local-devices.ts'
import { VisitedPhone } from './local/visited-phone.ts'
import { Phone } from './phone.ts'
import type { VisitPorts } from './ports.ts'
import { androidSettings, readSettings } from './settings.ts'

/**
 * A phone with the SMSGate app (Android, 1.53.1 and later), for which this service is the server. It
 * registers itself and is not added.
 */
export const androidKind: ConnectorKind<Phone> = {
  kind: 'android',
  settings: androidSettings,
  secretNames: ['local_password'],
  ownNumbersOnly: true,
  local: localDevices,
  createLink: (setup, tools, events) => new Phone({ tools, events }, setup.settings),
}

/** Returns the kind with what visits need: its phones with a `local_address` are visited. */
export const visitingKind = (ports: () => VisitPorts): ConnectorKind<Phone> => ({
  ...androidKind,
  createLink: (setup, tools, events) =>
    readSettings(setup.settings).local === null
      ? new Phone({ tools, events }, setup.settings)
      : new VisitedPhone({ tools, events, ports: ports() }, setup),
})
