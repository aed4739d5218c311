import type { Trial } from '../../connector.ts'
import type { ConnectorTools } from '../../connector-tools.ts'
import type { OpenSocket } from '../../../smpp/session/open-socket.ts'
import { commandStatus } from '../../../smpp/codec/pdu.ts'
import { sayStatus } from '../../../smpp/values/status-name.ts'
import type { SessionEnd } from './session-events.ts'
import type { SessionSettings } from './session-settings.ts'
import { Session } from './session.ts'

/**
 * Binds once and unbinds at once, to see whether the SMSC lets us in. Submits nothing; what the SMSC delivers meanwhile is answered with "not
 * now", so that it comes again over the link. Always settles, within the time-outs of the session.
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
          throw new Error('a trial keeps nothing')
        },
        late: () => undefined,
        room: () => undefined,
        odd: () => undefined,
      },
    },
    settings,
  )
  const bound = await session.open()
  if (bound.kind === 'failed') return { ok: false, says: sayFailure(bound.end), remedy: remedyFor(bound.end) }
  await session.unbind()
  const name = bound.systemId === '' ? 'The SMSC' : `The SMSC (${bound.systemId})`
  return { ok: true, says: `${name} let us in, and was left again.`, remedy: null }
}

const sayFailure = (end: SessionEnd): string =>
  end.kind === 'bind_refused'
    ? `The SMSC refused the bind with ${sayStatus(end.status)}.`
    : `The bind failed: ${end.detail}.`

const remedyOfStatus: Readonly<Record<number, string>> = {
  [commandStatus.ESME_RINVPASWD]: 'The password is wrong: onesixty device set --password-stdin.',
  [commandStatus.ESME_RINVSYSID]: 'The system_id is wrong, or the account is closed there.',
  [commandStatus.ESME_RALYBND]:
    'It says that the account is bound already: an old session may last a while, another program may use it, or `sessions` is more than the contract allows.',
  [commandStatus.ESME_RBINDFAIL]:
    'Ask the carrier: mostly the address of this machine is not on its list, or `bind` is a kind that it does not allow.',
  [commandStatus.ESME_RINVSYSTYP]: 'The system_type is wrong.',
}

/** What to do, by what went wrong on the way: name, connection, TLS, bind. */
function remedyFor(end: SessionEnd): string {
  if (end.kind === 'bind_refused')
    return remedyOfStatus[end.status] ?? 'Ask the carrier what this status means there.'
  if (end.kind === 'bind_timeout')
    return 'It took the connection and did not answer: the port may be one for TLS (or the other way round), or not SMPP at all.'
  if (end.kind === 'invalid_settings') return 'Look at the settings: they fit into no bind.'
  const { detail } = end
  if (/ENOTFOUND|EAI_AGAIN|getaddrinfo/i.test(detail))
    return 'The name is not known: look at `host`, and at the DNS of this machine.'
  if (/ECONNREFUSED/i.test(detail)) return 'Nothing listens there: look at `host` and `port`.'
  if (/EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|no connection in time/i.test(detail))
    return 'No way leads there: a firewall, a VPN that is down, or this machine is not on the list of the SMSC.'
  if (/certificate|self.signed|altname|CERT_|UNABLE_TO/i.test(detail))
    return 'The certificate is not trusted, or for another name: `tls_ca_file`, `tls_server_name`; never `tls_verify=off` over the open Internet.'
  if (/SSL|TLS|EPROTO|wrong version/i.test(detail))
    return 'One side speaks TLS and the other does not: `tls`, or the other port.'
  return 'It ended the connection before the bind: mostly the address of this machine is not on its list, or the port is the wrong one.'
}
