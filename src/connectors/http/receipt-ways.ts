import type { ConnectorEvents } from '../connector.ts'
import type { ConnectorTools } from '../connector-tools.ts'
import type { Declaration } from './declaration/declaration.ts'
import type { Exchange } from './exchange.ts'
import { pausesBesideCalls, pollPauses, ReceiptPolls } from './receipt-polls.ts'
import type { HttpSettings } from './settings.ts'

interface Ways {
  byCallback: boolean
  byLookup: boolean
}

/** How receipts arrive: by callbacks where this server can be called, by look-ups, both or not at all. */
function waysOf(declaration: Declaration, { status }: HttpSettings, tools: ConnectorTools): Ways {
  const canCall = declaration.status !== undefined && tools.callbackUrls !== undefined
  const canAsk = declaration.lookup?.by_id !== undefined
  return {
    byCallback: canCall && ['auto', 'both', 'callback'].includes(status),
    byLookup: canAsk && ['auto', 'both', 'poll'].includes(status),
  }
}

/** Returns whether receipts arrive at all. */
export const hasReceipts = (
  declaration: Declaration,
  settings: HttpSettings,
  tools: ConnectorTools,
): boolean => {
  const { byCallback, byLookup } = waysOf(declaration, settings, tools)
  return byCallback || byLookup
}

/** Returns whether the provider calls this process about each message. */
export const isCalled = (declaration: Declaration, settings: HttpSettings, tools: ConnectorTools): boolean =>
  waysOf(declaration, settings, tools).byCallback && tools.callsGoElsewhere !== true

/**
 * Creates the look-ups of a link; null where there are none. Next to callbacks each message is looked up once, in case its
 * call was lost.
 */
export function createPolls(
  { tools, events }: { tools: ConnectorTools; events: Pick<ConnectorEvents, 'receipt'> },
  exchange: Exchange,
  settings: HttpSettings,
): ReceiptPolls | null {
  const { byCallback, byLookup } = waysOf(exchange.declaration, settings, tools)
  if (!byLookup) return null
  const isBesideCalls = byCallback && settings.status === 'auto'
  const pauses = isBesideCalls ? pausesBesideCalls : pollPauses
  return new ReceiptPolls({ tools, events, exchange, pauses, isOnlyWay: !isBesideCalls })
}
