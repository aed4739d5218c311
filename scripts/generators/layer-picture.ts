import { readFile } from 'node:fs/promises'
import { cruiseSource, readLayers } from '../layers.ts'
import type { Generator } from './generator.ts'

const architecture = new URL('../../ARCHITECTURE.md', import.meta.url)
const begin = '<!-- layers:begin -->'
const end = '<!-- layers:end -->'

/** The picture of the layers in `ARCHITECTURE.md`, drawn from the imports that really exist. */
export const layerPicture: Generator = {
  path: 'ARCHITECTURE.md',
  async render() {
    const page = await readFile(architecture, 'utf8')
    const [before, rest] = page.split(begin)
    const after = rest?.split(end)[1]
    if (before === undefined || after === undefined)
      throw new Error(`ARCHITECTURE.md has no ${begin} … ${end}.`)
    const edges = withoutImplied(await layerEdges())
    const lines = edges.map(([from, to]) => `  ${from} --> ${to}`)
    return `${before}${begin}\n\`\`\`mermaid\nflowchart TD\n${lines.join('\n')}\n\`\`\`\n${end}${after}`
  },
}

type Edge = readonly [from: string, to: string]

/** Which layer imports which, in the order of the layers from the top. */
async function layerEdges(): Promise<Edge[]> {
  const layers = (await readLayers()).flatMap((row) => Object.entries(row))
  const order = layers.map(([name]) => name)
  const layerOf = (module: string): string | undefined =>
    layers.find(([, path]) => new RegExp(path).test(module))?.[0]
  const { modules } = await cruiseSource()
  const edges = new Map<string, Edge>()
  for (const { source, dependencies } of modules) {
    for (const { resolved } of dependencies) {
      const from = layerOf(source)
      const to = layerOf(resolved)
      if (from !== undefined && to !== undefined && from !== to) edges.set(`${from} ${to}`, [from, to])
    }
  }
  const rank = ([from, to]: Edge): number => order.indexOf(from) * order.length + order.indexOf(to)
  return [...edges.values()].toSorted((a, b) => rank(a) - rank(b))
}

/** Leaves out each arrow whose ends are also joined by a longer way: the picture stays readable and says the same. */
function withoutImplied(edges: readonly Edge[]): Edge[] {
  const reaches = (from: string, to: string, without: Edge | null): boolean =>
    edges.some(
      (edge) => edge !== without && edge[0] === from && (edge[1] === to || reaches(edge[1], to, null)),
    )
  return edges.filter((edge) => !reaches(edge[0], edge[1], edge))
}
