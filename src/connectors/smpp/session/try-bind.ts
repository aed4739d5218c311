import type { ConnectorTools, Trial } from '../../connector-tools.ts'
import type { OpenSocket } from '../../../smpp/session/open-socket.ts'
import { commandStatus } from '../../../smpp/codec/pdu.ts'
import { sayStatus } from '../../../smpp/values/status-name.ts'
import type { SessionEnd } from './session-events.ts'
import type { SessionSettings } from './session-settings.ts'
import { Session } from './session.ts'

/**
 * Binds once and unbinds immediately, to check whether the SMSC accepts the connection. Submits nothing;
 * deliveries of the SMSC meanwhile are rejected temporarily, so that they arrive again over the link. Always
 * settles, within the timeouts of the session.
 */
export async function tryBind(
  open: OpenSocket,
  tools: ConnectorTools,
  settings: SessionSettings,
): Promise<Trial> {
  const session = new Session(
    {
      tools,
      open,
      events: {
        store: async () => {
          throw new Error('a connection test stores nothing')
        },
        late: () => undefined,
        room: () => undefined,
        odd: () => undefined,
      },
    },
    settings,
  )
  const bound = await session.open()
  if (bound.kind === 'failed')
    return { ok: false, summary: describeFailure(bound.end), remedy: remedyFor(bound.end) }
  await session.unbind()
  const name = bound.systemId === '' ? 'The SMSC' : `The SMSC (${bound.systemId})`
  return { ok: true, summary: `${name} accepted the bind.`, remedy: null }
}

const describeFailure = (end: SessionEnd): string =>
  end.kind === 'bind_refused'
    ? `The SMSC rejected the bind with ${sayStatus(end.status)}.`
    : `The bind failed: ${end.detail}.`

const remedyOfStatus: Readonly<Record<number, string>> = {
  [commandStatus.ESME_RINVPASWD]: 'The password is wrong: {onesixty} device set --password-stdin.',
  [commandStatus.ESME_RINVSYSID]: 'The system_id is wrong, or the account is closed at the SMSC.',
  [commandStatus.ESME_RALYBND]:
    'The account is already bound: an old session may still exist, another client may use the account, or `sessions` exceeds the contract.',
  [commandStatus.ESME_RBINDFAIL]:
    'Ask the carrier: usually the IP address of this server is not allowed, or the kind of `bind` is not.',
  [commandStatus.ESME_RINVSYSTYP]: 'The system_type is wrong.',
}

/** Returns what to do, by what failed: name, connection, TLS, bind. */
function remedyFor(end: SessionEnd): string {
  if (end.kind === 'bind_refused')
    return remedyOfStatus[end.status] ?? 'Ask the carrier what this status means.'
  if (end.kind === 'bind_timeout')
    return 'The SMSC accepted the connection and did not respond: the port may require TLS (or plain TCP), or not be SMPP at all.'
  if (end.kind === 'invalid_settings') return 'Check the settings: they do not allow a bind.'
  const { detail } = end
  if (/ENOTFOUND|EAI_AGAIN|getaddrinfo/i.test(detail))
    return 'Unknown host name: check `host`, and the DNS of this server.'
  if (/ECONNREFUSED/i.test(detail)) return 'Connection refused: check `host` and `port`.'
  if (/EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|no connection in time/i.test(detail))
    return 'The SMSC cannot be reached: check the firewall and the VPN, and that the SMSC allows the IP address of this server.'
  if (/certificate|self.signed|altname|CERT_|UNABLE_TO/i.test(detail))
    return 'The certificate is not trusted, or is for another name. Set `tls_ca_file` or `tls_server_name`; never use `tls_verify=off` over the Internet.'
  if (/SSL|TLS|EPROTO|wrong version/i.test(detail)) return 'Only one side uses TLS: change `tls` or `port`.'
  return 'The SMSC closed the connection before the bind: usually the IP address of this server is not allowed, or the port is wrong.'
}
