import type { UnreadForm } from '../../devices/status/unread-forms.ts'
import type { UnreadKind } from '../../storage/tables/device-tables.ts'

/** Bounds what is held between two times of writing; what comes beyond is counted without its form. */
const maxHeld = 1_000
const notTold = 'not told'
const maxLetters = 100
/** No database takes all of Unicode: a NUL, half a surrogate. */
const notPrinted = /[^\x20-\x7e]/g

/** What devices sent and nobody could read, until it is written down. */
export class UnreadNotes {
  readonly #clock: { now(): number }
  readonly #counted: (deviceId: string, kind: UnreadKind) => void
  #notes = new Map<string, UnreadForm>()

  /** `counted` is told of each, for whoever watches. */
  constructor(
    clock: { now(): number },
    counted: (deviceId: string, kind: UnreadKind) => void = () => undefined,
  ) {
    this.#clock = clock
    this.#counted = counted
  }

  /** `form` tells what it looks like, and nothing of who writes what. */
  note(deviceId: string, kind: UnreadKind, form: string): void {
    this.#counted(deviceId, kind)
    const written = form.slice(0, maxLetters).replaceAll(notPrinted, '?') || notTold
    const isHeld = this.#notes.size < maxHeld || this.#notes.has(nameOf(deviceId, kind, written))
    const told = isHeld ? written : notTold
    const name = nameOf(deviceId, kind, told)
    const atMs = this.#clock.now()
    const former = this.#notes.get(name) ?? { deviceId, kind, form: told, times: 0, firstAt: atMs }
    this.#notes.set(name, { ...former, times: former.times + 1, lastAt: atMs })
  }

  /** Gives what came since the last time. */
  take(): UnreadForm[] {
    const notes = [...this.#notes.values()]
    this.#notes = new Map()
    return notes
  }

  /** What could not be written down is to be written down the next time. */
  giveBack(notes: readonly UnreadForm[]): void {
    for (const given of notes) {
      const isKnown = this.#notes.has(nameOf(given.deviceId, given.kind, given.form))
      const note = isKnown || this.#notes.size < maxHeld ? given : { ...given, form: notTold }
      const name = nameOf(note.deviceId, note.kind, note.form)
      const newer = this.#notes.get(name)
      const lastAt = newer?.lastAt ?? note.lastAt
      this.#notes.set(name, { ...note, times: note.times + (newer?.times ?? 0), lastAt })
    }
  }
}

const nameOf = (deviceId: string, kind: UnreadKind, form: string): string => `${deviceId} ${kind} ${form}`
