import { Outlet } from '@tanstack/react-router'
import { Keyboard } from './keyboard.tsx'
import { PageArrival } from './page-arrival.tsx'

/** What is around every page, signed in or not. */
export function Root() {
  return (
    <>
      <Outlet />
      <PageArrival />
      <Keyboard />
    </>
  )
}
