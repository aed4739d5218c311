import type { Memory, Storage } from '../setup/storage.ts'
import { fetchOne, isNearlyFull, sweep, type SweepDeps } from './sweep.ts'

/** An SMS or a report that the modem has stored, as it announces it; `index` is null where it does not say which. */
export interface Announced {
  of: 'sms' | 'report'
  memory: string
  index: number | null
}

const names: readonly (Memory | 'SR')[] = ['SM', 'ME', 'MT', 'SR']

/** The memories of a modem on one line: what they have received is passed on and deleted. Its calls must not overlap. */
export class Memories {
  readonly #deps: SweepDeps
  readonly #storage: Pick<Storage, 'swept' | 'hasReports'>
  #isFull = false

  constructor(deps: Omit<SweepDeps, 'reading'>, storage: Pick<Storage, 'swept' | 'hasReports'>) {
    this.#deps = { ...deps, reading: { isOneByOne: false } }
    this.#storage = storage
  }

  /** Whether a memory had little room left at the last sweep. */
  get isFull(): boolean {
    return this.#isFull
  }

  async sweep(): Promise<void> {
    const { swept, hasReports } = this.#storage
    let isFull = false
    for (const memory of [...swept, ...(hasReports ? (['SR'] as const) : [])]) {
      const after = await sweep(this.#deps, memory)
      isFull ||= after !== null && isNearlyFull(after.used, after.places)
    }
    this.#isFull = isFull
  }

  /**
   * Passes on what was announced, or else all that is there. A report is looked for among the reports too, whichever
   * memory is named: a Quectel EC25 announces `+CDSI: "SM",0`, where an SMS may be (asterisk-chan-quectel 75).
   */
  async announced({ of, memory, index }: Announced): Promise<void> {
    const known = names.find((name) => name === memory)
    const isThere = known !== undefined && index !== null && (await fetchOne(this.#deps, known, index))
    if (of === 'report' && known !== 'SR') await sweep(this.#deps, 'SR')
    if (!isThere) await this.sweep()
  }
}
