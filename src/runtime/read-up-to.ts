/**
 * Reads a body of at most `maxBytes`; null for a larger one, of which no more is read. Rejects as the body does when
 * it ends early.
 */
export async function readUpTo(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer | null> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  // Leaving the loop ends the body.
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > maxBytes) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
