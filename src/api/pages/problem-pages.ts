import { type ProblemCode, problems, refuse } from '../../runtime/errors.ts'
import { renderProblem } from '../edge/problem.ts'
import type { Reply } from '../edge/respond.ts'
import { guideRows } from './guide-pages.ts'
import { html, renderPage, withCode } from './html.ts'
import { helpFor } from './problem-help.ts'
import { problemExamples } from './problem-examples.ts'

const section = '/docs/problems'

export const problemCodes = Object.keys(problems) as ProblemCode[]

/** Lists all problems on one page. */
export const problemIndexPage = (): Reply =>
  renderPage({
    title: 'Problems · onesixty',
    section,
    main: html`
    <h1>Problems</h1>
    <p>Errors are problem documents (<a href="https://www.rfc-editor.org/rfc/rfc9457">RFC 9457</a>). Branch on <code>code</code>; its meaning never
      changes. Every error of a send except <code>outcome_unknown</code> ends with “Nothing was sent.”</p>
    <table>
      <thead><tr><th scope="col">Status</th><th scope="col">Code</th><th scope="col">Meaning</th></tr></thead>
      <tbody>${problemCodes.map((code) => html`
        <tr><td class="status">${problems[code].status}</td><td><a href="/docs/problems/${code}"><code>${code}</code></a></td><td>${withCode(problems[code].summary)}</td></tr>`)}
      </tbody>
    </table>
    <h2>Guides</h2>
    <table>${guideRows()}
    </table>`,
  }) // prettier-ignore

/** Describes one problem: its meaning, what to do, and an example. */
export function problemPage(code: ProblemCode, publicUrl: string): Reply {
  const { status, summary, remedy } = problems[code]
  return renderPage({
    title: `${code} · onesixty`,
    section,
    main: html`
    <p class="status">HTTP ${status}</p>
    <h1><code>${code}</code></h1>
    <p class="lead">${withCode(summary)}</p>
    <h2>What to do</h2>
    <p>${withCode(remedy)}</p>${helpFor(code)}
    <h2>Example</h2>
    <pre tabindex="0"><code>${JSON.stringify(problemExample(code, publicUrl), null, 2)}</code></pre>`,
  }) // prettier-ignore
}

/** Returns a problem document as an operation would return it. */
export function problemExample(code: ProblemCode, publicUrl: string): object {
  const { isSend = false, ...extra } = problemExamples[code] ?? {}
  const context = { publicUrl, requestId: 'req_01k9ktqv1gfx8r4z6m2d7cwn5e', isSend }
  return JSON.parse(renderProblem(refuse(code, extra), context)) as object
}
