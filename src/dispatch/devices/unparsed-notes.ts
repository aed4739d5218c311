import type { UnreadForm } from '../../devices/status/unread-forms.ts'
import type { UnreadKind } from '../../storage/tables/device-tables.ts'

/** Maximum number of notes between two flushes; what exceeds it is counted without its form. */
const maxHeld = 1_000
const withoutForm = 'not told'
const maxLetters = 100
/** No database stores all of Unicode: a NUL, an unpaired surrogate. */
const notPrinted = /[^\x20-\x7e]/g

/** Collects what devices sent and could not be parsed, until it is stored. */
export class UnparsedNotes {
  readonly #clock: { now(): number }
  readonly #counted: (deviceId: string, kind: UnreadKind) => void
  #notes = new Map<string, UnreadForm>()

  /** `counted` is called for each one, for the metrics. */
  constructor(
    clock: { now(): number },
    counted: (deviceId: string, kind: UnreadKind) => void = () => undefined,
  ) {
    this.#clock = clock
    this.#counted = counted
  }

  /** `form` describes its shape, and contains nothing of sender or text. */
  note(deviceId: string, kind: UnreadKind, form: string): void {
    this.#counted(deviceId, kind)
    const written = form.slice(0, maxLetters).replaceAll(notPrinted, '?') || withoutForm
    const isHeld = this.#notes.size < maxHeld || this.#notes.has(nameOf(deviceId, kind, written))
    const stored = isHeld ? written : withoutForm
    const name = nameOf(deviceId, kind, stored)
    const atMs = this.#clock.now()
    const former = this.#notes.get(name) ?? { deviceId, kind, form: stored, times: 0, firstAt: atMs }
    this.#notes.set(name, { ...former, times: former.times + 1, lastAt: atMs })
  }

  /** Returns and clears what was collected since the last call. */
  take(): UnreadForm[] {
    const notes = [...this.#notes.values()]
    this.#notes = new Map()
    return notes
  }

  /** Adds notes again that could not be stored. */
  giveBack(notes: readonly UnreadForm[]): void {
    for (const given of notes) {
      const isKnown = this.#notes.has(nameOf(given.deviceId, given.kind, given.form))
      const note = isKnown || this.#notes.size < maxHeld ? given : { ...given, form: withoutForm }
      const name = nameOf(note.deviceId, note.kind, note.form)
      const newer = this.#notes.get(name)
      const lastAt = newer?.lastAt ?? note.lastAt
      this.#notes.set(name, { ...note, times: note.times + (newer?.times ?? 0), lastAt })
    }
  }
}

const nameOf = (deviceId: string, kind: UnreadKind, form: string): string => `${deviceId} ${kind} ${form}`
