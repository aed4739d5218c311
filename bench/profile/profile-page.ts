import { writeFile } from 'node:fs/promises'
import { describeMachine } from '../machine.ts'
import type { ProfileName } from './profile-names.ts'
import type { Seen } from './profile-server.ts'

const file = new URL('../../docs/profiles.md', import.meta.url)

/** A profile as text, a heading for each instrument. */
export const renderProfile = (seen: readonly Seen[]): string =>
  seen.map(({ title, lines }) => `### ${title}\n\n\`\`\`text\n${lines.join('\n')}\n\`\`\`\n`).join('\n')

/** Writes docs/profiles.md from profiles of everything. */
export async function writeProfiles(profiles: ReadonlyMap<ProfileName, readonly Seen[]>): Promise<void> {
  const sections = [...profiles].map(([name, seen]) => `## ${name}\n\n${says[name]}\n\n${renderProfile(seen)}`)
  await writeFile(file, `# Profiles

Written by \`npm run bench -- --profile all\` on ${new Date().toISOString().slice(0, 10)}; \`--profile accept\` shows one. What they showed, and what was done:
[decision 32](decisions/0032-what-the-profiles-showed.md).

- Machine: ${describeMachine()}.
- Each load runs three times, once under each instrument, after a warm-up that is not counted. The main thread serves HTTP and dispatches; thread 1
  owns the embedded database, thread 2 reads it.
- **Processor time** is shares of the time in which a thread was busy, by V8's sampling profiler, which slows the server down by a fifth.
  \`commitTransaction\` is the wait for the disk. With PostgreSQL, whose units run in the main thread, its statements by what they took to run and
  to plan, in one session at a time.
- **Allocations** are bytes on V8's heaps, collected or not, by its sampling heap profiler with a sample for each 8 KiB. Buffers outside of the heap do not count.
- **Flushes** are the server's calls of \`fsync\` and \`fdatasync\`, by strace.

${sections.join('\n')}`)
} // prettier-ignore

const says: Readonly<Record<ProfileName, string>> = {
  accept:
    'Sends of one message over 64 connections, as fast as they are answered, with the only device offline.',
  'accept-many': 'The same with 100 recipients a request.',
  life: 'Sends of one message through the simulator, until each is final: dispatch, outcomes and receipts among it.',
  'life-many': 'The same with 100 recipients a request.',
  'smpp-life':
    'The same through an SMSC in another process, with receipts, over four sessions with a window of 100.',
  'smpp-life-many': 'The same with 100 recipients a request.',
  'accept-postgres': 'accept, on a PostgreSQL on the same two cores.',
  'life-postgres': 'life, on PostgreSQL.',
  'life-many-postgres': 'life-many, on PostgreSQL.',
  history:
    'The newest page of history among 5 million messages, over 4 connections as fast as it is answered.',
  'history-of-a-number': 'A page of history of one number, likewise.',
  'changed-since': 'A page of what changed since an instant, likewise.',
  status: 'The status of the devices, likewise.',
  phones:
    'A message to each of 1,000 phones, five times: the event stream tells the phone, which fetches it and says what became of it.',
  'console-streams':
    '500 sends a second through the simulator while 20 tabs of the console look on at the account.',
}
