import { Skeleton } from '@mantine/core'
import { type ReactNode, Suspense } from 'react'

/** A part of a page that is loaded when it is wanted. Something grey about as high (in pixels) holds its place until it is there. */
export const Later = ({ height, children }: { height: number; children: ReactNode }) => (
  <Suspense fallback={<Skeleton height={height} role="status" aria-busy="true" aria-label="Loading" />}>
    {children}
  </Suspense>
)
