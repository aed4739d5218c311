/** What a page must never run: each sets `window.xssRan` when it does. */
const attacks = [
  '<script>window.xssRan=1</script>',
  '<img src=x onerror=window.xssRan=1>',
  '<svg onload=window.xssRan=1>',
  '<svg><script>window.xssRan=1</script></svg>',
  '<svg><animate onbegin=window.xssRan=1 attributeName=x dur=1s>',
  '<iframe srcdoc="<script>parent.xssRan=1</script>"></iframe>',
  '<iframe src="javascript:parent.xssRan=1"></iframe>',
  '<body onload=window.xssRan=1>',
  '<details open ontoggle=window.xssRan=1>',
  '<input autofocus onfocus=window.xssRan=1>',
  '<video><source onerror=window.xssRan=1></video>',
  '<audio src=x onerror=window.xssRan=1>',
  '<a href="javascript:window.xssRan=1" autofocus onfocus=window.xssRan=1>x</a>',
  '<math><mtext><table><mglyph><style><img src=x onerror=window.xssRan=1>',
  '<object data="javascript:window.xssRan=1"></object>',
  '<style>@import "javascript:window.xssRan=1"</style>',
  '<meta http-equiv=refresh content="0;url=javascript:window.xssRan=1">',
  '<base href="javascript:window.xssRan=1//">',
  'javascript:window.xssRan=1',
  'data:text/html,<script>window.xssRan=1</script>',
  '{{constructor.constructor("window.xssRan=1")()}}',
  '${window.xssRan=1}',
  '__proto__[xssRan]=1',
  '<template><img src=x onerror=window.xssRan=1></template>',
  '<marquee onstart=window.xssRan=1>x</marquee>',
]

/** The ways out of where a text may stand by mistake. */
const disguises: readonly ((attack: string) => string)[] = [
  (attack) => attack,
  (attack) => `">${attack}`,
  (attack) => `'>${attack}`,
  (attack) => `</title></textarea></script>${attack}`,
  (attack) => `--></style>${attack}`,
  (attack) => `";${attack.replaceAll('<', '\\u003c').replaceAll('>', '\\u003e')}`,
  (attack) => `&quot;&gt;${attack.replaceAll('<', '&lt;').replaceAll('>', '&gt;')}`,
  (attack) =>
    `x ${attack.replaceAll('script', 'scr\0ipt').toUpperCase().replaceAll('WINDOW.XSSRAN', 'window.xssRan')}`,
]

/** 200 strings. */
export const xssStrings: readonly string[] = attacks.flatMap((attack) =>
  disguises.map((disguise) => disguise(attack)),
)
