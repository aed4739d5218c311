import type { FastifyRequest } from 'fastify'
import {
  type Answer,
  CallRefused,
  type PhoneRouteDeps,
  type ReachOpening,
  type ServerTools,
} from './route.ts'

/** Headers of the page, which loads nothing. */
export const pageHeaders: Record<string, string> = {
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
}

/**
 * Shows that the address of the request leads to this instance; anyone may ask. A browser gets a page, and the
 * check that waits for the link records who opened it.
 */
export async function answerReachRequest(
  { answerReach, openReach }: Pick<PhoneRouteDeps, 'answerReach' | 'openReach'>,
  { addressOf, passageOf }: Pick<ServerTools, 'addressOf' | 'passageOf'>,
  request: FastifyRequest,
): Promise<Answer> {
  const { nonce } = request.params as { nonce: string }
  const reach = answerReach(nonce)
  if (reach === null) throw new CallRefused(400, 'A nonce has 22 to 64 characters of base64url.')
  const { accept = '', host, 'user-agent': userAgent = '' } = request.raw.headers
  if (!accept.includes('text/html')) return { status: 200, json: { reach } }
  const by = { address: addressOf(request), passage: passageOf(request), userAgent, host }
  const opening = await openReach(nonce, by)
  return { status: statuses[opening] ?? 200, page: pageOf(opening) }
}

const statuses: Readonly<Partial<Record<ReachOpening, number>>> = { unknown: 404, too_many: 429 }

const words: Readonly<Record<ReachOpening, readonly [title: string, text: string]>> = {
  reached: [
    'This phone reaches onesixty',
    'Return to the terminal or the console, which show it too. You can close this page.',
  ],
  own_machine: [
    'Opened on the machine of the server',
    'This shows nothing about phones. Scan the QR code with the camera of the phone.',
  ],
  no_phone: [
    'This browser does not say that it runs on a phone',
    'Open the link on the phone. If this is the phone, turn off "Desktop site" in the menu of the browser, and load the page again.',
  ],
  other_address: [
    'Opened by another address than phones are given',
    'This shows nothing about the address of the link. Open the link as it is shown. If a proxy changes the host of requests, let it pass the host on (nginx: proxy_set_header Host $host).',
  ],
  too_many: ['Too many attempts from this network', 'Load the page again in a minute.'],
  unknown: [
    'This link is unknown or has expired',
    'A link is valid for a day. Create a new one in the console, or with the command reach.',
  ],
}

function pageOf(opening: ReachOpening): string {
  const [title, text] = words[opening]
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <meta name="color-scheme" content="light dark" />
    <title>${title}</title>
  </head>
  <body>
    <main>
      <h1>${title}</h1>
      <p>${text.replaceAll('"', '&quot;')}</p>
    </main>
  </body>
</html>
`
}
