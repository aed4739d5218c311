import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { fastifyStatic } from '@fastify/static'
import { programFile } from '../../process/program-files.ts'
import type { Mount } from '../edge/mount.ts'
import { securityHeaders } from '../pages/html.ts'
import type { Reply } from '../edge/respond.ts'

/** Output of `scripts/build-console.ts`. */
const built = fileURLToPath(programFile('console/dist/'))

/**
 * Paths of the pages of the console: each serves the single-page application, which reads the path itself.
 */
const pages = [
  '/',
  '/sign-in',
  '/sign-up',
  '/reset',
  '/profile',
  '/link',
  '/confirm',
  '/start',
  '/a/*',
  '/operator',
  // Listed individually: the operator API has paths below the same prefix.
  '/operator/health',
  '/operator/audit',
  '/operator/tokens',
]
const files = '/console/assets'

/** Placeholder in the built page; each response replaces it with its own nonce. */
const noncePlaceholder = '__NONCE__'

/** Creates the mount of the pages and files of the console; null when they are not built. */
export function createConsolePages(): Mount | null {
  const index = `${built}index.html`
  if (!existsSync(index)) return null
  const page = readFileSync(index, 'utf8')
  return {
    path: '',
    known: new Map([
      ...pages.map((path) => [path, ['GET', 'HEAD']] as const),
      [`${files}/*`, ['GET', 'HEAD']] as const,
    ]),
    addTo(app, { respond }) {
      for (const path of pages) {
        app.route({
          method: ['GET', 'HEAD'],
          url: path,
          handler: async (request, reply) => {
            respond(request, reply, pageReply(page))
            return reply
          },
        })
      }
      // File names contain a hash of the content, so they can be cached permanently.
      void app.register(fastifyStatic, {
        root: `${built}assets`,
        prefix: files,
        preCompressed: true,
        immutable: true,
        maxAge: '365d',
        index: false,
        decorateReply: false,
      })
    },
  }
}

function pageReply(page: string): Reply {
  const nonce = randomBytes(16).toString('base64')
  return {
    status: 200,
    contentType: 'text/html; charset=utf-8',
    body: page.replaceAll(noncePlaceholder, nonce),
    headers: securityHeaders(
      `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'`,
    ),
  }
}
