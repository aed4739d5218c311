const { document: url } = document.querySelector('#reference').dataset
// The console stores a test key here when a user opens this page from it: requests then run unchanged.
const key = sessionStorage.getItem('onesixty-reference-key')

// Renders the reference. A separate file, because the policy of the page allows no inline scripts.
window.Scalar.createApiReference('#reference', {
  url,
  telemetry: false,
  agent: { disabled: true },
  withDefaultFonts: false,
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  ...(key === null || url !== '/openapi.json'
    ? {}
    : {
        authentication: {
          preferredSecurityScheme: 'apiKey',
          securitySchemes: { apiKey: { token: key } },
        },
      }),
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
})
