/** One committed file that is made from the code. `npm run generate` writes it; `npm test` fails when it is stale. */
export interface Generator {
  /** From the root of the repository, with `/`. */
  path: string
  /** The whole new text of the file. The same code must give the same text on every machine. */
  render(): Promise<string>
}
