import { Worker, type WorkerOptions } from 'node:worker_threads'
import { filesIn } from '../src/process/folder-files.ts'

/**
 * Replaces `src/process/program-files.ts` in a built program: the same functions, for the places where `scripts/build-program.ts` puts the files. All
 * modules of a build are in one folder, this one too.
 */
const root = new URL('./', import.meta.url)

export const programForm = 'package'

/** The folder of the build. */
export const { folder: programFolder, read: readProgramFile, list: listProgramFiles } = filesIn(root)

export const readReferenceScript = async (): Promise<Buffer> => readProgramFile('reference.js.gz')

export const programModule = (name: string): URL => new URL(`${name}.js`, root)

export const startProgramThread = (name: string, options: WorkerOptions): Worker =>
  new Worker(programModule(name), options)
