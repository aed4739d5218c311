import { readFile } from 'node:fs/promises'
import { expect, onTestFinished, test } from 'vitest'
import { epochFile, ProgressFile, readEpochFile, writeEpochFile } from '../../src/storage/epoch-file.ts'
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
