import {
  appendFileSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import type { Outcome } from '../../src/connectors/connector.ts'
import { SubmissionLog, readPastSubmissions } from '../../src/dispatch/submissions/submission-log.ts'
import { scalarValue } from '../scalar-value.ts'
import { createStubClock } from '../stub-clock.ts'

const accepted: Outcome = { kind: 'accepted', networkIds: ['net 1'], receiptExpected: true }

async function openLog(epoch = 7, boot: string | null = 'boot-a') {
  const dataFolder = await mkdtemp(join(tmpdir(), 'onesixty-log-'))
  onTestFinished(() => rm(dataFolder, { recursive: true, force: true }))
  const clock = createStubClock()
  const log = new SubmissionLog({ clock, dataFolder, epoch, boot })
  await log.start()
  onTestFinished(() => log.stop())
  const read = (now: string | null = boot) => readPastSubmissions(dataFolder, now)
  return { log, read, file: join(dataFolder, 'hand-overs.log'), dataFolder, clock }
}

test('after a kill it tells what had left, and what had come of it', async () => {
  const { log, read, file } = await openLog()
  log.logSubmissions(['att_1', 'att_2'])
  log.logOutcome('att_1', accepted)
  const past = await read()
  expect(past?.epoch).toBe(7)
  expect([...(past?.outcomes ?? [])]).toEqual([
    ['att_1', accepted],
    ['att_2', null],
  ])
  expect((statSync(file).mode & 0o777).toString(8)).toBe('600')
})

test('nothing is relied on after the machine went down, nor where it does not say whether it did', async () => {
  const { log, read } = await openLog()
  log.logSubmissions(['att_1'])
  expect(await read('boot-b')).toBeNull()
  expect(await read(null)).toBeNull()
  const unknown = await openLog(7, null)
  expect(unknown.log.isKept).toBe(false)
  expect(() => unknown.log.logSubmissions(['att_1'])).toThrow('not kept')
})

test('a line that was cut off was not written before anything left', async () => {
  const { log, read, file } = await openLog()
  log.logSubmissions(['att_1'])
  appendFileSync(file, 'att_2')
  expect([...((await read())?.outcomes.keys() ?? [])]).toEqual(['att_1'])
  appendFileSync(file, '\natt_1 {"kind":"acc')
  expect([...((await read())?.outcomes ?? [])]).toEqual([
    ['att_1', null],
    ['att_2', null],
  ])
})

test('it begins anew before it grows large, with all that is not flushed yet', async () => {
  const { log, read, file } = await openLog()
  log.logSubmissions(['att_open'])
  log.logSubmissions(['att_answered'])
  log.logOutcome('att_answered', accepted)
  for (let i = 0; i < 30_000; i++) {
    log.logSubmissions([`att_${i}`])
    log.logOutcome(`att_${i}`, accepted)
    log.forget(`att_${i}`)
  }
  expect(statSync(file).size).toBeLessThan(1_200_000)
  const past = await read()
  expect(past?.epoch).toBe(7)
  expect(past?.outcomes.get('att_open')).toBeNull()
  expect(past?.outcomes.get('att_answered')).toEqual(accepted)
})

test('a start takes the place of the file before, and one that cannot be written is not kept', async () => {
  const { log, read, dataFolder, clock } = await openLog()
  log.logSubmissions(['att_1'])
  await log.stop()
  const next = new SubmissionLog({ clock, dataFolder, epoch: 8, boot: 'boot-a' })
  await next.start()
  expect(await read()).toEqual({ epoch: 8, outcomes: new Map() })
  await next.stop()
  expect(next.isKept).toBe(false)
  expect(() => next.logSubmissions(['att_2'])).toThrow('not kept')
  // Its answer may come all the same.
  next.logOutcome('att_2', accepted)
})

/** Names of the files below a folder that this process has open. */
const openFiles = (folder: string): string[] =>
  readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const name = readlinkSync(`/proc/self/fd/${fd}`)
      return name.startsWith(folder) || name === '/dev/full' ? [name] : []
    } catch {
      // The one by which the list was read.
      return []
    }
  })

test('a disk that is full when it begins anew costs it no open file, and is tried again until it has room', async () => {
  const { log, read, file, dataFolder, clock } = await openLog()
  log.logSubmissions(['att_open'])
  // Whatever is written there: the disk is full.
  symlinkSync('/dev/full', `${file}.new`)
  const fill = () => {
    for (let i = 0; i < 30_000; i++) {
      log.logSubmissions([`att_${i}`])
      log.logOutcome(`att_${i}`, accepted)
      log.forget(`att_${i}`)
    }
  }
  expect(fill).toThrow(/ENOSPC|full/)
  expect(log.isKept).toBe(false)
  expect(openFiles(dataFolder)).toEqual([])
  log.logOutcome('att_open', accepted)
  await clock.advance(60_000)
  expect(log.isKept).toBe(false)
  expect(openFiles(dataFolder)).toEqual([])
  rmSync(`${file}.new`)
  await clock.advance(5_000)
  expect(log.isKept).toBe(true)
  // What it was told while it was not kept stands there, and nothing that was not allowed to leave.
  expect(await read()).toEqual({ epoch: 7, outcomes: new Map([['att_open', accepted]]) })
  log.logSubmissions(['att_next'])
  expect((await read())?.outcomes.get('att_next')).toBeNull()
})

test('whatever stands in the file, reading it gives something or nothing, and never throws', async () => {
  const { log, read, file } = await openLog()
  await log.stop()
  const header = readFileSync(file, 'utf8')
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: scalarValue }), fc.boolean(), async (text, hasHeader) => {
      writeFileSync(file, hasHeader ? `${header}${text}` : text)
      const past = await read()
      if (hasHeader) expect(past?.epoch).toBe(7)
    }),
    { numRuns: 25 },
  )
})
