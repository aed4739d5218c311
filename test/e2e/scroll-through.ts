/**
 * For a page to evaluate: scrolls a list of messages to its end, by less than a screen at a time and not before the list was drawn to the end of the
 * screen, so that none is passed by unseen; gives how many messages were seen, the most rows that were there at once, and what the page showed where it
 * came no further for 20 s (null: it came to the end).
 */
export const scrollThrough = `(async () => {
  const seen = new Set()
  let most = 0
  const nextFrame = () => new Promise((next) => requestAnimationFrame(next))
  const drawn = () => [...document.querySelectorAll('[data-message]')]
  const end = () => [...document.querySelectorAll('[role="status"]')].find(({ textContent }) => textContent.includes(' in total'))
  /** The last row stands above the end, which may be on the screen before the page is scrolled to its own end. */
  const isLast = (row) => end() !== undefined && end().getBoundingClientRect().top - row.getBoundingClientRect().bottom < 100
  const isAtEnd = () => scrollY + innerHeight >= document.documentElement.scrollHeight - 2
  /** Without a gap behind what was seen before, and down to where the screen ends. */
  const isWhole = (rows) =>
    (seen.size === 0 || rows.some(({ dataset }) => seen.has(dataset.message))) &&
    rows.length > 0 &&
    (rows.at(-1).getBoundingClientRect().bottom >= innerHeight || isLast(rows.at(-1)))
  let movedMs = performance.now()
  const shown = () => JSON.stringify({
    scrollY, innerHeight, height: document.documentElement.scrollHeight, rows: drawn().length,
    isSeen: drawn().some(({ dataset }) => seen.has(dataset.message)),
    bottom: drawn().at(-1)?.getBoundingClientRect().bottom,
    says: [...document.querySelectorAll('[role="status"], [role="alert"], main button')].map(({ textContent }) => textContent),
  })
  for (let still = 0; still < 3; await nextFrame()) {
    if (performance.now() - movedMs > 20_000) return { ids: seen.size, most, stuckAt: shown() }
    const rows = drawn()
    if (!isWhole(rows)) continue
    movedMs = performance.now()
    const before = seen.size
    for (const { dataset } of rows) seen.add(dataset.message)
    most = Math.max(most, rows.length)
    still = end() !== undefined && isAtEnd() && seen.size === before ? still + 1 : 0
    scrollBy({ top: 0.8 * innerHeight })
  }
  return { ids: seen.size, most, stuckAt: null }
})()`

/** What it gives. */
export interface Scrolled {
  ids: number
  most: number
  stuckAt: string | null
}
