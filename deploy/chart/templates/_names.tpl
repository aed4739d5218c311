{{- define "onesixty.name" -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "onesixty.labels" -}}
{{ include "onesixty.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "onesixty.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "onesixty.refuse" -}}
{{- if and (gt (int .Values.replicas) 1) (not .Values.database.existingSecret) -}}
{{- fail "replicas above 1 need a database that they share: set database.existingSecret to a secret with DATABASE_URL." -}}
{{- end -}}
{{- if and .Values.database.existingSecret (not .Values.secret.existingSecret) -}}
{{- fail "With a database, all replicas need the same secret: set secret.existingSecret to a secret with ONESIXTY_SECRET." -}}
{{- end -}}
{{- if and .Values.ingress.enabled (not .Values.ingress.host) -}}
{{- fail "ingress.enabled needs ingress.host, the name that clients reach the service by." -}}
{{- end -}}
{{- end -}}
