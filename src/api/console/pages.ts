import { randomBytes } from 'node:crypto'
import { listProgramFiles, readProgramFile } from '../../process/program-files.ts'
import type { Mount } from '../edge/mount.ts'
import { securityHeaders } from '../pages/html.ts'
import type { Reply } from '../edge/respond.ts'
import { createConsoleFiles } from './console-files.ts'

/** Output of `scripts/build-console.ts`. */
const built = 'console/dist'

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
  '/operator/rules',
  '/operator/audit',
  '/operator/tokens',
]
const files = '/console/assets'

/** Placeholder in the built page; each response replaces it with its own nonce. */
const noncePlaceholder = '__NONCE__'

/** Creates the mount of the pages and files of the console; null when they are not built. */
export function createConsolePages(): Mount | null {
  if (!listProgramFiles(built).includes('index.html')) return null
  const page = readProgramFile(`${built}/index.html`).toString()
  const fileReply = createConsoleFiles()
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
      app.route<{ Params: { '*': string } }>({
        method: ['GET', 'HEAD'],
        url: `${files}/*`,
        handler: async (request, reply) => {
          const answer = fileReply(request.params['*'], request.headers)
          if (answer === null) return reply.callNotFound()
          respond(request, reply, answer)
          return reply
        },
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
