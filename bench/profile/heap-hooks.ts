import { existsSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector'
import { join } from 'node:path'
import { PerformanceObserver } from 'node:perf_hooks'
import { threadId } from 'node:worker_threads'
import { fileURLToPath } from 'node:url'

/**
 * Loaded by `--import` into each thread of a server whose allocations are profiled (heap-instrument.ts): counts them from when a file named
 * `begin` stands in the folder that the URL of this module names until one named `end` does, then leaves there what it counted.
 */
const folder = fileURLToPath(new URL(import.meta.url).searchParams.get('folder') as string)

/** Bytes between two samples on average: V8 counts for each what it stands for. */
const samplingIntervalBytes = 8_192
const lookEachMs = 20

const session = new Session()
session.connect()
const collections = { times: 0, ms: 0 }
const collected = new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) {
    collections.times += 1
    collections.ms += duration
  }
})

const look = setInterval(() => {
  if (!existsSync(join(folder, 'begin'))) return
  clearInterval(look)
  collected.observe({ entryTypes: ['gc'] })
  // With what was collected meanwhile: the question is what is allocated, not what is kept.
  session.post('HeapProfiler.startSampling', {
    samplingInterval: samplingIntervalBytes,
    includeObjectsCollectedByMajorGC: true,
    includeObjectsCollectedByMinorGC: true,
  })
  writeFileSync(join(folder, `${threadId}.begun`), '')
  waitForEnd()
}, lookEachMs)
look.unref()

function waitForEnd(): void {
  const wait = setInterval(() => {
    if (!existsSync(join(folder, 'end'))) return
    clearInterval(wait)
    session.post('HeapProfiler.stopSampling', (_, answer) =>
      writeFileSync(
        join(folder, `${threadId}.json`),
        JSON.stringify({ head: answer.profile.head, collections }),
      ),
    )
  }, lookEachMs)
  wait.unref()
}
