import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Candidate } from '../../src/dispatch/routes/candidate.ts'
import type { Matched } from '../../src/devices/routes/rule.ts'
import { hasCommands, hasFetched, pythonEnv } from '../peers/foreign-tools.ts'
import { pick, type Random, seededRandom } from '../peers/seeded-random.ts'
import { device } from './candidates.ts'
import { decide, ruleOf } from './decided-by-rules.ts'

/*
 * Rules as the routing table of Jasmin 0.11.1 has them, asked of the table itself: docs.jasminsms.com/en/latest/routing. A route of the highest order
 * whose filters all match decides; a failover route takes the first connector that is bound, a static one waits for its own.
 */

const hasJasmin = hasCommands('python3') && hasFetched('jasmin')

interface JasminRule {
  /** Its users: one, all of a group, or everyone. */
  user?: string
  group?: string
  to?: readonly string[]
  from?: readonly string[]
  /** The first that is bound; a rule of one waits for it. */
  connectors: readonly string[]
}
interface Case {
  /** In the order in which they are asked. */
  rules: readonly JasminRule[]
  bound: readonly string[]
  messages: readonly { user: string; from: string; to: string }[]
}

const connectors = ['dev_a', 'dev_b', 'dev_c', 'dev_d', 'dev_e']
const users = ['g1_a', 'g1_b', 'g2_a', 'g2_b']
const senders = ['Acme', 'Shop', 'Acmes', '4420']
// Prefixes of each other, so that their order matters.
const prefixes = ['4', '49', '491', '4915', '4420', '44', '33', '336', '3361', '1', '1212']

const cases = (random: Random, count: number, messages: number): Case[] =>
  Array.from({ length: count }, () => ({
    rules: Array.from({ length: pick(random, [1, 12]) }, () => ruleOfTable(random)),
    bound: connectors.filter(() => random() < 0.6),
    messages: Array.from({ length: messages }, () => ({
      user: oneOf(random, users),
      from: oneOf(random, senders),
      to: `${oneOf(random, prefixes)}${Array.from({ length: 8 }, () => pick(random, [0, 9])).join('')}`,
    })),
  }))

function ruleOfTable(random: Random): JasminRule {
  const who = random()
  return {
    ...(who < 0.25 ? { user: oneOf(random, users) } : who < 0.5 && { group: oneOf(random, ['g1', 'g2']) }),
    ...(random() < 0.7 && { to: someOf(random, prefixes) }),
    ...(random() < 0.3 && { from: someOf(random, senders) }),
    connectors: someOf(random, connectors),
  }
}

const oneOf = <T>(random: Random, all: readonly T[]): T => all[pick(random, [0, all.length - 1])] as T
/** One to three, in any order. */
const someOf = <T>(random: Random, all: readonly T[]): T[] => [
  ...new Set(Array.from({ length: pick(random, [1, 3]) }, () => oneOf(random, all))),
]

/** What the table of Jasmin says. */
function askJasmin(asked: readonly Case[]): (string | null)[][] {
  const anyOf = (texts: readonly string[]): string => `(?:${texts.join('|')})`
  const input = asked.map(({ rules, bound, messages }) => ({
    rules: rules.map(({ to, from, ...rule }, i) => ({
      ...rule,
      ...(to !== undefined && { to: `^${anyOf(to)}` }),
      ...(from !== undefined && { from: `^${anyOf(from)}$` }),
      // The highest is asked first.
      order: 10 * (rules.length - i),
    })),
    bound,
    messages,
  }))
  const output = execFileSync('python3', [join(import.meta.dirname, '../peers/jasmin-router.py')], {
    input: JSON.stringify(input),
    env: pythonEnv('jasmin'),
    maxBuffer: 2 ** 26,
  })
  return JSON.parse(output.toString()) as (string | null)[][]
}

const anySender = new Set(['*'])

/** The same rules here, and what they say. */
function askHere({ rules, bound, messages }: Case): (string | null)[] {
  const devices = connectors.map((id): Candidate => device(id, { senders: anySender, health: bound.includes(id) ? 'online' : 'offline' })) // prettier-ignore
  const house = {
    rules: [
      ...rules.map(({ user, group, to, from, connectors: named }) =>
        ruleOf(
          {
            ...(user !== undefined && { account: [user] }),
            ...(group !== undefined && { account: users.filter((each) => each.startsWith(group)) }),
            ...(to !== undefined && { to }),
            ...(from !== undefined && { from }),
          },
          named.join('; '),
        ),
      ),
      // Jasmin refuses what no route matches.
      ruleOf({}, null),
    ],
    limited: [],
    devices,
  }
  return messages.map(({ user, from, to }) => {
    const { given, named } = decide(house, { accountId: user, from, to: `+${to}`, ...plain })
    // A rule of one device waits for it, as a static route does; one of several finds nobody: Jasmin refuses.
    return given[0] ?? (named.length === 1 ? (named[0] as string) : null)
  })
}

const plain: Omit<Matched, 'accountId' | 'from' | 'to'> = { mode: 'live', country: null, category: 'transactional', encoding: 'gsm7', parts: 1 } // prettier-ignore

test.skipIf(!hasJasmin)(
  'of 100 random tables of Jasmin each of 2,000 messages goes over the connector that Jasmin names',
  () => {
    const asked = cases(seededRandom(160), 100, 20)
    const theirs = askJasmin(asked)
    expect(asked.map(askHere)).toEqual(theirs)
    // Every kind of answer is among them.
    const answers = theirs.flat()
    for (const answer of [...connectors, null])
      expect(answers.filter((each) => each === answer).length).toBeGreaterThan(100)
  },
)
