import { guidePath } from '../../process/guides.ts'
import type { KindFacts } from '../kind-facts.ts'

export const smppFacts: KindFacts = {
  kind: 'smpp',
  label: 'SMPP connection',
  carries: { maxParts: 10, alphanumericSender: true, encodingChoice: true },
  receivesOnly: { setting: 'bind', value: 'receiver' },
  trial: 'Test connection',
  addedByOwners: 'never',
  notAdded:
    'An SMPP link makes this server connect to another one, so only the operator can add it. Give the operator the address, the system ID and the password from your provider.',
  ownerSettings: [],
  usualSettings: ['host', 'port', 'system_id', 'bind', 'window', 'max_per_second', 'tls', 'country'],
  secretFields: {
    password: {
      label: 'Password',
      hint: 'Stored encrypted and never shown again. SMPP 3.4 allows 8 characters.',
    },
  },
  guide: guidePath('smpp-links', 'when-something-is-wrong'),
  remedies: {
    bind_refused:
      'The SMSC rejects the bind. Usually system_id, password or the kind of bind is wrong, or the IP address of this server is not allowed. After a change of settings the link binds immediately, or once reconnect_least_ms has passed.',
    bind_timeout:
      'The SMSC accepted the connection but did not respond to the bind. Check the port and tls: the port may require TLS, or plain TCP.',
    connect_failed:
      'Cannot connect. Check host, port, tls and the firewall, and that the SMSC allows the IP address of this server.',
    invalid_settings:
      'The settings do not allow a connection or a bind. Change them with {onesixty} device set.',
    peer_closed:
      'The SMSC closed the connection; the link reconnects by itself. If this repeats, the IP address of this server may not be allowed, or another client uses the account: ask the carrier.',
    connection_lost:
      'The connection was lost; the link reconnects by itself. If this repeats, check the network and the firewall between this server and the SMSC.',
    peer_unbound:
      'The SMSC ended the session; the link reconnects by itself. If this repeats, ask the carrier whether there is maintenance, or whether there are more sessions than the contract allows.',
    no_enquire_link_answer:
      'The SMSC stopped responding on an open connection; the link reconnects. If this repeats, ask the carrier, and raise enquire_link_timeout_ms if the SMSC is slow.',
    framing_lost:
      'The received data is not SMPP, or is damaged. Check host, port and tls: the port may belong to another service.',
    frame_stalled:
      'The SMSC sent an incomplete PDU; the link reconnects. If this repeats, check the network, and ask the carrier.',
    write_stalled:
      'The SMSC accepts no more data on an open connection; the link reconnects. If this repeats, ask the carrier, and lower window.',
    bind_postponed:
      'The link waits until reconnect_least_ms have passed since its last session, and then binds by itself.',
    throttled:
      'The SMSC throttles the link, or the queues of several recipients are full, so the link has slowed down. If this repeats, set max_per_second to the rate of the contract.',
    receives_only:
      'The link is bound as receiver and sends nothing. To send over it, run {onesixty} device set dev_… --set bind=transceiver, if the contract allows it.',
  },
  testHints: {
    bind_refused: '{onesixty} device test shows the status.',
    bind_timeout: '{onesixty} device test retries.',
    connect_failed: '{onesixty} device test shows what failed.',
    invalid_settings: '{onesixty} device test shows which.',
    peer_closed: '{onesixty} device test shows whether it accepts this server.',
    connection_lost: '{onesixty} device test shows whether it can be reached.',
    framing_lost: '{onesixty} device test shows what is received.',
    bind_postponed: '{onesixty} device test does not wait.',
  },
}
