import type { BenchRun } from './bench-run.ts'
import { type Figure, latencyOf, perSecondOf } from './figure.ts'
import { percentiles } from './percentiles.ts'
import { runEnds, type Speaker } from './smpp-ends.ts'

/** Submits that each ESME keeps open. */
const window = 100
/** As many times as many PDUs as the npm package. */
const leastTimes = 10

/**
 * Row 8: SMPP over loopback, an ESME and an SMSC in a process each: our codec on both ends, with our session on one, beside the npm
 * package `smpp` on both. Each submit is two PDUs, written once and read once.
 */
export async function measureSmppCodec(run: BenchRun): Promise<Figure[]> {
  const own = await measureEnds(run, 'own')
  const npm = await measureEnds(run, 'npm')
  const times = own.perSecond / npm.perSecond
  return [
    {
      row: 8,
      name: `SMPP submits, window ${window}, our codec and session`,
      value: own.value,
      facts: own.facts,
    },
    { row: 8, name: `SMPP submits, window ${window}, the npm package`, value: npm.value, facts: npm.facts },
    {
      row: 8,
      name: "SMPP PDUs as a multiple of the npm package's",
      value: `${times.toFixed(1)} × (${perSecondOf(2 * own.perSecond)} and ${perSecondOf(2 * npm.perSecond)})`,
      bar: { kind: 'holds', holds: times >= leastTimes, says: `≥ ${leastTimes} ×` },
      facts: `${own.facts} with ours, ${npm.facts} with the package`,
    },
  ]
}

async function measureEnds(run: BenchRun, speaker: Speaker) {
  const job = { window, warmUpMs: run.lengths.codecMs / 4, measureMs: run.lengths.codecMs }
  const { submits, measuredMs, latencies, cpuMs } = await runEnds(speaker, job)
  const perSecond = (submits * 1000) / measuredMs
  const value = `${perSecondOf(perSecond)}, ${latencyOf(percentiles(latencies))}`
  const facts = `the ESME used ${Math.round((cpuMs / measuredMs) * 100)} % of a core`
  run.say(`SMPP, ${speaker}: ${value}; ${facts}`)
  return { perSecond, value, facts }
}
