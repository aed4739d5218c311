import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { Worker, type WorkerOptions } from 'node:worker_threads'
import { gzip } from 'node:zlib'
import { filesIn } from './folder-files.ts'
import { extractReferenceScript } from './reference-script.ts'

/**
 * Locates files of the program that are not imported by name. All other modules ask this one, so that a built
 * program (scripts/build-program.ts) replaces only this module: by one for a folder, or by one for a single
 * executable, whose files have no path.
 */
const root = new URL('../../', import.meta.url)
const files = filesIn(root)

/** What form of the program this is, as `onesixty version` says it. */
export const programForm: 'checkout' | 'package' | 'one file' = 'checkout'

/** Returns the folder of the program: that of a checkout, or of a build. */
export const programFolder = files.folder

/**
 * Reads a file of the program by its path in the repository, such as `package.json`. Throws if it does not
 * exist.
 */
export const readProgramFile = files.read

/** Returns the sorted names of the files in a folder of the program, such as `console/dist`; none if it does not exist. */
export const listProgramFiles = files.list

/** Reads the script of the API reference page from its package, compressed by gzip. */
export const readReferenceScript = async (): Promise<Buffer> =>
  promisify(gzip)(
    extractReferenceScript(
      await readFile(new URL(import.meta.resolve('@scalar/fastify-api-reference')), 'utf8'),
    ),
  )

const modules = {
  units: 'src/messages/units.ts',
  'sqlite-worker': 'src/storage/sqlite/sqlite-worker.ts',
} as const

/** Returns the URL of a module that a thread imports. */
export const programModule = (name: keyof typeof modules): URL => new URL(modules[name], root)

/** Starts a thread that runs a module of the program. Throws if the system has no thread left. */
export const startProgramThread = (name: keyof typeof modules, options: WorkerOptions): Worker =>
  new Worker(programModule(name), options)
