/** Documents that a phone reads, and must read again when they change. */
export type DocumentName = 'settings' | 'webhooks'

/**
 * What the app of a phone has last read, as far as is known: it reads at its start, once a day, and when it
 * is notified.
 */
export class ReadDocuments {
  #phoneId = ''
  readonly #texts = new Map<DocumentName, string>()

  gave(phoneId: string, name: DocumentName, text: string): void {
    // Of a former registration nothing is kept.
    if (phoneId !== this.#phoneId) this.#texts.clear()
    this.#phoneId = phoneId
    this.#texts.set(name, text)
  }

  /** Returns whether it differs from what the registration has read. */
  isStale(phoneId: string, name: DocumentName, text: string): boolean {
    return phoneId !== this.#phoneId || this.#texts.get(name) !== text
  }
}
