import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Worker, type WorkerOptions } from 'node:worker_threads'

/**
 * Replaces `src/process/program-files.ts` in a built program: the same functions, for the places where `scripts/build-program.ts` puts the files. All
 * modules of a build are in one folder, this one too.
 */
const root = new URL('./', import.meta.url)

/** Returns the folder of the build. */
export const programFolder = (): string => fileURLToPath(root)

export const readProgramFile = (path: string): Buffer => readFileSync(new URL(path, root))

export function listProgramFiles(folder: string): string[] {
  try {
    return readdirSync(new URL(folder, root)).toSorted()
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return []
    throw error
  }
}

export const readReferenceScript = async (): Promise<Buffer> => readProgramFile('reference.js.gz')

export const programModule = (name: string): URL => new URL(`${name}.js`, root)

export const startProgramThread = (name: string, options: WorkerOptions): Worker =>
  new Worker(programModule(name), options)
