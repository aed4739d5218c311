import { posix } from 'node:path'
import { Marked, type Tokens } from 'marked'
import { type GuideName, guidePath, guides } from '../../process/guides.ts'
import { Html, html } from './html.ts'

/** A page of `docs/` as HTML. */
export interface RenderedMarkdown {
  /** Text of the first heading. */
  title: string
  /** Headings below it, of the second level. */
  sections: readonly { id: string; title: string }[]
  body: Html
}

/**
 * Renders a page of `docs/` for a server. `file` is its path in the repository: links to other guides become their paths, links to files that a server
 * does not have become the names of these files. `word` is what commands begin with. HTML in the page is omitted: only comments are used, which mark
 * generated parts.
 */
export function renderMarkdown(
  text: string,
  { file, word }: { file: string; word: string },
): RenderedMarkdown {
  const ids = new Set<string>()
  const sections: { id: string; title: string }[] = []
  let title = ''
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth, text: heading }) {
        const inner = this.parser.parseInline(tokens)
        if (depth === 1) {
          title = heading
          return `<h1>${inner}</h1>\n`
        }
        const id = freeId(anchorOf(heading), ids)
        if (depth === 2) sections.push({ id, title: heading.replaceAll('`', '') })
        return `<h${depth} id="${id}"><a href="#${id}">${inner}</a></h${depth}>\n`
      },
      link({ href, tokens, text: linkText, raw }) {
        // An address that is no link in the document is an example, as in `http://127.0.0.1:8170/`.
        if (!raw.startsWith('[')) return html`${linkText}`.text
        const inner = this.parser.parseInline(tokens)
        const target = targetOf(href, file)
        if ('href' in target) return html`<a href="${target.href}">${new Html(inner)}</a>`.text
        const name = html`<code>${target.file}</code>`.text
        return target.file.endsWith(linkText) ? name : `${inner} (${name})`
      },
      code: ({ text: code }) =>
        html`<pre tabindex="0"><code>${code.replaceAll(/^onesixty (?=[a-z-])/gm, `${word} `)}</code></pre>\n`.text,
      codespan: ({ text: code }) =>
        html`<code>${code.replace(/^onesixty (?=[a-z-])/, `${word} `)}</code>`.text,
      table(token: Tokens.Table) {
        // An empty cell of a header is none: a reader of the screen would announce a heading without words.
        const tagOf = (cell: Tokens.TableCell): string => (cell.header && cell.text !== '' ? 'th' : 'td')
        const cells = (row: Tokens.TableCell[]): string =>
          row.map((cell) => `<${tagOf(cell)}${tagOf(cell) === 'th' ? ' scope="col"' : ''}>${this.parser.parseInline(cell.tokens)}</${tagOf(cell)}>`).join('')
        const hasHeader = token.header.some((cell) => cell.text !== '')
        const head = hasHeader ? `<thead><tr>${cells(token.header)}</tr></thead>` : ''
        const rows = token.rows.map((row) => `<tr>${cells(row)}</tr>\n`).join('')
        return `<div class="wide" tabindex="0"><table>${head}<tbody>\n${rows}</tbody></table></div>\n`
      },
      html: () => '',
    },
  }) // prettier-ignore
  const body = new Html(marked.parse(text, { async: false }))
  return { title, sections, body }
}

/** Returns the anchor of a heading, as GitHub makes them: links between documents work in both places. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')

function freeId(id: string, taken: Set<string>): string {
  const free = [id, ...Array.from({ length: taken.size }, (_, i) => `${id}-${i + 1}`)].find(
    (each) => !taken.has(each),
  )
  if (free === undefined) throw new Error(`no anchor is free for ${id}`)
  taken.add(free)
  return free
}

const byFile = new Map<string, GuideName>(
  Object.entries(guides).map(([name, { file }]) => [file, name as GuideName]),
)

/** Returns the address of a link on a server, or the file of the repository that it names. */
function targetOf(href: string, from: string): { href: string } | { file: string } {
  if (/^(?:#|[a-z]+:)/.test(href)) return { href }
  const [path = '', heading] = href.split('#')
  const file = posix.join(posix.dirname(from), path)
  const guide = byFile.get(file)
  return guide === undefined ? { file } : { href: guidePath(guide, heading) }
}
