import type { ReactNode, TableHTMLAttributes } from 'react'
import styles from './data-table.module.css'

/**
 * A table in the look of the console: a cell with `data-end` (numbers, buttons) stands to the right. One that is wider than the page scrolls by itself, by keyboard
 * too, from `minWidth` on. Mantine's own would bring 19 KB (compressed) of scroll bars to each first load.
 */
export function DataTable(
  properties: TableHTMLAttributes<HTMLTableElement> & { minWidth?: number; caption?: ReactNode },
) {
  const { minWidth, caption, className = '', children, ...rest } = properties
  const table = (
    <table {...rest} className={`${styles['table']} ${className}`} style={{ minWidth }}>
      {caption === undefined ? null : (
        <caption>
          <span className={styles['caption']}>{caption}</span>
        </caption>
      )}
      {children}
    </table>
  )
  return minWidth === undefined ? (
    table
  ) : (
    // What scrolls must be reached by the keyboard (WCAG 2.2, 2.1.1).
    <div className={styles['scroll']} tabIndex={0}>
      {table}
    </div>
  )
}
