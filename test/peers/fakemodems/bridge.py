"""Serves the fake modems of python-gsmmodem-new's own tests, a port each. They are LGPL and stay where fetch-peers.ts put them.

    python3 bridge.py path/to/fakemodems.py log.ndjson '{"pin": ["HuaweiK3715"], "smsc": "+491710760000"}'

It prints the ports as JSON, and ends with its standard input. The prompt, the answer to a PDU and where noise comes are as in test_modem.py.
"""

import importlib.util
import json
import socketserver
import sys
import threading

# What a ZTE says at any time; test_modem.py has it in front of the prompt and of the reference.
ZTE_NOISE = ['+ZDONR: "Testnetz",262,2,"CS_PS","ROAM_OFF"\r\n', '+ZPASR: "UMTS"\r\n']
NOISE = {"ZteK3565Z": ZTE_NOISE, "QualcommM6280": ZTE_NOISE}
NAMES = ["GenericTestModem", "HuaweiK3715", "HuaweiE1752", "WavecomMultiband900E1800", "QualcommM6280", "ZteK3565Z", "NokiaN79"]


def load(path):
    spec = importlib.util.spec_from_file_location("fakemodems", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Bridge:
    def __init__(self, name, fake, log):
        self.name, self.fake, self.log = name, fake, log
        self.typed, self.at_prompt, self.reference = "", False, 0

    def note(self, kind, text, reference=None):
        self.log.write(json.dumps({"modem": self.name, "kind": kind, "text": text, "reference": reference}) + "\n")
        self.log.flush()

    def take(self, char):
        """Takes one character and gives what the modem says to it."""
        if not self.at_prompt and char == "\r":
            line, self.typed = self.typed, ""
            return self.command(line[line.find("AT"):]) if "AT" in line else []
        if self.at_prompt and char in "\x1a\x1b":
            text, self.typed, self.at_prompt = self.typed, "", False
            return self.submit(text) if char == "\x1a" else ["OK\r\n"]
        if char not in "\n\r\x1a\x1b":
            self.typed += char
        return []

    def command(self, command):
        self.note("command", command)
        said = [line for line in self.fake.getResponse(command + "\r") if isinstance(line, str)]
        if not command.startswith("AT+CMGS=") or said != ["OK\r\n"]:
            return said
        self.at_prompt = True
        return NOISE.get(self.name, []) + ["> \r\n"]

    def submit(self, pdu):
        self.reference = (self.reference + 1) % 256
        self.note("submit", pdu, self.reference)
        return NOISE.get(self.name, []) + ["+CMGS: %d\r\n" % self.reference, "OK\r\n"]


def serve(bridge):
    class Line(socketserver.BaseRequestHandler):
        def handle(self):
            while data := self.request.recv(4096):
                for char in data.decode("latin-1"):
                    said = "".join(bridge.take(char))
                    if said:
                        self.request.sendall(said.encode("latin-1"))

    server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Line)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def main():
    source, log_file, options = load(sys.argv[1]), open(sys.argv[2], "a"), json.loads(sys.argv[3])
    ports = {}
    for name in NAMES:
        fake = getattr(source, name)()
        fake.smscNumber = options["smsc"]
        fake.simBusyErrorCounter = options["simBusy"]
        fake.pinLock = name in options["pin"]
        ports[name] = serve(Bridge(name, fake, log_file))
    print(json.dumps(ports), flush=True)
    sys.stdin.read()


main()
