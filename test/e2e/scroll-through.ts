/**
 * For a page to evaluate: scrolls a list of messages to its end, by less than a screen at a time and not before the list was drawn to the end of the
 * screen, so that none is passed by unseen; gives how many messages were seen, and the most rows that were there at once.
 */
export const scrollThrough = `(async () => {
  const seen = new Set()
  let most = 0
  const nextFrame = () => new Promise((next) => requestAnimationFrame(next))
  const drawn = () => [...document.querySelectorAll('[data-message]')]
  const hasEnd = () => [...document.querySelectorAll('[role="status"]')].some(({ textContent }) => textContent.includes('That is all'))
  const isAtEnd = () => scrollY + innerHeight >= document.documentElement.scrollHeight - 2
  /** Without a gap behind what was seen before, and down to where the screen ends. */
  const isWhole = (rows) =>
    (seen.size === 0 || rows.some(({ dataset }) => seen.has(dataset.message))) &&
    (rows.at(-1)?.getBoundingClientRect().bottom >= innerHeight || (hasEnd() && isAtEnd()))
  for (let still = 0; still < 3; await nextFrame()) {
    const rows = drawn()
    if (!isWhole(rows)) continue
    const before = seen.size
    for (const { dataset } of rows) seen.add(dataset.message)
    most = Math.max(most, rows.length)
    still = hasEnd() && isAtEnd() && seen.size === before ? still + 1 : 0
    scrollBy({ top: 0.8 * innerHeight })
  }
  return { ids: seen.size, most }
})()`
