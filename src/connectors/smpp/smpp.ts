import { readFileSync } from 'node:fs'
import type { ConnectorKind, DeviceSetup, Link } from '../connector.ts'
import type { ConnectorTools } from '../connector-tools.ts'
import { classify } from '../../smpp/values/command-status-class.ts'
import { describePdu } from '../../smpp/values/describe-pdu.ts'
import { smppFacts } from './facts.ts'
import { createIncoming } from './receive/incoming.ts'
import { KnownIds } from './receive/known-ids.ts'
import type { LinkPlan, Replan } from './link-plan.ts'
import { SmppLink } from './link.ts'
import { isLiveChange } from './settings/live-settings.ts'
import { submittedId } from '../../smpp/values/message-id.ts'
import { type OpenSocket, socketTo, type TlsSettings } from '../../smpp/session/open-socket.ts'
import { defaultReconnectPolicy } from './session/reconnect-policy.ts'
import { References } from '../../sms/references.ts'
import { readSettings, type SmppSettings, smppSettings, type TlsFiles } from './settings/settings.ts'
import { validityPeriod } from '../../smpp/values/validity-period.ts'
import { submitParts } from './submit/submit-parts.ts'
import { tryBind } from './session/try-bind.ts'
import { createUnparsed } from './receive/unparsed.ts'

/**
 * An SMSC of a carrier or aggregator, with this service as the ESME: SMPP 3.4, and 5.0 where offered (SMPP
 * v3.4 Issue 1.2; SMPP v5.0).
 */
export const smppKind: ConnectorKind<Link> = {
  kind: 'smpp',
  settings: smppSettings,
  secretNames: ['password'],
  requiredSecrets: ['password'],
  createLink(setup, tools, events) {
    const settings = readSettings(setup.settings)
    const { messageIds, message } = settings
    const ids = new KnownIds(tools)
    const unparsed = createUnparsed(tools)
    const store = createIncoming({
      events,
      tools,
      unparsed,
      ids: messageIds,
      receipts: settings.receipts,
      receiptsPer: settings.receiptsPer,
      packing: message.gsmPacking,
      alphabet: settings.inboundAlphabet,
      known: ids,
    })
    // They continue after a change: a reference that is reused too soon would join parts of two messages.
    const references = new References(tools.random())
    const replan: Replan = (given) =>
      isLiveChange(setup.settings, given) ? planOf(setup, readSettings(given), { tools, references }) : null
    return new SmppLink(
      { tools, events, ids, unparsed, store, replan, open: openSocketOf(settings) },
      planOf(setup, settings, { tools, references }),
    )
  },
  tryOut(setup, tools) {
    const settings = readSettings(setup.settings)
    const { bind, session } = planOf(setup, settings, { tools, references: new References(0) })
    return tryBind(openSocketOf(settings), tools, {
      ...session,
      bindAs: bind === 'pair' ? 'transmitter' : bind,
    })
  },
}

function planOf(
  setup: DeviceSetup,
  settings: SmppSettings,
  { tools, references }: { tools: ConnectorTools; references: References },
): LinkPlan {
  const { message, limits, login, reconnect, statusOverrides, messageIds } = settings
  return {
    bind: settings.bindAs,
    sessions: settings.sessions,
    maxPerSecond: settings.maxPerSecond,
    receipts: message.receipts,
    session: { ...limits, bind: { ...login, password: setup.secrets['password'] ?? '' } },
    reconnect: { ...defaultReconnectPolicy, ...reconnect },
    capabilities: {
      deliveryReports: message.receipts === 'all',
      ...smppFacts.carries,
      ...(settings.bindAs === 'receiver' && { receivesOnly: true }),
    },
    trace: settings.trace ? (pdu) => describePdu(pdu, settings.receipts) : null,
    classify: (status) => classify(status, statusOverrides),
    canonicalId: (messageId) => submittedId(messageId, messageIds),
    partsOf: (submission) =>
      submitParts(submission, message, () => references.next(submission.to), tools.now()),
    validityPeriod: (seconds) => validityPeriod(message.validity, seconds, tools.now()),
  }
}

/** Files are read again for each session, so that a renewed certificate is used. */
const openSocketOf =
  ({ host, port, tls }: SmppSettings): OpenSocket =>
  (ready) =>
    socketTo({ host, port, tls: tls === null ? null : readTls(tls) })(ready)

function readTls({ verify, serverName, caFile, certFile, keyFile }: TlsFiles): TlsSettings {
  const read = (path: string): string => readFileSync(path, 'utf8')
  return {
    verify,
    ...(serverName === null ? {} : { servername: serverName }),
    ...(caFile === null ? {} : { ca: read(caFile) }),
    ...(certFile === null ? {} : { cert: read(certFile) }),
    ...(keyFile === null ? {} : { key: read(keyFile) }),
  }
}
