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
  /** The entry of the navigation that the page belongs to; omitted for the start page. */
  section?: string
  /** Headings of a long page, listed above it. */
  contents?: readonly { id: string; title: string }[]
}

/** The parts of the documentation, on every page of it. */
const parts = [
  { name: 'Guides', path: '/docs/guides' },
  { name: 'API reference', path: '/docs' },
  { name: 'Problems', path: '/docs/problems' },
]

/** Renders the top of every page: the name, which leads home, and the parts of the documentation. */
export const pageHeader = (section?: string): Html => html`
    <header><a class="brand" href="/">onesixty</a>
      <nav aria-label="Documentation">${parts.map(({ name, path }) => html`<a href="${path}"${path === section ? html` aria-current="true"` : ''}>${name}</a>`)}</nav>
    </header>` // prettier-ignore

const fewSections = 3

const contentsOf = (sections: NonNullable<PageContent['contents']>): Html =>
  sections.length < fewSections ? html`` : html`
    <nav class="contents" aria-label="On this page"><ul>${sections.map(({ id, title }) => html`<li><a href="#${id}">${title}</a></li>`)}</ul></nav>` // prettier-ignore

/** Renders a documentation page: no scripts, no external sources, dark mode. */
export const renderPage = ({ title, main, section, contents = [] }: PageContent): Reply => ({
  status: 200,
  contentType: 'text/html; charset=utf-8',
  body: documentOf(title, html`<link rel="stylesheet" href="/docs/assets/frame.css">
    <link rel="stylesheet" href="/docs/assets/style.css">`, html`
${pageHeader(section)}
    <main>${contentsOf(contents)}${main}</main>`).text, // prettier-ignore
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
