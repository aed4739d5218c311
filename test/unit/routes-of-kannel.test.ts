import { expect, onTestFinished, test } from 'vitest'
import type { Matched } from '../../src/devices/routes/rule.ts'
import type { LimitedDevice } from '../../src/dispatch/routes/choose-rule.ts'
import { until } from '../eventually.ts'
import { hasCommands } from '../peers/foreign-tools.ts'
import { type KannelMessage, type KannelSmsc, startKannel } from './kannel.ts'
import { pick, type Random, seededRandom } from '../peers/seeded-random.ts'
import { device } from './candidates.ts'
import { decide, type RuledHouse, ruleOf } from './decided-by-rules.ts'

/*
 * Kannel chooses by the words of each SMSC, smscconn_usable in gw/smscconn.c and smsc2_rout in gw/bb_smscconn.c of 1.4.5: `denied-prefix`, or without it
 * `allowed-prefix`, says to which numbers it sends; it is preferred if the message's SMSC ID is in `preferred-smsc-id` or the number begins with one of
 * `preferred-prefix`, and others are for what no preferred one that works takes; equal ones are chosen by load. With both `allowed-prefix` and
 * `denied-prefix` Kannel sends to all but the denied that are not allowed, which `--only-to` and `--not-to` do not mean: no SMSC here has both.
 */

const hasKannel = hasCommands('bearerbox', 'smsbox')

const worldCount = 12
const messagesOfWorld = 100
const smscsOfWorld = 4
const prefixes = ['4', '49', '491', '4915', '44', '4420', '33', '336', '3361', '1', '1212']

/** SMSCs that serve the same SMSC IDs, and no other: a set of rules of its own beside others in one Kannel. */
interface World {
  ids: readonly string[]
  smscs: readonly KannelSmsc[]
}

function worldOf(random: Random, place: number): World {
  const ids = ['a', 'b', 'c'].map((letter) => `w${place}${letter}`)
  return { ids, smscs: Array.from({ length: smscsOfWorld }, (_, i) => smscOf(random, ids, `dev_${place}_${i}`)) } // prettier-ignore
}

function smscOf(random: Random, ids: readonly string[], id: string): KannelSmsc {
  const limit = random()
  return {
    id,
    isOff: random() < 0.35,
    allowedSmscId: ids,
    ...(limit < 0.5 ? { allowedPrefix: someOf(random, prefixes) } : limit < 0.8 && { deniedPrefix: someOf(random, prefixes) }), // prettier-ignore
    ...(random() < 0.5 && { preferredPrefix: someOf(random, prefixes) }),
    ...(random() < 0.3 && { preferredSmscId: [ids[pick(random, [0, 2])] as string] }),
  }
}

const someOf = <T>(random: Random, all: readonly T[]): T[] => [
  ...new Set(Array.from({ length: pick(random, [1, 3]) }, () => all[pick(random, [0, all.length - 1])] as T)),
]

/** The same here: what a device sends to is said of it, and what it is preferred for by rules, the longest prefix first. */
function houseOf({ ids, smscs }: World): RuledHouse {
  const preferred = [...new Set(smscs.flatMap(({ preferredPrefix = [] }) => preferredPrefix)), ''].toSorted((a, b) => b.length - a.length) // prettier-ignore
  const rules = ids.flatMap((id) =>
    preferred.map((prefix) => {
      const first = smscs.filter(({ preferredPrefix = [], preferredSmscId = [] }) => preferredSmscId.includes(id) || preferredPrefix.some((each) => prefix.startsWith(each))) // prettier-ignore
      const others = smscs.filter((smsc) => !first.includes(smsc))
      const stages = [first, others].filter(({ length }) => length > 0)
      const way = stages.map((stage) => stage.map((smsc) => smsc.id).join(',')).join('; ')
      return ruleOf({ account: [id], ...(prefix !== '' && { to: [prefix] }) }, way)
    }),
  )
  const limited = smscs.map(({ id, allowedPrefix = [], deniedPrefix = [] }): LimitedDevice => ({ id, accountId: null, mode: 'live', destinations: { onlyTo: allowedPrefix, notTo: deniedPrefix } })) // prettier-ignore
  const devices = smscs.map(({ id, isOff }) => device(id, { health: isOff ? 'offline' : 'online' }))
  return { rules, limited, devices }
}

const plain: Omit<Matched, 'accountId' | 'to'> = { mode: 'live', country: null, from: null, category: 'transactional', encoding: 'gsm7', parts: 1 } // prettier-ignore

test.skipIf(!hasKannel)(
  'of 12 random settings of Kannel each of 1,200 messages goes over an SMSC that the same rules name here, or over none',
  { timeout: 60_000 },
  async () => {
    const random = seededRandom(160)
    const worlds = Array.from({ length: worldCount }, (_, i) => worldOf(random, i))
    const kannel = await startKannel(worlds.flatMap(({ smscs }) => smscs))
    onTestFinished(() => kannel.stop())
    const messages = worlds.flatMap(
      (world, place) =>
      Array.from({ length: messagesOfWorld }, (_, i) => ({ house: houseOf(world), message: messageOf(random, world, `t${place}x${i}`) })), // prettier-ignore
    )
    const expected = messages.map(({ house, message: { smscId, to } }) => decide(house, { accountId: smscId, to: `+${to}`, ...plain })) // prettier-ignore
    const answers: string[] = []
    for (const { message } of messages) answers.push(await kannel.send(message))
    expect(answers).toEqual(expected.map(({ given, named }) => given.length > 0 ? 'accepted' : named.length > 0 ? 'queued' : 'not routable')) // prettier-ignore
    const accepted = answers.filter((answer) => answer === 'accepted').length
    await until(() => kannel.given.size, (size) => size >= accepted, 20_000) // prettier-ignore
    for (const [i, { message }] of messages.entries()) {
      const { given } = expected[i] as (typeof expected)[number]
      const theirs = kannel.given.get(message.text)
      if (given.length === 0) expect(theirs).toBeUndefined()
      else expect(given).toContain(theirs)
    }
    // Most have one device only, so that the same one is chosen.
    expect(expected.filter(({ given }) => given.length === 1).length).toBeGreaterThan(500)
    expect(new Set(answers)).toEqual(new Set(['accepted', 'queued', 'not routable']))
  },
)

const messageOf = (random: Random, { ids }: World, text: string): KannelMessage => ({
  smscId: ids[pick(random, [0, ids.length - 1])] as string,
  to: `${prefixes[pick(random, [0, prefixes.length - 1])]}${Array.from({ length: 8 }, () => pick(random, [0, 9])).join('')}`,
  text,
})
