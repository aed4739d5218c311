"""Judges PDUs by three codecs of Python. A request a line: {"judge": "smspdudecoder", "pdu": "07…", "direction": "mt"}; an answer a line."""

import json
import sys
from io import StringIO

from gsmmodem.pdu import decodeSmsPdu
from messaging.sms import SmsDeliver
from smspdudecoder.fields import SMSDeliver, SMSSubmit


def by_smspdudecoder(pdu, direction):
    read = (SMSSubmit if direction == "mo" else SMSDeliver).decode(StringIO(pdu))
    address = read["recipient" if direction == "mo" else "sender"]
    plus = "+" if address["toa"]["ton"] == "international" else ""
    return {"number": plus + address["number"], "text": read["user_data"]["data"]}


def by_python_messaging(pdu, direction):
    if direction == "mo":
        raise ValueError("It has no decoder for SMS-SUBMIT.")
    read = SmsDeliver(pdu).data
    if read["sr"] is None:
        return {"number": read["number"], "text": read["text"]}
    return {"number": read["sr"]["recipient"], "text": None, "reference": read["ref"], "status": read["sr"]["status"]}


def by_gsmmodem(pdu, direction):
    read = decodeSmsPdu(pdu)
    return {"number": read["number"], "text": read.get("text"), "reference": read.get("reference"), "status": read.get("status")}


judges = {"smspdudecoder": by_smspdudecoder, "python-messaging": by_python_messaging, "gsmmodem": by_gsmmodem}

for line in sys.stdin:
    asked = json.loads(line)
    try:
        answer = judges[asked["judge"]](asked["pdu"], asked["direction"])
    except Exception as error:  # Whatever a codec throws is its judgement.
        answer = {"error": "%s: %s" % (type(error).__name__, error)}
    print(json.dumps(answer, default=bytes.hex), flush=True)
