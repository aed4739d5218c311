/** The nonce with which this page may add style sheets of its own; the server puts a new one into each page. */
export const readStyleNonce = (): string =>
  document.querySelector('meta[name="style-nonce"]')?.getAttribute('content') ?? ''
