import styles from './skip-link.module.css'

/** The first stop of the tab key: over the navigation, into the page (WCAG 2.2, 2.4.1). Seen while it has the focus. */
export function SkipLink() {
  return (
    <a
      href="#content"
      className={styles['link']}
      onClick={(event) => {
        // The address stays as it is, since it says which page this is.
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
