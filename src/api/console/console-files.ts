import type { IncomingHttpHeaders } from 'node:http'
import { extname } from 'node:path'
import { listProgramFiles, readProgramFile } from '../../process/program-files.ts'
import { prefersGzip } from '../edge/media-types.ts'
import type { Reply } from '../edge/respond.ts'

/** Output of `scripts/build-console.ts`. */
const folder = 'console/dist/assets'

/** What the build of the console creates. */
const contentTypes: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
}

/**
 * Returns the function that serves a file of the console by its name, or null for a name that the build has not
 * created. The build stores a compressed copy of each text; clients without gzip get the text itself. Names contain a
 * hash of the content, so that browsers cache files permanently. Nothing is cached here: the operating system does.
 */
export function createConsoleFiles(): (name: string, headers: IncomingHttpHeaders) => Reply | null {
  const names = new Set(listProgramFiles(folder))
  return (name, headers) => {
    const contentType = contentTypes[extname(name)]
    if (contentType === undefined || !names.has(name)) return null
    const isCompressed = prefersGzip(headers) && names.has(`${name}.gz`)
    return {
      status: 200,
      contentType,
      body: readProgramFile(`${folder}/${name}${isCompressed ? '.gz' : ''}`),
      headers: {
        ...(isCompressed ? { 'content-encoding': 'gzip' } : {}),
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'Accept-Encoding',
      },
    }
  }
}
