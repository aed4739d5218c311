import type { BenchRun } from './bench-run.ts'
import { type Bar, type Figure, latencyOf, perSecondOf } from './figure.ts'
import { percentiles } from './percentiles.ts'
import { type Content, runEnds, type Speaker } from './smpp-ends.ts'

/** Sessions of an ESME, and submits that it keeps open in each. */
const sessions = 4
const window = 100
/** As many times as many PDUs as the npm package. */
const minTimes = 10

/**
 * Row 8: SMPP over loopback, an ESME and an SMSC in a process each: our codec on both ends, and our session in the ESME, beside the npm
 * package `smpp` on both. Each submit is two PDUs, written once and read once. The bar is for octets, codec against codec;
 * with text, the alphabets of both are measured too.
 */
export async function measureSmppCodec(run: BenchRun): Promise<Figure[]> {
  return [...(await compare(run, 'octets')), ...(await compare(run, 'text'))]
}

/** Rounds of both in turns, because others may use the machine for a while; the middle ratio counts. */
async function compare(run: BenchRun, content: Content): Promise<Figure[]> {
  const rounds: Round[] = []
  for (let i = 0; i < run.lengths.rounds; i++) {
    const own = await measureEnds(run, 'own', content)
    const npm = await measureEnds(run, 'npm', content)
    rounds.push({ own, npm, times: own.perSecond / npm.perSecond })
  }
  const { own, npm, times } = rounds.toSorted((a, b) => a.times - b.times)[rounds.length >> 1] as Round
  const name = `SMPP submits of ${content}, ${sessions} sessions, window ${window}`
  const pdus = `${perSecondOf(2 * own.perSecond)} and ${perSecondOf(2 * npm.perSecond)}`
  const bar: Bar = { kind: 'holds', holds: times >= minTimes, summary: `≥ ${minTimes} ×` }
  return [
    { row: 8, name: `${name}, our codec and session`, value: own.value },
    { row: 8, name: `${name}, the npm package`, value: npm.value },
    {
      row: 8,
      name: `SMPP PDUs with ${content} as a multiple of the npm package's`,
      value: `${times.toFixed(1)} × (${pdus})`,
      ...(content === 'octets' && { bar }),
      facts: `with ours ${own.facts}, with the package ${npm.facts}`,
    },
  ]
}

interface Round {
  own: Measured
  npm: Measured
  times: number
}

interface Measured {
  perSecond: number
  value: string
  facts: string
}

async function measureEnds(run: BenchRun, speaker: Speaker, content: Content): Promise<Measured> {
  const measureMs = run.lengths.codecMs
  const job = { content, sessions, window, warmUpMs: measureMs / 2, measureMs }
  const { submits, latencies, cpu } = await runEnds(speaker, job)
  const perSecond = (submits * 1000) / measureMs
  const value = `${perSecondOf(perSecond)}, ${latencyOf(percentiles(latencies))}`
  const facts = `the ESME used ${Math.round(cpu * 100)} % of a core`
  run.say(`SMPP, ${content}, ${speaker}: ${value}; ${facts}`)
  return { perSecond, value, facts }
}
