import type { Reply } from '../respond.ts'
import { documentOf, html, securityHeaders } from './html.ts'

/** What a page is drawn from, and what it says without JavaScript. */
interface Reference {
  title: string
  /** Where the OpenAPI document is. */
  document: string
  operations: readonly { method: string; path: string; summary: string }[]
  credential: string
}

/**
 * A reference: our own page around Scalar's script, because Scalar's page has an inline script. It styles its elements one by one,
 * hence the one exception; it loads nothing from elsewhere. Without JavaScript it says where the same stands to be read.
 */
export const referencePage = (shown: Reference): Reply => ({
  status: 200,
  contentType: 'text/html; charset=utf-8',
  body: documentOf(
    `${shown.title} · onesixty`,
    html`<noscript><link rel="stylesheet" href="/docs/assets/style.css"></noscript>`,
    html`<div id="reference" data-document="${shown.document}"></div>
    <noscript>${withoutScript(shown)}</noscript>
    <script src="/docs/assets/scalar.js"></script>
    <script src="/docs/assets/reference.js"></script>`,
  ).text,
  headers: securityHeaders(
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src 'self' data:; font-src 'self' data:",
  ),
}) // prettier-ignore

const withoutScript = ({ title, document, operations, credential }: Reference) => html`
    <header><a class="brand" href="/">onesixty</a></header>
    <main>
    <h1>${title}</h1>
    <p>This page is drawn from <a href="${document}">openapi.json</a> by JavaScript, which is switched off here. That document holds every field, answer
      and example of these operations:</p>
    <table>${operations.map(({ method, path, summary }) => html`
      <tr><td><code>${method} ${path}</code></td><td>${summary}</td></tr>`)}
    </table>
    <p>JSON both ways, with the header <code>Authorization: Bearer &lt;${credential}&gt;</code>. What may be refused, and what to do about it, stands on the pages of
      the <a href="/docs/problems">problems</a>; the <a href="/">first page</a> has a request to try.</p>
    </main>` // prettier-ignore
