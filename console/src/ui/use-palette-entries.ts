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

/** What an action of the palette opens over the page. */
export type PaletteDialog = 'create-key' | 'connect-device'

/** What the palette offers for what was typed. Beside an account (in the profile) it is about the person's first one. */
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
    { ...action('shortcuts', 'Keyboard shortcuts', 'Which keys do what'), run: show.shortcuts },
    ...useWayOut(),
  ]
  return [...(place === null ? [] : foundEntries(typed, go)), ...findEntries(fixed, typed)]
}

const action = (id: string, label: string, says: string, words = ''): Omit<Entry, 'run'> => ({
  id,
  group: 'Actions',
  label,
  says,
  words,
})

const dialogActions = ({ mode }: Place, open: (dialog: PaletteDialog) => void): Entry[] => [
  {
    ...action('create-key', `Create a ${mode} key`, 'For a program that sends', 'api new token'),
    run: () => open('create-key'),
  },
  {
    ...action('connect-device', 'Connect a device', 'An Android phone, a link, a simulator', 'add sim smpp'),
    run: () => open('connect-device'),
  },
]

const operatorPages = [
  { to: '/operator', label: 'Operator: accounts', says: 'Open, grant, limit, suspend; erase a number' },
  { to: '/operator/health', label: 'Operator: health', says: 'Whether this instance keeps up' },
  {
    to: '/operator/tokens',
    label: 'Operator: programs',
    says: 'Tokens for a billing system and the like',
  },
  { to: '/operator/audit', label: 'Operator: audit log', says: 'Who did what' },
] as const

/** The pages of who runs this instance, for nobody else. */
function useOperatorEntries(): Entry[] {
  const { data } = useQuery(sessionQuery)
  const navigate = useNavigate()
  if (data?.user?.isOperator !== true) return []
  return operatorPages.map(({ to, label, says }) => ({
    id: to,
    group: 'Pages',
    label,
    says,
    run: () => void navigate({ to }),
  }))
}

function useModeAction(place: Place | null): Entry[] {
  const navigate = useNavigate()
  const { pathname } = useLocation()
  if (place === null) return []
  const other = place.mode === 'live' ? 'test' : 'live'
  const says = other === 'test' ? 'Nothing leaves this server there' : 'What is sent there is real'
  const to = pathname.replace(pathOf(place), pathOf({ ...place, mode: other }))
  return [{ ...action('mode', `Switch to ${other} mode`, says), run: () => void navigate({ to }) }]
}

const schemes = [
  { scheme: 'auto', label: 'Colours by the system', says: 'Light or dark, as this machine is set' },
  { scheme: 'light', label: 'Light colours', says: 'In this browser' },
  { scheme: 'dark', label: 'Dark colours', says: 'In this browser' },
] as const

function useThemeActions(): Entry[] {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return schemes
    .filter(({ scheme }) => scheme !== colorScheme)
    .map(({ scheme, label, says }) => ({
      ...action(`colours-${scheme}`, label, says, 'theme mode colors'),
      run: () => setColorScheme(scheme),
    }))
}

function useWayOut(): Entry[] {
  const signOut = useSignOut()
  return [{ ...action('sign-out', 'Sign out', 'Ends this session', 'log out'), run: () => void signOut() }]
}

/** Where what was typed leads: to a message by its id, or into History with it as the filter. */
function foundEntries(typed: string, go: (path: string, search?: HistorySearch) => void): Entry[] {
  const found = searchFor(typed)
  if ('messageId' in found) {
    const { messageId } = found
    return [
      {
        id: 'found',
        group: 'Found',
        label: 'Open the message',
        says: messageId,
        run: () => go(`/history/${messageId}`),
      },
    ]
  }
  const find = (group: Entry['group'], what: string): Entry[] => [
    {
      id: 'found',
      group,
      label: `Find ${what} in History`,
      says: 'Every message that fits',
      run: () => go('/history', found),
    },
  ]
  if (found.number !== undefined) return find('Found', found.number)
  if (found.send !== undefined) return find('Found', 'what was sent at once')
  return found.text === undefined ? [] : find('Texts', `“${found.text}”`)
}
