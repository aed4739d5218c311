import { type Move, moves } from '../../src/messages/core/state.ts'
import type { Generator } from './generator.ts'

/** `docs/state-machine.md`: the table of `src/messages/core/state.ts` as a picture and as a list. */
export const stateMachine: Generator = {
  path: 'docs/state-machine.md',
  render: async () => `# The states of a message

Generated from \`src/messages/core/state.ts\` by \`npm run generate\`.

\`\`\`mermaid
stateDiagram-v2
${arrows().join('\n')}
\`\`\`

| from | what happens | to | the hold |
| --- | --- | --- | --- |
${allMoves()
  .map(({ from, trigger, move }) => `| \`${from}\` | ${trigger} | \`${move.to}\` | ${summary(move)} |`)
  .join('\n')}

Every other pair of state and trigger is refused and logged. A correction changes the status only: the message stays final and
what was charged stays charged. A message that is sent again after an unknown outcome (\`resend_once\`) becomes \`unconfirmed\` wherever
the table says \`failed\`, \`expired\` or \`canceled\`: the outcome of its first attempt is unknown.

A hold is of the purse that pays for the message: the balance, or own use where own devices cost nothing. A message with a \`fallback\` has a hold of the
balance; if an own device submitted the attempt that is charged, the hold is released whole, and what the table charges counts as own use. Parts that an
earlier attempt took are paid by its device, unless the last one took more.
`,
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

function summary({ charge, correction }: Move): string {
  if (correction) return 'as it was (correction)'
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
