/** An address that exists: as it may be logged, and what it takes. */
export interface KnownPath {
  route: string
  methods: readonly string[]
}

/**
 * The methods of every address that exists. The last part of a route may be a parameter (`/mobile/v1/hooks/:secret`), or stand for
 * everything below a folder (`/console/assets/*`).
 */
export class KnownPaths {
  readonly #exact = new Map<string, KnownPath>()
  readonly #byFolder = new Map<string, KnownPath>()
  readonly #below: [folder: string, KnownPath][] = []

  add(route: string, methods: readonly string[]): void {
    const colon = route.indexOf('/:')
    const known = { route, methods: [...new Set([...(this.find(route)?.methods ?? []), ...methods])] }
    if (route.endsWith('/*')) this.#below.push([route.slice(0, -1), known])
    else if (colon === -1) this.#exact.set(route, known)
    else this.#byFolder.set(route.slice(0, colon + 1), known)
  }

  find(path: string): KnownPath | null {
    const slash = path.lastIndexOf('/') + 1
    const inFolder = slash < path.length ? this.#byFolder.get(path.slice(0, slash)) : undefined
    const exact = this.#exact.get(path) ?? inFolder
    return exact ?? this.#below.find(([folder]) => path.startsWith(folder))?.[1] ?? null
  }
}
