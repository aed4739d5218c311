import { measureText } from '../sms/sms-text.ts'
import type { Submission } from './connector.ts'

/** Returns a request as text: its line, its headers and its body. */
export const linesOfRequest = (request: {
  method: string
  url: string
  headers: Readonly<Record<string, string>>
  body: string | null
}): string[] => [
  `${request.method} ${request.url}`,
  ...Object.entries(request.headers).map(([name, value]) => `${name}: ${value}`),
  ...(request.body === null ? [] : ['', request.body]),
]

/** Returns a message whose request is shown; it is never submitted. */
export function exampleOf({ to, from, text }: { to: string; from: string | null; text: string }): Submission {
  const { encoding, parts } = measureText(text, 'auto')
  return {
    attemptId: 'att_example',
    to,
    from,
    text,
    encoding,
    parts,
    category: 'transactional',
    validitySeconds: 86_400,
  }
}
