/** An existing path: as it is logged, and its methods. */
export interface KnownPath {
  route: string
  methods: readonly string[]
}

/**
 * The methods of all existing paths. A segment of a route can be a parameter (`/mobile/v1/hooks/:secret`),
 * and the last one can match everything below a folder (`/console/assets/*`).
 */
export class KnownPaths {
  readonly #exact = new Map<string, KnownPath>()
  readonly #byFolder = new Map<string, KnownPath>()
  /** Routes with a segment after a parameter. They are few, so they are tried one by one. */
  readonly #patterns: [parts: readonly string[], KnownPath][] = []
  readonly #below: [folder: string, KnownPath][] = []

  add(route: string, methods: readonly string[]): void {
    const colon = route.indexOf('/:')
    const known = { route, methods: [...new Set([...(this.find(route)?.methods ?? []), ...methods])] }
    if (route.endsWith('/*')) this.#below.push([route.slice(0, -1), known])
    else if (colon === -1) this.#exact.set(route, known)
    else if (route.includes('/', colon + 1)) this.#patterns.push([route.split('/'), known])
    else this.#byFolder.set(route.slice(0, colon + 1), known)
  }

  find(path: string): KnownPath | null {
    const slash = path.lastIndexOf('/') + 1
    const inFolder = slash < path.length ? this.#byFolder.get(path.slice(0, slash)) : undefined
    const exact = this.#exact.get(path) ?? inFolder ?? this.#findPattern(path)
    return exact ?? this.#below.find(([folder]) => path.startsWith(folder))?.[1] ?? null
  }

  #findPattern(path: string): KnownPath | undefined {
    if (this.#patterns.length === 0) return undefined
    const given = path.split('/')
    return this.#patterns.find(
      ([parts]) =>
        parts.length === given.length &&
        parts.every((part, i) => part === given[i] || (part.startsWith(':') && given[i] !== '')),
    )?.[1]
  }
}
