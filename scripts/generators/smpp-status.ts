import { reserved, statusMeanings, vendors } from '../../src/smpp/values/command-status-class.ts'
import { commandStatus } from '../../src/smpp/codec/pdu.ts'
import type { Generator } from './generator.ts'

/** `docs/connectors/smpp-status.md`: what becomes of a message for each answer of an SMSC. */
export const smppStatusPage: Generator = {
  path: 'docs/connectors/smpp-status.md',
  render: async () => `# What the answers of an SMSC mean

Generated from \`src/smpp/values/command-status-class.ts\` by \`npm run generate\`.

The command_status of a submit_sm_resp decides what becomes of a message. \`network_code\` of the message names it. The setting
\`status_classes\` of a link changes the class of single ones:
\`--set "status_classes=0x14=now 0x400=busy"\`.

| class | what becomes of the message |
| --- | --- |
| \`good\` | it fails at once and is released |
| \`now\` | it is tried over another device at once where one works, else again after 15 s and 60 s, then fails and is released |
| \`busy\` | the link rests for a second, then it is the next to be tried, ten times; from then on, or at once where the queue of its recipient is full, it goes behind others, ever more rarely, up to once a minute. No attempt is counted, until its validity ends |
| \`unknown\` | it is never sent again: it becomes \`unconfirmed\`, unless a receipt says more |
| \`link\` | it was not accepted and waits for another session or another device |

When only some parts of a long text were accepted, those answered \`now\`, \`busy\` or \`link\` are submitted again over the same link, for up to 5 min; then the
message is \`failed\` with \`partially_sent\`.

| status | name | class | \`error.code\` | what to do |
| --- | --- | --- | --- | --- |
${rows().join('\n')}
`,
}

function rows(): string[] {
  const listed = Object.entries(commandStatus).map(([name, status]) => {
    const { lasts, code, summary } = statusMeanings[name as keyof typeof commandStatus]
    return row(hex(status), `\`${name}\``, lasts, code, summary)
  })
  const unlisted = [
    row('`0x400` to `0x4ff`', vendors.name, vendors.lasts, vendors.code, vendors.summary),
    row('any other', reserved.name, reserved.lasts, reserved.code, reserved.summary),
  ]
  return [...listed, ...unlisted]
}

const row = (status: string, name: string, lasts: string, code: string, summary: string): string =>
  `| ${status} | ${name} | \`${lasts}\` | \`${code}\` | ${summary} |`

const hex = (status: number): string => `\`0x${status.toString(16).padStart(2, '0')}\``
