/** What a person can do about a reason that a device gives for its state. The list of reasons is open: those that explain themselves stand nowhere. */
const remedies: Readonly<Record<string, string>> = {
  push_only:
    'The phone waits for Google push, which only the makers of the app can send, and asks by itself every 15 minutes only. In the app: Settings, Cloud Server, Notification channel: SSE Only; then switch the server off and on.',
  contact_late:
    'The phone should have asked by now: the app sleeps. Take it out of battery optimisation, and choose Notification channel: SSE Only.',
  stream_lost:
    'The event stream ended or went silent, and the phone is not back. Look at its Wi-Fi or mobile data, and at the time-outs of the proxy in front of this service.',
  no_contact: 'The phone was not heard for long. Is it on, online, and the app running with its server on?',
  no_sim:
    'The app sees no SIM. Put one in, and let the app read the state of the phone (Android settings, permission Phone).',
  repeated_failures:
    'Message after message fails on it. Other devices carry what they can in its place; it is tried with one message at a time, and any onesixty device set ends that. Of a phone look at credit, signal and SMS permission, and whether Android asks on its screen to allow many messages.',
  receives_nothing:
    'It sends, and hands on nothing of what it receives, STOP among it: it is told an address of its own machine. Set ONESIXTY_PUBLIC_URL to the address that the phone has to use, and restart the server.',
  battery_low: 'The battery is nearly empty. Connect the charger.',
  clock_skew: "The phone's clock is wrong by more than a minute: let it set its time by the network.",
  app_outdated: 'The app is older than 1.53.1, the oldest that this service knows. Install a newer one.',
  draining: 'It was told to take nothing new, and ends what it holds. Resume it to let it send again.',
  rate_limited:
    'It has sent all that its pace allows; the rest goes when the window ends. onesixty device set changes the pace.',
  limit_reached:
    'Android let no more messages out, and gets none for a while. Lower the pace of the device, or raise the limit on the phone (docs/connectors/android.md, Pace); any onesixty device set ends the wait.',
  repeated_unknown:
    'Several messages in a row got no clear answer. It is tried again carefully; look at the device itself.',
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
}

/** What `onesixty device test` adds to a reason: that is said everywhere but by the test itself. */
const testSays: Readonly<Record<string, string>> = {
  bind_refused: 'onesixty device test says with which status.',
  bind_timeout: 'onesixty device test tries again.',
  connect_failed: 'onesixty device test says what failed.',
  invalid_settings: 'onesixty device test says which.',
  peer_closed: 'onesixty device test tries whether it lets this machine in.',
  connection_lost: 'onesixty device test tries whether there is a way.',
  framing_lost: 'onesixty device test says what comes.',
  bind_postponed: 'onesixty device test does not wait.',
}

/** What to do, some sentences for each reason that has a remedy; `byTest` when the test of the device says so itself. */
export const remediesOf = (reasons: readonly string[], { byTest = false } = {}): string[] =>
  reasons.flatMap((reason) => {
    const remedy = Object.hasOwn(remedies, reason) ? remedies[reason] : undefined
    const test = byTest ? undefined : testSays[reason]
    return remedy === undefined ? [] : [`${reason}: ${remedy}${test === undefined ? '' : ` ${test}`}`]
  })

/** Every reason with a remedy, for the pages that explain them. */
export const explainedReasons: readonly string[] = Object.keys(remedies)
