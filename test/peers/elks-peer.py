"""A messaging service in another language that speaks the API of 46elks, as its pages say (46elks.com/docs/send-sms, sms-history,
sms-delivery-reports and receive-sms, 2026-11-28): POST and GET /a1/sms, GET /a1/sms/{id}, and calls as forms. It prints its port, and ends with
its standard input. `POST /peer` with JSON changes how it answers and lets it call.
"""

import base64
import datetime
import http.server
import json
import sys
import threading
import urllib.parse
import urllib.request
import uuid

LOGIN = "Basic " + base64.b64encode(b"u1:canary-7f3a91").decode()
state = {"mode": "yes", "requests": 0, "messages": []}


def now():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%f")


def shown(message):
    return {name: value for name, value in message.items() if name != "whendelivered"}


def call(url, form):
    body = urllib.parse.urlencode(form).encode()
    with urllib.request.urlopen(urllib.request.Request(url, body), timeout=10) as answer:
        return answer.status


def deliver(word):
    statuses = []
    for message in state["messages"]:
        message["status"] = word
        if message["whendelivered"]:
            form = {"id": message["id"], "status": word}
            if word == "delivered":
                form["delivered"] = now()
            statuses.append(call(message["whendelivered"], form))
    return statuses


def receive(url, sender, text):
    form = {"direction": "incoming", "id": "s" + uuid.uuid4().hex, "from": sender, "to": "+46706860000", "created": now(), "message": text}
    return call(url, form)


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def answer(self, status, value):
        body = (value if isinstance(value, str) else json.dumps(value)).encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/plain" if isinstance(value, str) else "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        url = urllib.parse.urlsplit(self.path)
        if self.headers.get("Authorization") != LOGIN:
            return self.answer(401, "API access requires Basic HTTP authentication.")
        if url.path == "/a1/sms":
            to = urllib.parse.parse_qs(url.query).get("to", [None])[0]
            return self.answer(200, {"data": [shown(each) for each in reversed(state["messages"]) if to in (None, each["to"])]})
        found = [each for each in state["messages"] if url.path == "/a1/sms/" + each["id"]]
        return self.answer(200, shown(found[0])) if found else self.answer(404, "Not Found")

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", "0"))).decode()
        if self.path == "/peer":
            return self.answer(200, {"value": self.control(json.loads(body))})
        if self.headers.get("Authorization") != LOGIN:
            return self.answer(401, "API access requires Basic HTTP authentication.")
        form = dict(urllib.parse.parse_qsl(body))
        missing = [name for name in ("from", "to", "message") if name not in form]
        if missing:
            return self.answer(403, "Missing key " + missing[0])
        state["requests"] += 1
        message = {"id": "s" + uuid.uuid4().hex, "created": now(), "direction": "outgoing", "from": form["from"], "to": form["to"], "message": form["message"], "status": "created", "cost": 3500, "whendelivered": form.get("whendelivered")}
        state["messages"].append(message)
        if state["mode"] == "yes":
            return self.answer(200, shown(message))
        if state["mode"] == "hang":
            threading.Event().wait(60)
        # The message was taken, and nothing says so.
        self.close_connection = True

    def control(self, asked):
        state.update(asked.get("set", {}))
        if "deliver" in asked:
            return deliver(asked["deliver"])
        if "receive" in asked:
            return receive(**asked["receive"])
        return state


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()
print(server.server_address[1], flush=True)
sys.stdin.read()
