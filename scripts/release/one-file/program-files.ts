import { dirname } from 'node:path'
import { getAsset, getAssetKeys, getRawAsset } from 'node:sea'
import { Worker, type WorkerOptions } from 'node:worker_threads'

/**
 * Replaces `src/process/program-files.ts` in an executable, where files of the program are assets and have no path. They are not copied: the memory is
 * that of the executable, and cannot be written.
 */
export function readProgramFile(path: string): Buffer {
  if (!names.has(path)) throw Object.assign(new Error(`The program has no ${path}.`), { code: 'ENOENT' })
  return Buffer.from(getRawAsset(path))
}

export const programForm = 'one file'

/** Returns the folder of the executable. */
export const programFolder = (): string => dirname(process.execPath)

const names = new Set(getAssetKeys())

export const listProgramFiles = (folder: string): string[] =>
  [...names]
    .filter((name) => name.startsWith(`${folder}/`) && !name.slice(folder.length + 1).includes('/'))
    .map((name) => name.slice(folder.length + 1))
    .toSorted()

export const readReferenceScript = async (): Promise<Buffer> => readProgramFile('reference.js.gz')

export const programModule = (name: string): URL => new URL(`program:///${name}.js`)

/** A thread of an executable starts with a text, as the executable itself does with boot.cjs. */
export const startProgramThread = (name: string, options: WorkerOptions): Worker =>
  new Worker(`const threadModule = ${JSON.stringify(name)}\n${getAsset('boot.cjs', 'utf8')}`, {
    ...options,
    eval: true,
  })
