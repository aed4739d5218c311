import { spawnSync } from 'node:child_process'
import { rmSync, statfsSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasCode } from '../../src/process/durable-file.ts'
import type { ApiSend } from '../api-client.ts'
import { eventually } from '../eventually.ts'
import { cliProcess } from '../harness.ts'
import { sizeOf } from '../proof-sizes.ts'
import { type CrashHouse, expectNothingLostNorDoubled, openCrashHouse } from './crash-house.ts'

const rounds = sizeOf('FULL_DISKS')
const diskBytes = 48 * 1_048_576
const leftBytes = 400_000
const folder = await mkdtemp(join(tmpdir(), 'onesixty-disk-'))
const temporary = process.env['TMPDIR']
// A small disk in memory wants a machine that lets us mount one, as a container that is root does.
const hasDisk =
  process.platform === 'linux' &&
  spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${diskBytes}`, 'tmpfs', folder]).status === 0

afterAll(async () => {
  if (hasDisk) spawnSync('umount', [folder])
  await rm(folder, { recursive: true })
})

describe.skipIf(!hasDisk)('a server whose disk is full', () => {
  let house: CrashHouse
  let logs: string
  const accepted = new Map<string, ApiSend>()
  beforeAll(async () => {
    logs = await mkdtemp(join(tmpdir(), 'onesixty-disk-peer-'))
    process.env['TMPDIR'] = folder
    house = await openCrashHouse({ window: '20', delay_ms: '200' }, { peerFolder: logs })
  })
  afterAll(async () => {
    await house?.close()
    if (temporary === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = temporary
    await rm(logs, { recursive: true })
  })

  test('says 507 and accepts nothing that it cannot keep, can be read, and goes on by itself when there is room', async () => {
    for (let round = 0; round < rounds; round++) {
      for (let n = 0; n < 10; n++) expect(await sendOne(`before ${round} ${n}`)).toBe(202)
      fill()
      await eventually(
        () => sendOne(`full ${round}`),
        (status) => expect(status).toBe(507),
        20_000,
      )
      expect((await house.client.balance(house.liveKey)).granted).toBe(house.granted)
      expect((await house.client.history(house.liveKey)).length).toBeGreaterThan(0)
      rmSync(filler)
      await eventually(
        () => sendOne(`after ${round}`),
        (status) => expect(status).toBe(202),
        20_000,
      )
    }
    expect(statuses, 'nothing but yes and no room').toEqual(new Set([202, 507]))
    await house.drained(60_000)
    const messages = await expectNothingLostNorDoubled({ ...house, expectSound }, [{ accepted }])
    expect(messages.length).toBeGreaterThanOrEqual(rounds * 11)
  })

  /** The doctor has nothing to say but that the disk is small. */
  async function expectSound(): Promise<void> {
    const { stdout } = await cliProcess(['doctor', '--json'], house)
    const { checks } = JSON.parse(stdout) as { checks: { name: string; ok: boolean }[] }
    expect(checks.filter(({ name, ok }) => !ok && name !== 'free_space')).toEqual([])
    expect(checks.length).toBeGreaterThan(5)
  }

  const statuses = new Set<number>()
  let sent = 0
  /** Gives what was answered; what was accepted is in the client's log. */
  async function sendOne(text: string): Promise<number> {
    const marker = `disk-${sent++}`
    const { status, body } = await house.client.send(house.liveKey, {
      to: '+4915112345678',
      text: `${marker} ${text}`,
    })
    statuses.add(status)
    if (status === 202) accepted.set(marker, body)
    return status
  }
})

const filler = join(folder, 'filler')

/** Leaves a little room; anew where the server has written more than that since it was measured. */
function fill(triesLeft = 20): void {
  try {
    writeFileSync(filler, Buffer.alloc(Math.max(0, freeBytes() - leftBytes)))
  } catch (error) {
    if (!hasCode(error, 'ENOSPC') || triesLeft === 0) throw error
    rmSync(filler)
    fill(triesLeft - 1)
  }
}

const freeBytes = (): number => {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}
