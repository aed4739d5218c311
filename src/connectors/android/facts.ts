import type { KindFacts } from '../kind-facts.ts'

export const androidFacts: KindFacts = {
  kind: 'android',
  label: 'Android',
  isPhone: true,
  addedByOwners: 'always',
  ownerSettings: 'all',
  usualSettings: ['sim_selection', 'country'],
  controlledSettings: ['sim_1_number', 'sim_2_number', 'sim_3_number'],
  remedies: {
    push_only:
      'The phone waits for Google push, which only the makers of the app can send, and asks by itself every 15 minutes only. In the app: Settings, Cloud Server, Notification channel: SSE Only; then switch the server off and on.',
    contact_late:
      'The phone should have asked by now: the app sleeps. Take it out of battery optimisation, and choose Notification channel: SSE Only.',
    stream_lost:
      'The event stream ended or went silent, and the phone is not back. Look at its Wi-Fi or mobile data, and at the time-outs of the proxy in front of this service.',
    no_contact: 'The phone was not heard for long. Is it on, online, and the app running with its server on?',
    no_sim:
      'The app sees no SIM. Put one in, and let the app read the state of the phone (Android settings, permission Phone).',
    receives_nothing:
      'It sends, and hands on nothing of what it receives, STOP among it: it is told an address of its own machine. Set ONESIXTY_PUBLIC_URL to the address that the phone has to use, and restart the server.',
    battery_low: 'The battery is nearly empty. Connect the charger.',
    clock_skew: "The phone's clock is wrong by more than a minute: let it set its time by the network.",
    app_outdated: 'The app is older than 1.53.1, the oldest that this service knows. Install a newer one.',
    limit_reached:
      'Android let no more messages out, and gets none for a while. Lower the pace of the device, or raise the limit on the phone (docs/connectors/android.md, Pace); any onesixty device set ends the wait.',
  },
}
