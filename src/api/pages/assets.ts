import { readFile } from 'node:fs/promises'
import type { IncomingHttpHeaders } from 'node:http'
import { promisify } from 'node:util'
import { runInNewContext } from 'node:vm'
import { gunzip, gzip } from 'node:zlib'
import { programFile, referencePackage } from '../../process/program-files.ts'
import { prefersGzip } from '../edge/media-types.ts'
import type { Reply } from '../edge/respond.ts'

const contentTypes = {
  'style.css': 'text/css; charset=utf-8',
  'icon.svg': 'image/svg+xml',
  'reference.js': 'text/javascript; charset=utf-8',
  'scalar.js': 'text/javascript; charset=utf-8',
} as const

export type AssetName = keyof typeof contentTypes
export const assetNames = Object.keys(contentTypes) as AssetName[]

/**
 * Returns the function that serves the files of pages, compressed once and cached. For the rare client
 * without gzip they are decompressed again. A file is read at its first request.
 */
export function createAssets(): (name: AssetName, headers: IncomingHttpHeaders) => Promise<Reply> {
  const cached = new Map<AssetName, Promise<Buffer>>()
  return async (name, headers) => {
    let compressed = cached.get(name)
    if (compressed === undefined) {
      compressed = load(name)
      cached.set(name, compressed)
      compressed.catch(() => cached.delete(name))
    }
    const asGzip = prefersGzip(headers)
    return {
      status: 200,
      contentType: contentTypes[name],
      body: asGzip ? await compressed : await promisify(gunzip)(await compressed),
      headers: {
        ...(asGzip ? { 'content-encoding': 'gzip' } : {}),
        'cache-control': 'public, max-age=3600',
        vary: 'Accept-Encoding',
      },
    }
  }
}

const load = async (name: AssetName): Promise<Buffer> =>
  promisify(gzip)(
    name === 'scalar.js' ? await readScalar() : await readFile(programFile(`src/api/pages/assets/${name}`)),
  )

/**
 * Reads the script of the reference page, a string literal in the bundle of its package. Importing the bundle
 * takes 400 ms, in which nothing else runs, and keeps 40 MB; reading the literal from the file takes 30 ms
 * and keeps nothing.
 */
async function readScalar(): Promise<string> {
  const bundle = await readFile(referencePackage(), 'utf8')
  const literal = /^var standalone_default = (".*");$/m.exec(bundle)?.[1]
  if (literal === undefined)
    throw new Error('@scalar/fastify-api-reference has another layout: update the reading of its script.')
  return String(runInNewContext(literal))
}
