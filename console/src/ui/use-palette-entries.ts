import { useMantineColorScheme } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useLocation, useNavigate } from '@tanstack/react-router'
import type { Place } from '../api/call.ts'
import { pathOf, usePlace } from '../api/place.ts'
import { sessionQuery } from '../api/session.ts'
import { type HistorySearch, searchFor } from '../messages/history-filter.ts'
import { pages } from '../pages.ts'
import { type Entry, findEntries, pageEntries } from './palette-entries.ts'
import { useSignOut } from './use-sign-out.ts'

/** A dialog that an action of the palette opens. */
export type PaletteDialog = 'create-key' | 'connect-device'

/** Returns the entries that match. Outside of an account (in the profile), they are for the user's first one. */
export function usePaletteEntries(
  typed: string,
  show: { dialog: (dialog: PaletteDialog) => void; shortcuts: () => void },
): readonly Entry[] {
  const { data } = useQuery(sessionQuery)
  const here = usePlace()
  const navigate = useNavigate()
  const first = data?.accounts[0]
  const place: Place | null = here ?? (first === undefined ? null : { accountId: first.id, mode: 'live' })
  const go = (path: string, search: HistorySearch = {}): void => {
    if (place !== null) void navigate({ to: pathOf(place, path), search })
  }
  const fixed = [
    ...(place === null ? [] : pageEntries(pages, go)),
    ...useOperatorEntries(),
    {
      ...action('profile', 'Profile and security', 'Name, password, second factor, sessions'),
      group: 'Pages',
      run: () => void navigate({ to: '/profile' }),
    } as const,
    ...(here === null ? [] : dialogActions(here, show.dialog)),
    ...useModeAction(here),
    ...useThemeActions(),
    { ...action('shortcuts', 'Keyboard shortcuts', 'List of keyboard shortcuts'), run: show.shortcuts },
    ...useSignOutEntry(),
  ]
  return [...(place === null ? [] : foundEntries(typed, go)), ...findEntries(fixed, typed)]
}

const action = (id: string, label: string, description: string, words = ''): Omit<Entry, 'run'> => ({
  id,
  group: 'Actions',
  label,
  description,
  words,
})

const dialogActions = ({ mode }: Place, open: (dialog: PaletteDialog) => void): Entry[] => [
  {
    ...action('create-key', `Create ${mode} key`, 'For an application that sends', 'api new token'),
    run: () => open('create-key'),
  },
  {
    ...action(
      'connect-device',
      'Connect device',
      'Android phone, GSM modem, SMPP connection, simulator',
      'add sim link',
    ),
    run: () => open('connect-device'),
  },
]

const operatorPages = [
  {
    to: '/operator',
    label: 'Instance: accounts',
    description: 'Create accounts, grant SMS, set limits, suspend; erase a number',
  },
  { to: '/operator/rules', label: 'Instance: rules', description: 'Over which devices messages go' },
  { to: '/operator/health', label: 'Instance: health', description: 'Database, memory, response times' },
  {
    to: '/operator/tokens',
    label: 'Instance: API tokens',
    description: 'For clients of the operator API, such as a billing system',
  },
  { to: '/operator/audit', label: 'Instance: audit log', description: 'Who did what, and when' },
] as const

/** Returns the pages of the operator, to operators only. */
function useOperatorEntries(): Entry[] {
  const { data } = useQuery(sessionQuery)
  const navigate = useNavigate()
  if (data?.user?.isOperator !== true) return []
  return operatorPages.map(({ to, label, description }) => ({
    id: to,
    group: 'Pages',
    label,
    description,
    words: 'operator admin',
    run: () => void navigate({ to }),
  }))
}

function useModeAction(place: Place | null): Entry[] {
  const navigate = useNavigate()
  const { pathname } = useLocation()
  if (place === null) return []
  const other = place.mode === 'live' ? 'test' : 'live'
  const description =
    other === 'test' ? 'Test messages never leave this server' : 'Live messages are really sent'
  const to = pathname.replace(pathOf(place), pathOf({ ...place, mode: other }))
  return [{ ...action('mode', `Switch to ${other} mode`, description), run: () => void navigate({ to }) }]
}

const schemes = [
  { scheme: 'auto', label: 'System theme', description: 'Light or dark, as set on this device' },
  { scheme: 'light', label: 'Light theme', description: 'In this browser' },
  { scheme: 'dark', label: 'Dark theme', description: 'In this browser' },
] as const

function useThemeActions(): Entry[] {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return schemes
    .filter(({ scheme }) => scheme !== colorScheme)
    .map(({ scheme, label, description }) => ({
      ...action(`colours-${scheme}`, label, description, 'colours mode colors'),
      run: () => setColorScheme(scheme),
    }))
}

function useSignOutEntry(): Entry[] {
  const signOut = useSignOut()
  return [{ ...action('sign-out', 'Sign out', 'End this session', 'log out'), run: () => void signOut() }]
}

/** Returns where the typed text leads: to a message by its ID, or to History with it as the filter. */
function foundEntries(typed: string, go: (path: string, search?: HistorySearch) => void): Entry[] {
  const found = searchFor(typed)
  if ('messageId' in found) {
    const { messageId } = found
    return [
      {
        id: 'found',
        group: 'Messages',
        label: 'Open message',
        description: messageId,
        run: () => go(`/history/${messageId}`),
      },
    ]
  }
  const find = (group: Entry['group'], what: string): Entry[] => [
    {
      id: 'found',
      group,
      label: `Find ${what} in History`,
      description: 'All matching messages',
      run: () => go('/history', found),
    },
  ]
  if (found.number !== undefined) return find('Messages', found.number)
  if (found.send !== undefined) return find('Messages', 'messages of this send')
  return found.text === undefined ? [] : find('Message texts', `“${found.text}”`)
}
