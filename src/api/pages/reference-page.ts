import type { Reply } from '../respond.ts'
import { documentOf, html, securityHeaders } from './html.ts'

/**
 * The API reference: our own page around Scalar's script, because Scalar's page has an inline script. It styles its elements one by one,
 * hence the one exception; it loads nothing from elsewhere.
 */
export const referencePage = (): Reply => ({
  status: 200,
  contentType: 'text/html; charset=utf-8',
  body: documentOf(
    'API reference · onesixty',
    html``,
    html`<div id="reference"></div>
      <noscript
        ><p>
          This page draws <a href="/openapi.json">openapi.json</a> and needs JavaScript for it.
        </p></noscript
      >
      <script src="/docs/assets/scalar.js"></script>
      <script src="/docs/assets/reference.js"></script>`,
  ).text,
  headers: securityHeaders(
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src 'self' data:; font-src 'self' data:",
  ),
})
