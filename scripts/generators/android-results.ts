import { type ResultMeaning, sendResults } from '../../src/connectors/android/send-results.ts'
import type { Generator } from './generator.ts'

/** `docs/connectors/android-results.md`: what becomes of a message for each result that a phone tells. */
export const androidResultsPage: Generator = {
  path: 'docs/connectors/android-results.md',
  render: async () => `# What the results of a phone mean

Generated from \`src/connectors/android/send-results.ts\` by \`npm run generate\`.

A phone that could not send a message says why in the words of Android's SmsManager. \`network_code\` of the message names the result.

| class | what becomes of the message |
| --- | --- |
| \`now\` | the radio sent nothing: it is tried on another phone at once where one works, else again after 15 s and 60 s, then fails and is released |
| \`limit\` | the phone let no more out: another phone may have it at once, and this one gets nothing more for its \`limit_rest_min\`; it costs the message no attempt |
| \`good\` | the radio sent nothing and no phone would: it fails at once and is released |
| \`rejected\` | the network was asked and said no: it fails at once and is released |
| \`unknown\` | it may have gone out: it is never sent again and becomes \`unconfirmed\` |

The classes hold for a text of one part. Of several parts a bad result tells nothing of the others, so that every result is \`unknown\`.
What is \`unknown\` has the code \`device_unclear\`; \`network_code\` keeps the result, also of a part that failed after another was sent.
After the phone has said \`Sent\`, and when a delivery report speaks, a failure is \`undelivered\`, whatever the result.

| number | result | class | \`error.code\` | what it means and what to do |
| --- | --- | --- | --- | --- |
${rows().join('\n')}

Without a result:

| the phone says | what becomes of the message | \`error.code\` |
| --- | --- | --- |
| \`TTL expired\` | its validity ended on the phone, before it was sent: \`expired\` | \`expired_in_queue\` |
| \`SIM 2 not found\` | as \`now\` | \`no_service\` |
| \`sendSMS: …\`, \`Can't send message: …\` | an exception before the radio, such as a missing permission: as \`now\` | \`device_error\` |
| \`Delivery result from SC +491710760000: 70\` | the network gave it up: \`undelivered\` | by the status of the report (TP-Status, 3GPP TS 23.040, 9.2.3.15), else \`unreachable\` |
| \`Delivery result: 1\` | Android had no report to give: \`undelivered\` | \`unreachable\` |
| anything else | as \`unknown\` | \`device_unclear\` |
`,
}

const rows = (): string[] =>
  Object.entries<ResultMeaning>(sendResults).map(
    ([name, { number, class: of, code, summary }]) =>
      `| ${number} | \`${name}\` | \`${of}\` | \`${code}\` | ${summary} |`,
  )
