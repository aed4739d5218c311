import type { Reply } from '../respond.ts'
import { html, renderPage } from './html.ts'

/** What somebody sees who opens the address of the service. */
export const homePage = (publicUrl: string): Reply =>
  renderPage({
    title: 'onesixty',
    main: html`
    <h1>onesixty</h1>
    <p class="lead">A self-hosted SMS sending service. It is running here.</p>
    <p>A program sends an SMS with one request. onesixty stores it before it answers, takes it off the account's prepaid balance, hands it to
      a sending device and reports what became of it.</p>
    <pre tabindex="0"><code>curl ${publicUrl}/api/v1/send \\
  -H 'Authorization: Bearer &lt;API_KEY&gt;' \\
  -H 'Content-Type: application/json' \\
  -d '{"to": "+15005550006", "text": "Hello"}'</code></pre>
    <p>With a test key nothing leaves this machine: a simulator plays the network.</p>
    <table>
      <tr><td><a href="/docs">API reference</a></td><td>The four operations, with every field and answer.</td></tr>
      <tr><td><a href="/docs/problems">Problems</a></td><td>What may be refused, why, and what to do.</td></tr>
      <tr><td><a href="/openapi.json">openapi.json</a></td><td>The same for machines, OpenAPI 3.1.</td></tr>
      <tr><td><a href="/readyz">Readiness</a></td><td>Whether the service can do its work now.</td></tr>
    </table>
    <p>API keys are made on the command line of the server: <code>npx onesixty key create --help</code>.</p>`,
  }) // prettier-ignore
