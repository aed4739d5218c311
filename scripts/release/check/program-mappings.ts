/** What belongs to a program that was extracted or is read from a folder; libraries of the system and what the server stores do not. */
const isOfProgram = (path: string): boolean =>
  path.startsWith('/') && !/^\/(?:lib|lib64|usr\/lib|dev|proc|memfd:|tmp\/data\/)/.test(path)

const deleted = ' (deleted)'

/**
 * Lists the files of a program, other than the executable, that a process in a tree has mapped (proc_pid_maps(5)) or open (proc_pid_fd(5)). A file that was
 * removed after it was opened is one of them: the kernel names it with ` (deleted)` behind it.
 */
export function otherProgramFiles({
  maps,
  opened,
  root,
}: {
  maps: string
  opened: readonly string[]
  root: string
}): string[] {
  const mapped = [...maps.matchAll(/^\S+ \S+ \S+ \S+ \S+ +(\/.*)$/gm)].map(([, path = '']) => path)
  const inTree = [...mapped, ...opened].map((path) =>
    path.startsWith(root) ? path.slice(root.length) : path,
  )
  return [...new Set(inTree)].filter((path) => isOfProgram(path.replace(deleted, '')) && path !== '/onesixty')
}
