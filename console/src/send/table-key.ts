/**
 * The key of a table that is being sent. It lies in this tab until the table is done, under a hash of all that would be sent, so that a page
 * that was loaded anew goes on with the same key and sends no row twice.
 */
export async function keyOfTable(content: unknown): Promise<{ key: string; forget: () => void }> {
  const place = `onesixty-table-${await hashOf(JSON.stringify(content))}`
  const key = sessionStorage.getItem(place) ?? crypto.randomUUID()
  sessionStorage.setItem(place, key)
  return { key, forget: () => sessionStorage.removeItem(place) }
}

async function hashOf(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
