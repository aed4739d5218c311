/** What a load came to: so many messages or requests. */
export interface Count {
  units: number
  unit: 'message' | 'request'
}

/** How the server of a subject is started so that an instrument sees it, and what surrounds the load that is looked at. */
export interface Probe {
  nodeOptions: readonly string[]
  /** A program with its arguments that starts the server and watches it; none for most. */
  under: readonly string[]
  measure(load: () => Promise<Count>): Promise<void>
}

/** Looks at a server while `use` loads it, and tells in lines what it saw. */
export type Instrument = (use: (probe: Probe) => Promise<void>) => Promise<string[]>
