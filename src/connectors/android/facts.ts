import { guidePath } from '../../process/guides.ts'
import type { KindFacts } from '../kind-facts.ts'

export const androidFacts: KindFacts = {
  kind: 'android',
  label: 'Android phone',
  isPhone: true,
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
  ],
  usualSettings: ['sim_selection', 'country'],
  controlledSettings: ['sim_1_number', 'sim_2_number', 'sim_3_number'],
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
    battery_low: 'The battery is low. Connect the charger.',
    clock_skew: "The phone's clock is off by more than a minute. Enable network time on the phone.",
    app_outdated: 'The app is older than 1.53.1, the oldest supported version. Install a newer one.',
    limit_reached:
      "Android's own sending limit was reached, so the phone gets no messages for a while. Lower the rate limit of the device, or raise the limit on the phone (see Pace in the guide). Any {onesixty} device set ends the wait.",
  },
}
