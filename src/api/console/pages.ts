import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { fastifyStatic } from '@fastify/static'
import { programFile } from '../../process/program-files.ts'
import type { Mount } from '../mount.ts'
import { securityHeaders } from '../pages/html.ts'
import type { Reply } from '../respond.ts'

/** Where `scripts/build-console.ts` puts what it builds. */
const built = fileURLToPath(programFile('console/dist/'))

/** The addresses of the console's pages: each is the one page application, which reads its own address. */
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
  // One by one: the operator's interface for programs stands below the same word.
  '/operator/health',
  '/operator/audit',
  '/operator/tokens',
]
const files = '/console/assets'

/** Stands in the built page where each answer puts a nonce of its own. */
const noncePlace = '__NONCE__'

/** The console's pages and files, to be mounted; null when they have not been built. */
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
      // Names of files hold a hash of what is in them, so that they may be kept for ever.
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
    body: page.replaceAll(noncePlace, nonce),
    headers: securityHeaders(
      `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; font-src 'self'; connect-src 'self'; manifest-src 'self'`,
    ),
  }
}
