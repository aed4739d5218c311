import type { AttemptEvidence, PartState } from '../../src/messages/core/attempt-evidence.ts'
import { type Move, moves } from '../../src/messages/core/state.ts'
import { type Standing, verdictOf } from '../../src/messages/core/verdict.ts'
import type { Generator } from './generator.ts'

/**
 * `docs/state-machine.md`: what the queue does (`src/messages/core/state.ts`) as a picture and as a list, and what the
 * evidence of one attempt and of two gives (`src/messages/core/verdict.ts`).
 */
export const stateMachine: Generator = {
  path: 'docs/state-machine.md',
  render: async () => `# The states of a message

Generated from \`src/messages/core/state.ts\` and \`src/messages/core/verdict.ts\` by \`npm run generate\`.

A message waits, and is given to a device: an open attempt, which makes it \`sending\`. From then on its status follows from all that is known of its
attempts, whatever the order in which it became known (decision 63). The queue moves only what waits.

## The queue

\`\`\`mermaid
stateDiagram-v2
${arrows().join('\n')}
\`\`\`

| from | what happens | to | the hold |
| --- | --- | --- | --- |
${allMoves()
  .map(({ from, trigger, move }) => `| \`${from}\` | ${trigger} | \`${move.to}\` | ${summary(move.charge)} |`)
  .join('\n')}

Every other pair of state and trigger is refused and logged. A message that is sent again after an unknown outcome (\`resend_once\`) becomes \`unconfirmed\`
wherever the table says \`expired\` or \`canceled\`, as long as the outcome of an attempt is unknown.

## One attempt

| attempt | status | the hold |
| --- | --- | --- |
${alone.map((one) => rowOf(one)).join('\n')}

## Two attempts

The first attempt in the rows, the second in the columns. A second one goes only where nothing of the first was submitted, or where nobody knows and the caller
chose \`resend_once\`; what is known of the first may change later.

| | ${known.map(({ name }) => name).join(' | ')} |
| --- | ${known.map(() => '---').join(' | ')} |
${known
  .slice(1)
  .map((first) => `| **${first.name}** | ${known.map((second) => statusOf(first, second)).join(' | ')} |`)
  .join('\n')}

## Corrections

A final status changes by a correction alone: \`unconfirmed\` to \`sent\`, \`delivered\` or \`undelivered\`; \`failed\` to \`delivered\`; \`sent\` without a receipt to wait
for to \`delivered\` or \`undelivered\`; \`undelivered\` to \`delivered\`, where another attempt arrived. A correction changes the status only: the message stays final
and what was charged stays charged.

A hold is of the purse that pays for the message: the balance, or own use where own devices cost nothing. A message with a \`fallback\` has a hold of the
balance; if an own device submitted the attempt that is charged, the hold is released whole, and what the table charges counts as own use. Parts that an
earlier attempt took are paid by its device, unless the last one took more.
`,
}

interface Known {
  name: string
  evidence: Partial<AttemptEvidence>
  standing?: Standing
}

const accepted = (...states: PartState[]): Partial<AttemptEvidence> => ({
  state: 'accepted',
  partsTaken: 2,
  receipts: 'all',
  parts: states.map((state) => ({ state, reason: null })),
  isWhole: true,
})
const gone: Standing = { waits: null, end: null }

/** What is known of the only attempt of a message. */
const alone: readonly Known[] = [
  { name: 'open', evidence: {} },
  { name: 'accepted, receipts awaited', evidence: accepted('awaited', 'delivered') },
  { name: 'accepted, no receipt promised', evidence: { ...accepted(), receipts: 'none' } },
  { name: 'every part delivered', evidence: accepted('delivered', 'delivered') },
  { name: 'a part undelivered', evidence: accepted('undelivered', 'delivered') },
  { name: 'no receipt within the window', evidence: accepted('lost', 'delivered') },
  { name: 'a phone reported delivered, then a part failed', evidence: accepted('retracted') },
  { name: 'refused, goes again', evidence: { state: 'refused' }, standing: { waits: 'queued', end: null } },
  { name: 'refused for good', evidence: { state: 'refused' }, standing: { waits: null, end: { status: 'failed', reason: null } } },
  { name: 'some parts taken, the others refused', evidence: { state: 'refused', partsTaken: 1 } },
  { name: 'expired at the device', evidence: { state: 'refused' }, standing: { waits: null, end: { status: 'expired', reason: null } } },
  { name: 'canceled at the device', evidence: { state: 'refused' }, standing: { waits: null, end: { status: 'canceled', reason: null } } },
  { name: 'outcome unknown', evidence: { state: 'unknown', partsTaken: 1 } },
  { name: 'outcome unknown, goes once more', evidence: { state: 'unknown', partsTaken: 1 }, standing: { waits: 'queued', end: null } },
] // prettier-ignore

/** What may be known of each of two attempts. */
const known: readonly Known[] = [
  { name: 'open', evidence: {} },
  { name: 'unknown', evidence: { state: 'unknown', partsTaken: 1 } },
  { name: 'refused', evidence: { state: 'refused' } },
  { name: 'accepted', evidence: accepted('awaited') },
  { name: 'delivered', evidence: accepted('delivered') },
  { name: 'undelivered', evidence: accepted('undelivered') },
]

const attemptOf = (number: number, { evidence }: Known): AttemptEvidence => ({
  number,
  state: 'open',
  partsTaken: 0,
  receipts: 'none',
  parts: [],
  isWhole: false,
  reason: null,
  ...evidence,
})

function rowOf(one: Known): string {
  const { status, charge, isFinal } = verdictOf(one.standing ?? gone, [attemptOf(1, one)])
  const final = status === 'sent' && isFinal ? ', final' : ''
  return `| ${one.name} | \`${status}\`${final} | ${summary(charge)} |`
}

/** Two refusals end as the queue says. */
function statusOf(first: Known, second: Known): string {
  const failed: Standing = { waits: null, end: { status: 'failed', reason: null } }
  return `\`${verdictOf(failed, [attemptOf(1, first), attemptOf(2, second)]).status}\``
}

interface NamedMove {
  from: string
  trigger: string
  move: Move
}

function allMoves(): NamedMove[] {
  return Object.entries(moves).flatMap(([from, cells]) =>
    Object.entries(cells).flatMap(([trigger, move]) =>
      move === null ? [] : [{ from, trigger: trigger.replaceAll('_', ' '), move }],
    ),
  )
}

/** One arrow for each pair of states, carrying all triggers that lead from one to the other. */
function arrows(): string[] {
  const byPair = Map.groupBy(allMoves(), ({ from, move }) => `${from} --> ${move.to}`)
  return [...byPair].map(([pair, group]) => {
    const correction = group.some(({ move }) => move.correction) ? ' (correction)' : ''
    return `  ${pair}: ${group.map(({ trigger }) => trigger).join(', ')}${correction}`
  })
}

function summary(charge: Move['charge']): string {
  switch (charge) {
    case 'all':
      return 'charged'
    case 'taken':
      return 'parts known to be accepted are charged, the rest released'
    case 'nothing':
      return 'released'
    case 'keep':
      return 'as it was'
  }
}
