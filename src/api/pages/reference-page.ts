import type { Reply } from '../edge/respond.ts'
import { guideRows } from './guide-pages.ts'
import { documentOf, html, pageHeader, securityHeaders } from './html.ts'

/** Content of a reference page, with and without JavaScript. */
interface Reference {
  title: string
  /** Path of the page. */
  path: string
  /** Path of the OpenAPI document. */
  document: string
  operations: readonly { method: string; path: string; summary: string }[]
  credential: string
}

/**
 * Renders a reference page: our own page around the script of Scalar, because the page of Scalar has an
 * inline script. The script styles its elements individually, hence the one exception of the policy; it loads
 * nothing from elsewhere. Without JavaScript the page links to the same content.
 */
export const referencePage = (shown: Reference): Reply => ({
  status: 200,
  contentType: 'text/html; charset=utf-8',
  body: documentOf(
    `${shown.title} · onesixty`,
    html`<link rel="stylesheet" href="/docs/assets/frame.css"><noscript><link rel="stylesheet" href="/docs/assets/style.css"></noscript>`,
    html`${pageHeader(shown.path)}<div id="reference" data-document="${shown.document}"></div>
    <noscript>${withoutScript(shown)}</noscript>
    <script src="/docs/assets/scalar.js"></script>
    <script src="/docs/assets/reference.js"></script>`,
  ).text,
  headers: securityHeaders(
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src 'self' data:; font-src 'self' data:",
  ),
}) // prettier-ignore

const withoutScript = ({ title, document, operations, credential }: Reference) => html`

    <main>
    <h1>${title}</h1>
    <p>This page needs JavaScript, which is disabled. The document <a href="${document}">openapi.json</a> has the same content: all fields, responses
      and examples of these operations:</p>
    <table>${operations.map(({ method, path, summary }) => html`
      <tr><td><code>${method} ${path}</code></td><td>${summary}</td></tr>`)}
    </table>
    <p>Requests and responses are JSON, with the header <code>Authorization: Bearer &lt;${credential}&gt;</code>. All errors are described on
      <a href="/docs/problems">Problems</a>; the <a href="/">start page</a> has an example request.</p>
    <h2>Guides</h2>
    <table>${guideRows()}
    </table>
    </main>` // prettier-ignore
