import styles from './skip-link.module.css'

/** First tab stop: skips the navigation (WCAG 2.2, 2.4.1). Visible only while focused. */
export function SkipLink() {
  return (
    <a
      href="#content"
      className={styles['link']}
      onClick={(event) => {
        // Keeps the URL: it identifies the page.
        event.preventDefault()
        const main = document.querySelector('main')
        if (main === null) return
        main.tabIndex = -1
        main.focus()
      }}
    >
      Skip to content
    </a>
  )
}
