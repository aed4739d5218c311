import type { Generator } from './generator.ts'

/** A term: what it means, what the field calls it, and what is not said for it. */
type Term = readonly [term: string, meaning: string, field: string, insteadOf: string]

const terms: readonly Term[] = [
  ['account', 'Owner of messages, API keys, devices and a balance.', 'account, team', ''],
  ['ack, nack', 'The positive or negative response of the network to a submission.', '`submit_sm_resp` with status 0, or another', 'yes, no'],
  ['API key', 'Authenticates a client; for one account and one mode.', 'API key', 'program shows a key'],
  ['API token', 'Authenticates a client of the operator API.', 'API token', 'program'],
  ['attempt', 'One submission of a message to a device.', 'attempt', 'try, trial, hand-over'],
  ['balance', 'How many SMS an account can still send.', 'balance', ''],
  ['broadcast', 'A notification that a node sends to its peers.', 'pub/sub, notify', 'news'],
  ['claim', 'A node reserves queued messages for a device.', 'fetch, claim', 'take ahead'],
  ['correction', 'A final status that a late receipt changed.', 'late receipt', 'late word'],
  ['declaration', 'The JSON document that describes a messaging service: requests, answers, calls.', 'connector, integration', ''],
  ['defer', 'Quiet hours delay a message.', 'snooze, defer', 'put off'],
  ['delivery', 'One event on its way to one webhook endpoint.', 'delivery', 'telling'],
  ['delivery receipt', 'What the network reports about the arrival of a part.', 'delivery receipt, DLR, status report', 'word of the network'],
  ['device', 'What carries messages: a phone, a modem, an SMPP connection, a simulator.', 'device, gateway, connection', ''],
  ['erase', 'Removes personal data: a number, a text, an account.', 'erase, redact (GDPR)', 'take away'],
  ['event', 'Something that happened and is sent to webhook endpoints.', 'event', 'what happens'],
  ['fallback', 'Lets shared devices carry a message whose own devices are free, for the balance.', 'failover', ''],
  ['final', 'A status that only a correction changes.', 'terminal, finalized', 'ended'],
  ['fragment', 'One part of a received long message.', 'UDH segment', 'piece'],
  ['canary', 'An SMS from one device to another one of the same owner, at an interval, that shows whether messages arrive.', 'loopback test, SMS ping, heartbeat SMS', ''],
  ['heartbeat', 'What a node or a phone sends regularly to show that it is alive.', 'heartbeat', 'beat, sign of life'],
  ['hold, charge, release', 'A send reserves SMS of the balance; a submission charges them; a failure releases them.', 'authorization hold, capture, void', 'given back'],
  ['in flight', 'Submitted to a device, without a response yet.', 'in flight, window', 'under way, open hand-over'],
  ['keyword', 'A text that is a command: STOP, START, HELP.', 'keyword', 'word'],
  ['late ack', 'An ack for an attempt that had already timed out.', 'late response', 'late yes'],
  ['lease, fence', 'Which node uses a link, and the number that keeps a former one out.', 'lease, fencing token', ''],
  ['link', 'A device that is an SMPP connection.', 'bind, connection', ''],
  ['node', 'One server process of an instance.', 'node, replica', ''],
  ['operator', 'Administrator of this instance.', 'admin', 'whoever runs this service'],
  ['opt-out', 'A recipient who must not be sent to.', 'opt-out, suppression', 'number not written to'],
  ['part', 'One SMS of a message: 160 GSM-7 characters, or 153 in a long message.', 'part, segment', 'piece, radio message'],
  ['plan of an account', 'A word that the operator gives to accounts; rules match by it.', 'tariff, tier, user group', ''],
  ['provider', 'A messaging service that carries messages of a device over HTTP.', 'provider, gateway, aggregator', ''],
  ['purge', 'Deletes what is older than its retention.', 'retention, purge', 'forget'],
  ['queue, requeue', 'A message waits for a device; after a refusal it waits again.', 'enqueue, requeue', 'goes again'],
  ['rate limit', 'How many parts a device carries in a window.', 'throughput, MPS, rate limit', 'pace'],
  ['recipient', 'The number in `to`.', 'recipient, destination', ''],
  ['report', 'What a phone says about a message that it was given.', 'status report', 'late word'],
  ['restore hold', 'Messages that a restored backup holds until the operator decides.', 'quarantine', 'put back'],
  ['retry', 'The next attempt, for a message or a webhook delivery.', 'retry', 'again'],
  ['sender', 'The number or name in `from`.', 'sender ID, originator', ''],
  ['SIM plan', 'What the contract of a SIM includes: parts and different numbers, per day and month.', 'SMS allowance, bundle, fair use limit', ''],
  ['simulated outcome', 'How a test number or a simulator behaves.', 'magic number', 'mood'],
  ['submit, submission', 'Gives a message to a device, after the attempt was flushed.', '`submit_sm`, MT submit', 'hand over'],
  ['test credits', 'The balance of test mode.', 'test credits', 'play SMS'],
  ['throttled', 'The SMSC asks for fewer messages.', '`ESME_RTHROTTLED`', 'slows down'],
  ['unknown outcome', 'The response to a submission was lost. The message becomes `unconfirmed`, or is sent once more by `resend_once`.', 'unknown, unconfirmed', 'in doubt'],
  ['unmatched receipt', 'A receipt whose ID matches no attempt.', 'unmatched DLR', 'parked receipt'],
  ['user', 'Signs in to the console; member or owner of accounts.', 'user', 'person, somebody'],
] // prettier-ignore

/** `docs/glossary.md`: one word for one thing. The API's word wins where the field has two. */
export const glossary: Generator = {
  path: 'docs/glossary.md',
  render: async () => `# Glossary

Generated by \`npm run generate\`. Docs, errors, console, comments and names use these words; \`test/unit/words.test.ts\` holds it in the
rooms that have been gone through.

| term | meaning | others say | not |
| --- | --- | --- | --- |
${terms.map((row) => `| ${row.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`).join('\n')}
`,
}
