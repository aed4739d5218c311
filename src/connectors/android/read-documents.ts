/** What a phone is given to read, and would have to read anew when it changes. */
export type DocumentName = 'settings' | 'webhooks'

/** What the app of a phone has read last, as far as is known: it reads at its start, once a day, and when it is told to. */
export class ReadDocuments {
  #phoneId = ''
  readonly #texts = new Map<DocumentName, string>()

  gave(phoneId: string, name: DocumentName, text: string): void {
    // Of a former registration nothing is left.
    if (phoneId !== this.#phoneId) this.#texts.clear()
    this.#phoneId = phoneId
    this.#texts.set(name, text)
  }

  /** Whether it is another one than the registration has read. */
  isStale(phoneId: string, name: DocumentName, text: string): boolean {
    return phoneId !== this.#phoneId || this.#texts.get(name) !== text
  }
}
