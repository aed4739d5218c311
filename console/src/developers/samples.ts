export const languages = ['curl', 'JavaScript', 'Python', 'PHP', 'Go'] as const
export type Language = (typeof languages)[number]

interface Ends {
  url: string
  key: string
}

/** Returns a complete program that sends one SMS. A test runs each of them against the server. */
export const sampleOf = (language: Language, ends: Ends): string => samples[language](ends)

const samples: Readonly<Record<Language, (ends: Ends) => string>> = {
  curl: ({ url, key }) => `curl ${url}/api/v1/send \\
  -H 'Authorization: Bearer ${key}' \\
  -H 'Content-Type: application/json' \\
  -H "Idempotency-Key: $(date +%s%N)" \\
  -d '{"to": "+15005550006", "text": "Hello from onesixty"}'`,

  JavaScript: ({ url, key }) => `const response = await fetch('${url}/api/v1/send', {
  method: 'POST',
  headers: {
    Authorization: 'Bearer ${key}',
    'Content-Type': 'application/json',
    'Idempotency-Key': crypto.randomUUID(),
  },
  body: JSON.stringify({ to: '+15005550006', text: 'Hello from onesixty' }),
})
console.log(response.status, await response.json())`,

  Python: ({ url, key }) => `import json, urllib.request, uuid

request = urllib.request.Request(
    '${url}/api/v1/send',
    data=json.dumps({'to': '+15005550006', 'text': 'Hello from onesixty'}).encode(),
    headers={
        'Authorization': 'Bearer ${key}',
        'Content-Type': 'application/json',
        'Idempotency-Key': str(uuid.uuid4()),
    },
)
with urllib.request.urlopen(request) as response:
    print(response.status, json.load(response))`,

  PHP: ({ url, key }) => `<?php
$request = curl_init('${url}/api/v1/send');
curl_setopt_array($request, [
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_HTTPHEADER => [
        'Authorization: Bearer ${key}',
        'Content-Type: application/json',
        'Idempotency-Key: ' . bin2hex(random_bytes(16)),
    ],
    CURLOPT_POSTFIELDS => json_encode(['to' => '+15005550006', 'text' => 'Hello from onesixty']),
]);
echo curl_exec($request), PHP_EOL;`,

  Go: ({ url, key }) => `package main

import (
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"strings"
)

func main() {
	body := strings.NewReader(\`{"to": "+15005550006", "text": "Hello from onesixty"}\`)
	request, _ := http.NewRequest("POST", "${url}/api/v1/send", body)
	request.Header.Set("Authorization", "Bearer ${key}")
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Idempotency-Key", rand.Text())
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	answer, _ := io.ReadAll(response.Body)
	fmt.Println(response.StatusCode, string(answer))
}`,
}
