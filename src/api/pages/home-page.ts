import type { Reply } from '../edge/respond.ts'
import { ownCommandOverNetwork } from '../../process/own-command.ts'
import { html, renderPage } from './html.ts'

/** Page at the public URL without the console. */
export const homePage = (publicUrl: string): Reply =>
  renderPage({
    title: 'onesixty',
    main: html`
    <h1>onesixty</h1>
    <p class="lead">A self-hosted SMS sending service. It is running here.</p>
    <p>A client sends an SMS with one request. onesixty stores it before it responds, charges the account's prepaid balance, submits it to
      a device and reports its status.</p>
    <pre tabindex="0"><code>curl ${publicUrl}/api/v1/send \\
  -H 'Authorization: Bearer &lt;API_KEY&gt;' \\
  -H 'Content-Type: application/json' \\
  -d '{"to": "+15005550006", "text": "Hello"}'</code></pre>
    <p>With a test key no message leaves this machine: it goes to a simulator.</p>
    <table>
      <tr><td><a href="/docs">API reference</a></td><td>The four operations, with all fields and responses.</td></tr>
      <tr><td><a href="/docs/guides">Guides</a></td><td>Phones, modems, SMPP, the simulator, webhooks, received messages, operation.</td></tr>
      <tr><td><a href="/docs/problems">Problems</a></td><td>All errors: their cause, and what to do.</td></tr>
      <tr><td><a href="/openapi.json">openapi.json</a></td><td>The API reference as OpenAPI 3.1.</td></tr>
      <tr><td><a href="/readyz">Readiness</a></td><td>Whether the service is ready.</td></tr>
    </table>
    <p>Create API keys on the command line of the server: <code>${ownCommandOverNetwork()} key create --help</code>.</p>`,
  }) // prettier-ignore
