import type { ProfileName } from './profile-names.ts'
import type { Seen } from './profile-server.ts'

/** A profile as text, a heading for each instrument. */
export const renderProfile = (name: ProfileName, seen: readonly Seen[]): string =>
  [`${name}: ${summary[name]}`, ...seen.map(({ title, lines }) => `${title}\n\n${lines.join('\n')}`)].join(
    '\n\n',
  )

const summary: Readonly<Record<ProfileName, string>> = {
  accept:
    'sends of one message over 64 connections, as fast as they are answered, with the only device offline',
  'accept-many': 'the same with 100 recipients a request',
  life: 'sends of one message through the simulator, until each is final: dispatch, outcomes and receipts among it',
  'life-many': 'the same with 100 recipients a request',
  'smpp-life':
    'the same through an SMSC in another process, with receipts, over four sessions with a window of 100',
  'smpp-life-many': 'the same with 100 recipients a request',
  'accept-postgres': 'accept, on a PostgreSQL on the same two cores',
  'life-postgres': 'life, on PostgreSQL',
  'life-many-postgres': 'life-many, on PostgreSQL',
  history:
    'the newest page of history among 5 million messages, over 4 connections as fast as it is answered',
  'history-of-a-number': 'a page of history of one number, likewise',
  'changed-since': 'a page of what changed since an instant, likewise',
  status: 'the status of the devices, likewise',
  phones:
    'a message to each of 1,000 phones, five times: the event stream tells the phone, which fetches it and says what became of it',
  'console-streams':
    '500 sends a second through the simulator while 20 tabs of the console look on at the account',
}
