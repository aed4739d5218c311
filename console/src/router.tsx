import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  notFound,
  redirect,
} from '@tanstack/react-router'
import { loadPart } from './connection/load-part.ts'
import { queryClient } from './api/query-client.ts'
import { knownSession } from './api/session.ts'
import { readSearch } from './messages/history-filter.ts'
import { readOverviewSearch } from './overview/range.ts'
import { NotFound, PageFailed } from './ui/page-states.tsx'
import { Root } from './ui/root.tsx'

/** Returns a page that is loaded when it is first opened. */
const page: typeof lazyRouteComponent = (load, name) => lazyRouteComponent(() => loadPart(load), name)

const root = createRootRoute({ component: Root, notFoundComponent: NotFound, errorComponent: PageFailed })

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: async () => {
    const { user, accounts } = await knownSession(queryClient)
    const [first] = accounts
    if (user === null) throw redirect({ to: '/sign-in' })
    if (first !== undefined)
      throw redirect({ to: '/a/$accountId/$mode', params: { accountId: first.id, mode: 'live' } })
  },
  component: page(() => import('./sign-in/no-account-page.tsx'), 'NoAccountPage'),
})

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  component: page(() => import('./sign-in/sign-in-page.tsx'), 'SignInPage'),
})

const signUp = createRoute({
  getParentRoute: () => root,
  path: '/sign-up',
  component: page(() => import('./sign-in/sign-up-page.tsx'), 'SignUpPage'),
})

const reset = createRoute({
  getParentRoute: () => root,
  path: '/reset',
  component: page(() => import('./sign-in/reset-page.tsx'), 'ResetPage'),
})

const link = createRoute({
  getParentRoute: () => root,
  path: '/link',
  component: page(() => import('./sign-in/link-page.tsx'), 'LinkPage'),
})

const confirmEmail = createRoute({
  getParentRoute: () => root,
  path: '/confirm',
  component: page(() => import('./sign-in/confirm-email-page.tsx'), 'ConfirmEmailPage'),
})

const profile = createRoute({
  getParentRoute: () => root,
  path: '/profile',
  beforeLoad: async () => {
    const { user } = await knownSession(queryClient)
    if (user === null) throw redirect({ to: '/sign-in', search: { next: '/profile' } })
  },
  component: page(() => import('./profile/profile-page.tsx'), 'ProfilePage'),
})

/** First steps of the user's first account. */
const firstStart = createRoute({
  getParentRoute: () => root,
  path: '/start',
  beforeLoad: async () => {
    const { accounts } = await knownSession(queryClient)
    const [first] = accounts
    if (first === undefined) throw redirect({ to: '/' })
    throw redirect({ to: '/a/$accountId/$mode/start', params: { accountId: first.id, mode: 'test' } })
  },
  component: NotFound,
})

/** Pages of one account, in one mode. */
const account = createRoute({
  getParentRoute: () => root,
  path: '/a/$accountId/$mode',
  beforeLoad: async ({ location }) => {
    const { user } = await knownSession(queryClient)
    if (user === null) throw redirect({ to: '/sign-in', search: { next: location.href } })
  },
  component: page(() => import('./ui/account-shell.tsx'), 'AccountShell'),
})

/** Pages of the instance, for operators. */
const operator = createRoute({
  getParentRoute: () => root,
  path: '/operator',
  beforeLoad: async ({ location }) => {
    const { user } = await knownSession(queryClient)
    if (user === null) throw redirect({ to: '/sign-in', search: { next: location.href } })
    if (!user.isOperator) throw notFound()
  },
  component: page(() => import('./operator/operator-shell.tsx'), 'OperatorShell'),
})

const operatorAccounts = createRoute({
  getParentRoute: () => operator,
  path: '/',
  component: page(() => import('./operator/accounts-page.tsx'), 'AccountsPage'),
})

const operatorRules = createRoute({
  getParentRoute: () => operator,
  path: '/rules',
  component: page(() => import('./operator/rules-page.tsx'), 'RulesPage'),
})

const operatorHealth = createRoute({
  getParentRoute: () => operator,
  path: '/health',
  component: page(() => import('./operator/health-page.tsx'), 'HealthPage'),
})

const operatorAudit = createRoute({
  getParentRoute: () => operator,
  path: '/audit',
  component: page(() => import('./operator/audit-page.tsx'), 'AuditPage'),
})

const operatorTokens = createRoute({
  getParentRoute: () => operator,
  path: '/tokens',
  component: page(() => import('./operator/tokens-page.tsx'), 'TokensPage'),
})

const overview = createRoute({
  getParentRoute: () => account,
  path: '/',
  validateSearch: readOverviewSearch,
  component: page(() => import('./overview/overview-page.tsx'), 'OverviewPage'),
})

const balance = createRoute({
  getParentRoute: () => account,
  path: '/balance',
  component: page(() => import('./balance/balance-page.tsx'), 'BalancePage'),
})

const send = createRoute({
  getParentRoute: () => account,
  path: '/send',
  component: page(() => import('./send/send-page.tsx'), 'SendPage'),
})

const devices = createRoute({
  getParentRoute: () => account,
  path: '/devices',
  component: page(() => import('./devices/devices-page.tsx'), 'DevicesPage'),
})

const device = createRoute({
  getParentRoute: () => account,
  path: '/devices/$deviceId',
  component: page(() => import('./devices/device-page.tsx'), 'DevicePage'),
})

const developers = createRoute({
  getParentRoute: () => account,
  path: '/developers',
  component: page(() => import('./developers/developers-page.tsx'), 'DevelopersPage'),
})

const history = createRoute({
  getParentRoute: () => account,
  path: '/history',
  validateSearch: readSearch,
  component: page(() => import('./messages/history-page.tsx'), 'HistoryPage'),
})

const message = createRoute({
  getParentRoute: () => account,
  path: '/history/$messageId',
  component: page(() => import('./messages/message-page.tsx'), 'MessagePage'),
})

const conversations = createRoute({
  getParentRoute: () => account,
  path: '/conversations',
  component: page(() => import('./conversations/conversations-page.tsx'), 'ConversationsPage'),
})

const conversation = createRoute({
  getParentRoute: () => account,
  path: '/conversations/$number',
  component: page(() => import('./conversations/conversation-page.tsx'), 'ConversationPage'),
})

const optOuts = createRoute({
  getParentRoute: () => account,
  path: '/opt-outs',
  component: page(() => import('./opt-outs/opt-outs-page.tsx'), 'OptOutsPage'),
})

const webhooks = createRoute({
  getParentRoute: () => account,
  path: '/webhooks',
  component: page(() => import('./webhooks/webhooks-page.tsx'), 'WebhooksPage'),
})

const endpoint = createRoute({
  getParentRoute: () => account,
  path: '/webhooks/$endpointId',
  component: page(() => import('./webhooks/endpoint-page.tsx'), 'EndpointPage'),
})

const start = createRoute({
  getParentRoute: () => account,
  path: '/start',
  component: page(() => import('./start/start-page.tsx'), 'StartPage'),
})

const members = createRoute({
  getParentRoute: () => account,
  path: '/members',
  component: page(() => import('./members/members-page.tsx'), 'MembersPage'),
})

export const router = createRouter({
  routeTree: root.addChildren([
    home,
    signIn,
    signUp,
    reset,
    link,
    confirmEmail,
    profile,
    firstStart,
    operator.addChildren([operatorAccounts, operatorRules, operatorHealth, operatorTokens, operatorAudit]),
    account.addChildren([
      overview,
      start,
      send,
      history,
      message,
      conversations,
      conversation,
      optOuts,
      devices,
      device,
      balance,
      developers,
      webhooks,
      endpoint,
      members,
    ]),
  ]),
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultErrorComponent: PageFailed,
  defaultNotFoundComponent: NotFound,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
