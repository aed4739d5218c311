import { type GuideName, guidePath, guides, guidesPath } from '../../process/guides.ts'
import { ownCommandOverNetwork } from '../../process/own-command.ts'
import { readProgramFile } from '../../process/program-files.ts'
import type { Reply } from '../edge/respond.ts'
import { type Html, html, renderPage, withCode } from './html.ts'

export const guideNames = Object.keys(guides) as GuideName[]

/** Rows of a table with all guides, for the pages that list them. */
export const guideRows = (): Html[] =>
  guideNames.map((name) => html`
      <tr><td><a href="${guidePath(name)}">${guides[name].title}</a></td><td>${withCode(guides[name].summary)}</td></tr>`) // prettier-ignore

/** Lists all guides on one page. */
export const guideIndexPage = (): Reply =>
  renderPage({
    title: 'Guides · onesixty',
    section: guidesPath,
    main: html`
    <h1>Guides</h1>
    <p>These guides are part of this server: they describe the version that is running, and commands as they are typed on its machine.</p>
    <table>
      <thead><tr><th scope="col">Guide</th><th scope="col">Content</th></tr></thead>
      <tbody>${guideRows()}
      </tbody>
    </table>`,
  }) // prettier-ignore

/**
 * Returns the function that renders a guide. A guide is read and rendered at its first request (2 to 33 ms) and then kept; all of them are 220 kB. The
 * renderer is loaded then too: most servers are never asked for one.
 */
export function createGuides(): (name: GuideName) => Promise<Reply> {
  const kept = new Map<GuideName, Promise<Reply>>()
  return (name) => {
    let page = kept.get(name)
    if (page === undefined) {
      page = renderGuide(name)
      kept.set(name, page)
      page.catch(() => kept.delete(name))
    }
    return page
  }
}

async function renderGuide(name: GuideName): Promise<Reply> {
  const { file } = guides[name]
  const { renderMarkdown } = await import('./render-markdown.ts')
  const text = readProgramFile(file).toString('utf8')
  const { title, sections, body } = renderMarkdown(text, { file, word: ownCommandOverNetwork() })
  return renderPage({
    title: `${title} · onesixty`,
    section: guidesPath,
    main: html`${body}`,
    contents: sections,
  })
}
