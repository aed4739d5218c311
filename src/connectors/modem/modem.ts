import type { ConnectorKind, Link } from '../connector.ts'
import { modemFacts } from './facts.ts'
import { ModemLink } from './link.ts'
import { modemPorts } from './ports/modem-ports.ts'
import { isLiveChange, modemSettings, readSettings } from './settings.ts'
import { identifyModem, tryModem } from './try-modem.ts'

/** A GSM or LTE modem with a SIM, spoken to with AT commands in PDU mode (3GPP TS 27.005, 27.007 and 23.040). */
export const modemKind: ConnectorKind<Link> = {
  kind: modemFacts.kind,
  settings: modemSettings,
  secretNames: ['pin'],
  ownNumbersOnly: true,
  ports: modemPorts,
  createLink(setup, tools, events) {
    const settings = readSettings(setup.settings)
    return new ModemLink({
      tools,
      events,
      settings,
      capabilities: { deliveryReports: settings.encoding.receipts === 'all', ...modemFacts.carries },
      pin: setup.secrets['pin'] ?? null,
      reread: (given) => (isLiveChange(setup.settings, given) ? readSettings(given) : null),
    })
  },
  runsOn: ({ node = '' }) => node || null,
  identify: (setup, tools, node) => identifyModem(readSettings(setup.settings), tools, node),
  tryOut: (setup, tools) => tryModem(readSettings(setup.settings), tools, setup.secrets['pin'] !== undefined),
}
