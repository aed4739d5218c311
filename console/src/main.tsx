import { MantineProvider } from '@mantine/core'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { setNonce } from 'get-nonce'
import { StrictMode, Suspense } from 'react'
import { lazyPart } from './connection/lazy-part.ts'
import { createRoot } from 'react-dom/client'
import { queryClient } from './api/query-client.ts'
import { router } from './router.tsx'
import './ui/mantine-css.ts'
import { readStyleNonce } from './ui/style-nonce.ts'
import { theme, variables } from './ui/theme.ts'

/** Loaded after the page: no notification is shown before the user acts. */
const Notifications = lazyPart(async () => (await import('@mantine/notifications')).Notifications)

const nonce = readStyleNonce()
setNonce(nonce)

const root = document.querySelector('#root')
if (root === null) throw new Error('The page has no root.')
createRoot(root).render(
  <StrictMode>
    <MantineProvider
      theme={theme}
      cssVariablesResolver={variables}
      defaultColorScheme="auto"
      getStyleNonce={() => nonce}
    >
      <QueryClientProvider client={queryClient}>
        <Suspense>
          <Notifications position="top-right" />
        </Suspense>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
)
