import { readdirSync, readlinkSync, writeSync } from 'node:fs'
import { readFile, rm, symlink } from 'node:fs/promises'
import { expect, onTestFinished, test } from 'vitest'
import {
  epochFile,
  ProgressFile,
  readEpochFile,
  writeEpochFile,
} from '../../src/storage/instance/epoch-file.ts'
import { makeTestFolder, removeTestFolder } from '../test-database.ts'

const said = { epoch: 3, createdAt: 1_763_700_000_000, progress: 7 }

async function open() {
  const folder = await makeTestFolder()
  onTestFinished(() => removeTestFolder(folder))
  await writeEpochFile(folder, said)
  const file = new ProgressFile(folder, said)
  const octets = () => readFile(epochFile(folder), 'latin1')
  return { folder, file, octets }
}

test('a number is written over the one before it, and the file stays as long as it was', async () => {
  const { folder, file, octets } = await open()
  const before = await octets()
  file.write(1_000_000)
  expect((await octets()).length).toBe(before.length)
  expect(await readEpochFile(folder)).toEqual({ ...said, progress: 1_000_000 })
  await file.flush()
  file.close()
  expect(await readEpochFile(folder)).toEqual({ ...said, progress: 1_000_000 })
})

test('a smaller number than the last says nothing', async () => {
  const { folder, file } = await open()
  file.write(9)
  file.write(8)
  expect(file.progress).toBe(9)
  file.close()
  expect(await readEpochFile(folder)).toEqual({ ...said, progress: 9 })
})

/** Writes as the system does, unless `fault` says otherwise. */
async function openFaulty() {
  const folder = await makeTestFolder()
  onTestFinished(() => removeTestFolder(folder))
  await writeEpochFile(folder, said)
  const disk: { fault: (() => number) | null } = { fault: null }
  const writeAt = ((...args: Parameters<typeof writeSync>) =>
    disk.fault?.() ?? writeSync(...args)) as typeof writeSync
  const file = new ProgressFile(folder, said, writeAt)
  return { folder, file, disk }
}

const fails = (code: string): number => {
  throw Object.assign(new Error(`${code}: write`), { code })
}
const faults: readonly [string, () => number, string][] = [
  ['fails', () => fails('EIO'), 'unavailable'],
  ['finds no room', () => fails('ENOSPC'), 'full'],
  ['writes a part', () => 7, 'unavailable'],
]

test.for(faults)('a write that %s is told, and made up for before anything else', async ([, fault, kind]) => {
  const { folder, file, disk } = await openFaulty()
  disk.fault = fault
  expect(() => file.write(9)).toThrow(expect.objectContaining({ name: 'StorageError', fault: kind }))
  // What the process knows is what a database that was put back is held against.
  expect(file.progress).toBe(9)
  expect(() => file.catchUp()).toThrow('nothing is claimed until it can')
  await expect(file.flush()).rejects.toThrow('nothing is claimed until it can')
  disk.fault = null
  file.catchUp()
  expect(await readEpochFile(folder)).toEqual({ ...said, progress: 9 })
  file.close()
})

/** Descriptors of this process that lead there. */
const openAt = (target: string): number =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === target
    } catch {
      return false
    }
  }).length

// fdatasync(2): EINVAL where the file does not support synchronization.
test.skipIf(process.platform !== 'linux')(
  'a file that cannot be flushed is let go of all the same',
  async () => {
    const folder = await makeTestFolder()
    onTestFinished(() => removeTestFolder(folder))
    await rm(epochFile(folder), { force: true })
    await symlink('/dev/full', epochFile(folder))
    const file = new ProgressFile(folder, said)
    expect(openAt('/dev/full')).toBe(1)
    expect(() => file.close()).toThrow('EINVAL')
    expect(openAt('/dev/full')).toBe(0)
  },
)
