/** Returns the nonce for style sheets that this page adds; the server sets a new one in each page. */
export const readStyleNonce = (): string =>
  document.querySelector('meta[name="style-nonce"]')?.getAttribute('content') ?? ''
