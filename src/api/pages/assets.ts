import type { IncomingHttpHeaders } from 'node:http'
import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { readProgramFile, readReferenceScript } from '../../process/program-files.ts'
import { prefersGzip } from '../edge/media-types.ts'
import type { Reply } from '../edge/respond.ts'

const contentTypes = {
  'frame.css': 'text/css; charset=utf-8',
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
  name === 'scalar.js'
    ? readReferenceScript()
    : promisify(gzip)(readProgramFile(`src/api/pages/assets/${name}`))
