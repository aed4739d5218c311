import { Outlet } from '@tanstack/react-router'
import { Suspense } from 'react'
import { ConnectionBar, useSessionEnd } from '../connection/connection-bar.tsx'
import { lazyPart } from '../connection/lazy-part.ts'
import { Keyboard } from './keyboard.tsx'
import { PageArrival } from './page-arrival.tsx'

const SessionDialog = lazyPart(async () => (await import('../sign-in/session-dialog.tsx')).SessionDialog)

/** Renders what surrounds every page, signed in or not. */
export function Root() {
  const session = useSessionEnd()
  return (
    <>
      <Outlet />
      <PageArrival />
      <Keyboard />
      <ConnectionBar />
      {session === 'asking' ? (
        <Suspense>
          <SessionDialog />
        </Suspense>
      ) : null}
    </>
  )
}
