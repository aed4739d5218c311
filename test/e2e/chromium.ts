import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** The program of the browser. */
    chromiumPath: string
  }
}

/** Vitest calls it before the tests in a browser. */
export async function setup({ provide }: TestProject): Promise<void> {
  provide('chromiumPath', join(await unpackChromium(), 'chromium'))
}

const modules = join(import.meta.dirname, '../../node_modules')
const cache = join(modules, '.cache/onesixty')

/**
 * Unpacks Chromium from npm once for each version (210 MB, 3 s of a processor), where `npm ci` removes it. The folder gets its name when it
 * is complete, so an interrupted run leaves nothing that a later one would start.
 */
async function unpackChromium(): Promise<string> {
  const manifest = await readFile(join(modules, '@sparticuz/chromium/package.json'), 'utf8')
  const { version } = JSON.parse(manifest) as { version: string }
  const folder = join(cache, `chromium-${version}`)
  if (existsSync(folder)) return folder
  await mkdir(cache, { recursive: true })
  const partial = await mkdtemp(join(cache, 'partial-'))
  try {
    await unpackInto(partial)
    await rename(partial, folder)
  } catch (error) {
    await rm(partial, { recursive: true, force: true })
    // Of two runs that unpack at once one is the first.
    if (!existsSync(folder)) throw error
  }
  return folder
}

/** The package knows no folder but the one for temporary files, and takes whatever is there, of any version. */
async function unpackInto(folder: string): Promise<void> {
  const { default: chromium } = await import('@sparticuz/chromium')
  const before = process.env['TMPDIR']
  process.env['TMPDIR'] = folder
  try {
    await chromium.executablePath()
  } finally {
    if (before === undefined) delete process.env['TMPDIR']
    else process.env['TMPDIR'] = before
  }
}
