import { readFileSync } from 'node:fs'
import type { ConnectorKind, DeviceSetup, Link } from '../connector.ts'
import type { ConnectorTools } from '../connector-tools.ts'
import { HttpLink } from './link.ts'
import { completeSettings } from './request/build-request.ts'
import { createExchange, type Exchange } from './exchange.ts'
import { declarationOf, httpSettings, readSettings, rulesFor } from './settings.ts'
import { tryAccount } from './try-account.ts'

/**
 * A messaging service that is spoken to over HTTP, as its declaration says (docs/connectors/http-provider.md). One request
 * submits one message; it is repeated only where the provider promises that this is safe.
 */
export const httpKind: ConnectorKind<Link> = {
  kind: 'http',
  settings: httpSettings,
  secretNames: [],
  rulesFor,
  createLink(setup, tools, events) {
    return new HttpLink({ tools, events, exchange: exchangeOf(setup, tools) }, planOf(setup))
  },
  tryOut: (setup, tools) => tryAccount(exchangeOf(setup, tools), tools),
}

const planOf = (setup: DeviceSetup) => {
  const declaration = declarationOf(setup.settings)
  return { declaration, settings: declaration === null ? null : readSettings(setup.settings, declaration) }
}

/** Files are read again for each request, so that a renewed certificate is used. */
function exchangeOf({ settings, secrets }: DeviceSetup, tools: ConnectorTools): Exchange | null {
  const declaration = declarationOf(settings)
  if (declaration === null) return null
  const { caFile, timeoutMs, trace } = readSettings(settings, declaration)
  return createExchange(
    { tools, timeoutMs, trace, readCa: () => (caFile === null ? null : readFileSync(caFile, 'utf8')) },
    { declaration, settings: completeSettings(declaration, settings), secrets },
  )
}
