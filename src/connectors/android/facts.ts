import { guidePath } from '../../process/guides.ts'
import type { KindFacts } from '../kind-facts.ts'
import { appCarries } from './app-version.ts'
import { sendResults } from './send-results.ts'

export const androidFacts: KindFacts = {
  kind: 'android',
  label: 'Android phone',
  isPhone: true,
  carries: appCarries,
  addedByOwners: 'always',
  ownerSettings: [
    'sim_1_number',
    'sim_2_number',
    'sim_3_number',
    'country',
    'sim_selection',
    'page',
    'ping_interval_s',
    'keep_alive_s',
    'wake_interval_ms',
    'wake_answer_s',
    'probe_after_s',
    'drain_s',
    'resync_after_s',
    'limit_rest_min',
    'late_after_min',
    'offline_after_min',
    'visit_ms',
    'visit_idle_s',
    'inbox_days',
  ],
  usualSettings: ['sim_selection', 'country'],
  secretFields: {
    local_password: {
      label: 'Password of the Local Server',
      hint: 'Only for a phone that onesixty visits. Stored encrypted and never shown again.',
    },
  },
  controlledSettings: ['sim_1_number', 'sim_2_number', 'sim_3_number'],
  results: Object.fromEntries(Object.entries(sendResults).map(([name, { summary }]) => [name, summary])),
  guide: guidePath('phones', 'trouble'),
  remedies: {
    push_only:
      "The app uses Google push, which only the app's developers can send, and otherwise polls only every 15 minutes. In the app, set Settings, Cloud Server, Notification channel to SSE Only; then switch the server off and on.",
    contact_late:
      'The phone should have polled by now; the app is probably asleep. Exclude it from battery optimisation, and set Notification channel to SSE Only.',
    stream_lost:
      'The event stream was lost, and the phone has not reconnected. Check its Wi-Fi or mobile data, and the timeouts of the proxy in front of this service.',
    no_contact:
      'The phone has not made contact for a long time. Check that it is on and online, and that the app runs with its server switched on.',
    no_sim:
      'The app sees no SIM. Insert one, and grant the app the permission Phone in the Android settings.',
    receives_nothing:
      'The phone sends, but cannot forward received messages (including STOP): its configured address points to the phone itself. Set ONESIXTY_PUBLIC_URL to the address that phones must use, and restart the server.',
    hook_address_differs:
      'The phone reaches this server by another host than the one that it has for received messages, and none has arrived: received messages, STOP and the battery may be lost. Set ONESIXTY_PUBLIC_URL to the address that is entered in the app, and restart the server.',
    hooks_silent:
      'The phone has reported no event for two hours: neither a ping, nor a received or sent message. Restart the app, since pings begin at its start. If that does not help, it cannot reach its address for received messages: {onesixty} doctor tries it.',
    certificate_ending:
      'The certificate with which the phone connects ends within 30 days and was not renewed: the log of the server says why. {onesixty} certificate status shows the date, and {onesixty} certificate for-phones requests a new one, with --own by a root of your own. After its end the phone cannot connect.',
    battery_low: 'The battery is low. Connect the charger.',
    clock_skew: "The phone's clock is off by more than a minute. Enable network time on the phone.",
    unreachable:
      'The phone did not answer at its address. It may be off, asleep, in another network or under another address; guest networks and access points may isolate devices. Check that the Local Server of the app is on, and compare the address that the app shows; {onesixty} device find lists phones, and {onesixty} device set dev_… --set local_address=… changes it.',
    wrong_password:
      'The phone rejects the password: was the app reinstalled, its data cleared or its password changed? Enter the new one with {onesixty} device connect dev_… --local ADDRESS. Until then nothing is submitted to it.',
    another_phone:
      'Another phone answers at the address: nothing is submitted to it. If its address has changed, set it with {onesixty} device set dev_… --set local_address=…; if the app was reinstalled, run {onesixty} device connect dev_… --local ADDRESS.',
    not_the_app:
      'Something other than the SMSGate app answers at the address. Compare it with the address and port that the app shows, and set it with {onesixty} device set dev_… --set local_address=…',
    too_old_to_visit: 'Visits need the app 1.59.0 or later. Install a newer one.',
    not_connected:
      'The phone was not connected yet: run {onesixty} device connect dev_… --local ADDRESS, which checks the address and the password.',
    address_not_private:
      'The name of the address resolves to a public address. The password would cross the internet unencrypted, so the phone is not visited. Set an address of your network.',
    phone_errors:
      'The app answers with errors. Restart it, and check that its storage is not full; the log of the app shows the cause.',
    app_outdated: 'The app is older than 1.53.1, the oldest supported version. Install a newer one.',
    limit_reached:
      "Android's own sending limit was reached, so the phone gets no messages for a while. Lower the rate limit of the device, or raise the limit on the phone (see Pace in the guide). Any {onesixty} device set ends the wait.",
  },
}
