/**
 * The words of the guided connect, the same on the terminal and in the console. Names of switches and pages are those of
 * SMSGate 1.68 (app/src/main/res/values/strings.xml, arrays.xml; layout/fragment_home.xml; xml/*_preferences.xml).
 */

/** How a phone is connected: this server visits it in the same network or over a cable, or it visits this server. */
export type GuideWay = 'local' | 'internet' | 'cable'

export const guideStepNames = [
  'app',
  'way',
  'address',
  'login',
  'permissions',
  'battery',
  'number',
  'limit',
  'test',
  'answer',
] as const
export type GuideStepName = (typeof guideStepNames)[number]

/** Where the app is: its page of releases, whose files are app-release.apk and app-insecure.apk (release-build.yml). */
export const appAddress = 'https://github.com/capcom6/android-sms-gateway/releases/latest'

/** The two lines that bring the Local Server of a phone on a cable to a port of this machine. */
export const adbLines = ['adb devices', 'adb forward tcp:8080 tcp:8080'] as const

/** Where the forwarded port is. */
export const cableAddress = '127.0.0.1:8080'

export const testText = 'Test with onesixty. Please answer this SMS.'

/** SMS a day that are suggested for an API key: plans for people often end at a few hundred, and an own use rarely comes near. */
export const usualDailyCap = 200

/** Where the guide to phones says more about a step, by its heading; null where it does not. */
export function headingOf(step: GuideStepName, way: GuideWay | null): string | null {
  if (way === 'local' && (step === 'address' || step === 'login')) return 'in-the-same-network'
  if (way === 'cable' && (step === 'address' || step === 'login')) return 'usb-cable'
  return headings[step] ?? null
}

const headings: Partial<Readonly<Record<GuideStepName, string>>> = {
  app: 'install-the-app',
  address: 'https',
  login: 'connect',
  permissions: 'permissions',
  battery: 'battery',
  number: 'sims-and-numbers',
  limit: 'daily-limit',
  test: 'trouble',
}

export const guideTitles: Readonly<Record<GuideStepName, string>> = {
  app: 'Get the app',
  way: 'Choose the connection',
  address: 'Address',
  login: 'Login',
  permissions: 'Permissions',
  battery: 'Battery',
  number: 'Number',
  limit: 'Daily limit',
  test: 'Test SMS to yourself',
  answer: 'Answer it',
}

export const guideWays: readonly { way: GuideWay; label: string; summary: string }[] = [
  {
    way: 'local',
    label: 'Same network',
    summary:
      'This server asks the phone. It needs no domain, no certificate and no open port. Texts and the password cross your network unencrypted.',
  },
  {
    way: 'internet',
    label: 'Over the internet',
    summary: 'The phone asks this server over HTTPS, at an address that it reaches from everywhere.',
  },
  {
    way: 'cable',
    label: 'USB cable',
    summary: 'This server asks the phone over a cable and adb, until the cable is removed.',
  },
]

const switchOn = [
  'In the app, on its first page, switch Local server on.',
  'Tap Offline at the bottom. Android asks for SMS and Phone: allow both. The button changes to Online.',
]

/** What the user does, by step; `way` matters to two of them. */
export function todoOf(step: GuideStepName, way: GuideWay | null): readonly string[] {
  switch (step) {
    case 'app':
      return [
        'On the phone, open the address below, download app-release.apk, not app-insecure.apk, and open it. Android asks whether the browser can install apps: allow it.',
        'If Play Protect blocks it (Android 15 and later): Play Store, your picture, Play Protect, its settings, switch off Scan apps with Play Protect; install; switch it on again.',
      ]
    case 'way':
      return []
    case 'address':
      return addressTodo(way)
    case 'login':
      return way === 'internet'
        ? [
            'In the app, open Settings, Cloud server… and enter API URL and Private Token. The app cannot scan codes: scan them with the camera of the phone, and paste.',
            'Set Notification channel to SSE Only.',
            'Back on the first page switch Cloud server on, tap Offline and choose Sign Up.',
          ]
        : ['Enter Username and Password as the app shows them.']
    case 'permissions':
      return [
        'Android settings, Apps, SMSGate, Permissions: allow SMS and Phone, and insert a SIM.',
        'If SMS is greyed out, tap it once; then Android settings, Apps, SMSGate, the three dots, Allow restricted settings.',
      ]
    case 'battery':
      return [
        'In the app, open Settings, System, Battery optimization, and let SMSGate run in the background.',
        'Makers of phones have pages of their own for this: see the guide. Keep the phone on its charger.',
        'Whether Android still lets the app sleep cannot be seen from here: confirm that you have set it.',
      ]
    case 'number':
      return [
        'Enter the number of the SIM in the phone, such as +4915112345678. Messages from this number use this SIM.',
      ]
    case 'limit':
      return [
        'A limit protects the SIM and its plan: an API key that is stolen, or a program that repeats itself, sends no more than this a day (UTC).',
        'It applies to each API key of the account that has none. Sends in the console have no such limit.',
      ]
    case 'test':
      return ['Enter a number whose messages you can read, such as your own. This is a regular send.']
    case 'answer':
      return ['On the phone that received it, answer the SMS with any text.']
  }
}

const addressTodo = (way: GuideWay | null): readonly string[] => {
  if (way === 'local') return [...switchOn, 'Enter the Local address that the app shows now.']
  if (way !== 'cable')
    return [
      'The app needs HTTPS. Without a domain, see HTTPS at a private address in the guide to phones.',
      'Scan the code of the link with the camera of the phone, and open it in its browser. Only a phone can show that a phone reaches this server: then this step is done. The next one need not wait for it.',
      'A certificate of the CA of the app is trusted by the app, not by browsers: continue in spite of the warning.',
    ]
  return [
    'Android settings, Developer options: switch USB debugging on, connect the cable, and allow this computer.',
    `On the machine of this server, run: ${adbLines.join('; then ')}`,
    ...switchOn,
  ]
}

/** After how long a step says what the cause usually is, and what it is. */
export function usualOf(step: GuideStepName, way: GuideWay | null): { afterMs: number; text: string } {
  const minute = 60_000
  switch (step) {
    case 'app':
      return { afterMs: 5 * minute, text: 'Usually the file is in Downloads: open it there. Some phones ask again in their own settings.' }
    case 'way':
      return { afterMs: 2 * minute, text: 'Usually Same network is right: it works where the phone and this server are in the same Wi-Fi.' }
    case 'address':
      return way === 'internet'
        ? { afterMs: minute, text: 'No phone has opened the link: usually a firewall or router in front of this server drops the connection, or the phone is in a network that does not lead here.' }
        : { afterMs: 2 * minute, text: 'No address in the app: usually Local server was switched on while the button showed Online. Tap it twice.' }
    case 'login':
      return way === 'internet'
        ? { afterMs: 2 * minute, text: 'No contact yet: usually the phone does not reach the address, or the Private Token is mistyped. Open the API URL with /device in the browser of the phone.' }
        : { afterMs: 2 * minute, text: 'Usually the password has changed since: compare it with the one that the app shows now.' }
    case 'permissions':
      return { afterMs: 15_000, text: 'No SIM found in 15 s: usually the permission Phone is missing, or the SIM is locked by its PIN.' }
    case 'battery':
      return { afterMs: 2 * minute, text: 'Usually the entry is under Android settings, Apps, SMSGate, Battery: Unrestricted.' }
    case 'number':
      return { afterMs: 2 * minute, text: 'Usually the number is on the contract of the SIM, or shown to a phone that you call with it.' }
    case 'limit':
      return { afterMs: 2 * minute, text: `Usually ${usualDailyCap} is enough for own use, and below what plans allow.` }
    case 'test':
      return { afterMs: 30_000, text: 'Not sent after 30 s: usually the phone has no signal or no credit, the permission SMS is missing, or Android asks on its screen whether SMSGate may send.' }
    case 'answer':
      return { afterMs: minute, text: 'No answer after a minute: usually the SMS has not arrived yet, or the answer was a chat message (RCS) and no SMS. Without the permission SMS the app receives nothing.' }
  }
} // prettier-ignore

/** What to do about a fault of a try; the remedies of the device name its commands, which do not fit yet. */
export const triedRemedies: Readonly<Record<string, string>> = {
  unreachable:
    'Usually the phone is asleep, in another Wi-Fi or in a guest network, or the access point isolates its devices. Wake the phone, compare the address with the one that the app shows, and try again.',
  wrong_password: 'Compare Username and Password with those that the app shows now, and try again.',
  not_the_app:
    'Something other than the SMSGate app answers there. Compare the address and the port with those that the app shows, and try again.',
}
