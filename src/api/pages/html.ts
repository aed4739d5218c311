import type { Reply } from '../edge/respond.ts'

/** HTML that can be embedded in HTML. */
export class Html {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

type Piece = Html | string | number | readonly Html[]

/** Embeds values in HTML: strings are escaped, `Html` is not. */
export const html = (literals: TemplateStringsArray, ...pieces: readonly Piece[]): Html =>
  new Html(
    literals.map((literal, i) => literal + (i < pieces.length ? textOf(pieces[i] as Piece) : '')).join(''),
  )

const textOf = (piece: Piece): string => {
  if (piece instanceof Html) return piece.text
  return typeof piece === 'object' ? piece.map((part) => part.text).join('') : escapeHtml(String(piece))
}

const escapeHtml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;')

/** Sentences of the catalogue mark code with backticks. */
export const withCode = (sentence: string): Html =>
  new Html(escapeHtml(sentence).replace(/`([^`]+)`/g, '<code>$1</code>'))

export interface PageContent {
  title: string
  main: Html
  /** Parent pages, outermost first. */
  trail?: readonly { name: string; path: string }[]
}

/** Renders a documentation page: no scripts, no external sources, dark mode. */
export const renderPage = ({ title, main, trail = [] }: PageContent): Reply => ({
  status: 200,
  contentType: 'text/html; charset=utf-8',
  body: documentOf(title, html`<link rel="stylesheet" href="/docs/assets/style.css">`, html`
    <header><a class="brand" href="/">onesixty</a>${trail.map(({ name, path }) => html`<a href="${path}">${name}</a>`)}</header>
    <main>${main}</main>`).text, // prettier-ignore
  headers: securityHeaders(plainPolicy),
})

/** Renders the frame of every page; `head` is added to the head. */
export const documentOf = (title: string, head: Html, body: Html): Html =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title}</title>
        <link rel="icon" href="/docs/assets/icon.svg" type="image/svg+xml" />
        ${head}
      </head>
      <body>
        ${body}
      </body>
    </html> `

const plainPolicy = "default-src 'none'; style-src 'self'; img-src 'self'"

export const securityHeaders = (policy: string): Record<string, string> => ({
  'content-security-policy': `${policy}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
})
