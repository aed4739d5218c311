import { Skeleton } from '@mantine/core'
import { type ReactNode, Suspense } from 'react'

/** Renders a part of a page that is loaded on demand, and until then a skeleton of about its height (px). */
export const Later = ({ height, children }: { height: number; children: ReactNode }) => (
  <Suspense fallback={<Skeleton height={height} role="status" aria-busy="true" aria-label="Loading" />}>
    {children}
  </Suspense>
)
