import type { KindFacts } from '../kind-facts.ts'

export const smppFacts: KindFacts = {
  kind: 'smpp',
  label: 'SMPP link',
  trial: 'Try the bind',
  addedByOwners: 'never',
  notAdded:
    'A link makes this server connect to another one, so the operator of this server adds it. Give the operator the address, the system id and the password that your provider gave you.',
  ownerSettings: [],
  usualSettings: ['host', 'port', 'system_id', 'bind', 'window', 'max_per_second', 'tls', 'country'],
  secretFields: {
    password: {
      label: 'Password',
      hint: 'Stored encrypted, and never shown again. SMPP 3.4 allows 8 characters.',
    },
  },
  remedies: {
    bind_refused:
      'The SMSC refuses the bind: mostly system_id, password or the kind of bind is wrong, or this machine is not on its list. After a change of settings it binds at once, or when reconnect_least_ms is over.',
    bind_timeout:
      'The SMSC took the connection and did not answer the bind. Look at the port and at tls: it may be a port for TLS, or one without.',
    connect_failed:
      'No connection came about. Look at host, port and tls, at the firewall, and whether the SMSC lets this machine in.',
    invalid_settings:
      'Its settings fit into no bind, or no connection can be made of them. onesixty device set changes them.',
    peer_closed:
      'The SMSC closed the connection, and the link comes back by itself. Again and again: this machine may not be on its list, or another program uses the account: ask the carrier.',
    connection_lost:
      'The connection broke, and the link comes back by itself. Again and again: look at the network and the firewall between here and the SMSC.',
    peer_unbound:
      'The SMSC ended the session, and the link comes back by itself. Again and again: ask the carrier whether it is in maintenance, or counts more sessions than the contract allows.',
    no_enquire_link_answer:
      'The SMSC no longer answers on an open connection, and the link binds anew. Again and again: ask the carrier, and give it more enquire_link_timeout_ms if it is slow.',
    framing_lost:
      'What came is not SMPP, or was damaged. Look at host, port and tls: the port may be that of another service.',
    frame_stalled:
      'The SMSC began to say something and did not end it, and the link binds anew. Again and again: look at the network between, and ask the carrier.',
    write_stalled:
      'The SMSC takes nothing more over an open connection, and the link binds anew. Again and again: ask the carrier, and lower window.',
    bind_postponed:
      'It waits until reconnect_least_ms since its last session have passed, and then binds by itself.',
    throttled:
      'The SMSC says that it is too much, or the queues of several recipients are full, and the link has slowed down. Again and again: set max_per_second to the rate of the contract.',
    receives_only:
      'It is bound only to receive, and carries nothing. To send over it: onesixty device set dev_… --set bind=transceiver, if the contract allows it.',
  },
  testHints: {
    bind_refused: 'onesixty device test says with which status.',
    bind_timeout: 'onesixty device test tries again.',
    connect_failed: 'onesixty device test says what failed.',
    invalid_settings: 'onesixty device test says which.',
    peer_closed: 'onesixty device test tries whether it lets this machine in.',
    connection_lost: 'onesixty device test tries whether there is a way.',
    framing_lost: 'onesixty device test says what comes.',
    bind_postponed: 'onesixty device test does not wait.',
  },
}
