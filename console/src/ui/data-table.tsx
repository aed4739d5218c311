import type { ReactNode, TableHTMLAttributes } from 'react'
import styles from './data-table.module.css'

/**
 * Renders a table. Cells with `data-end` (numbers, buttons) are aligned right. A table wider than the page, from
 * `minWidth` on, scrolls in its own container, also by keyboard. Mantine's scroll container would add 19 KB
 * (compressed) to every first load.
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
    // Scrollable areas must be reachable by keyboard (WCAG 2.2, 2.1.1).
    <div className={styles['scroll']} tabIndex={0}>
      {table}
    </div>
  )
}
