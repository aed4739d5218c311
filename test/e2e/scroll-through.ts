/**
 * For a page to evaluate: scrolls a list of messages by half a screen at a time until its end has been read and stands on the screen; gives how many
 * messages were seen, and the most rows that were there at once.
 */
export const scrollThrough = `(async () => {
  const seen = new Set()
  let most = 0
  for (let still = 0; still < 10; ) {
    const links = document.querySelectorAll('[data-message]')
    const before = seen.size
    for (const { dataset } of links) seen.add(dataset.message)
    most = Math.max(most, links.length)
    const hasEnd = [...document.querySelectorAll('[role="status"]')].some(({ textContent }) => textContent.includes('That is all'))
    const isAtEnd = scrollY + innerHeight >= document.documentElement.scrollHeight - 2
    still = hasEnd && isAtEnd && seen.size === before ? still + 1 : 0
    // By half a screen, and not before what came near it was drawn: else rows would be passed by unseen.
    scrollBy({ top: innerHeight / 2 })
    for (let frame = 0; frame < 3; frame++) await new Promise((next) => requestAnimationFrame(next))
    await new Promise((next) => setTimeout(next, 25))
  }
  return { ids: seen.size, most }
})()`
