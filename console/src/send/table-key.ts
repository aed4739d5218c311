/**
 * Returns the idempotency key of a table. It is stored in this tab until the table is done, under a hash of its whole
 * content, so that a reloaded page continues with the same key and sends no row twice.
 */
export async function keyOfTable(content: unknown): Promise<{ key: string; remove: () => void }> {
  const place = `onesixty-table-${await hashOf(JSON.stringify(content))}`
  const key = sessionStorage.getItem(place) ?? crypto.randomUUID()
  sessionStorage.setItem(place, key)
  return { key, remove: () => sessionStorage.removeItem(place) }
}

async function hashOf(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
