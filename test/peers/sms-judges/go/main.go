// Judges PDUs by a codec that is not ours: github.com/warthog618/sms. It reads one request a line from standard input,
// {"pdus": ["0001…"], "direction": "mo"}, and writes one line for each with what every PDU says and the text that they make together.
// {"write": {…}} asks for the PDUs that a network would send, of a text from somebody or of a report.
package main

import (
	"bufio"
	"encoding/hex"
	"encoding/json"
	"os"
	"time"

	"github.com/warthog618/sms"
	"github.com/warthog618/sms/encoding/pdumode"
	"github.com/warthog618/sms/encoding/tpdu"
)

type request struct {
	Pdus      []string `json:"pdus"`
	Direction string   `json:"direction"`
	Write     *writing `json:"write"`
}

// With a recipient it is a report about a part to it, otherwise a text.
type writing struct {
	From string `json:"from"`
	Text string `json:"text"`
	// RFC 3339
	At        string `json:"at"`
	To        string `json:"to"`
	Reference byte   `json:"reference"`
	Status    byte   `json:"status"`
}

type element struct {
	ID   int    `json:"id"`
	Data string `json:"data"`
}

type part struct {
	Error            string    `json:"error,omitempty"`
	Kind             string    `json:"kind"`
	Smsc             string    `json:"smsc"`
	FirstOctet       int       `json:"firstOctet"`
	Reference        int       `json:"reference"`
	Number           string    `json:"number"`
	NumberType       int       `json:"numberType"`
	Pid              int       `json:"pid"`
	Dcs              int       `json:"dcs"`
	ValiditySeconds  int64     `json:"validitySeconds"`
	ValidityAbsolute string    `json:"validityAbsolute"`
	SentAt           string    `json:"sentAt"`
	DoneAt           string    `json:"doneAt"`
	Status           int       `json:"status"`
	Elements         []element `json:"elements"`
	Units            string    `json:"units"`
	Total            int       `json:"total"`
	Part             int       `json:"part"`
	PartReference    int       `json:"partReference"`
}

type response struct {
	Parts []part `json:"parts"`
	// Null where the parts are not one whole text.
	Text *string `json:"text"`
	// What was asked to be written.
	Pdus  []string `json:"pdus,omitempty"`
	Error string   `json:"error,omitempty"`
}

func main() {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, 0, 1<<20), 1<<20)
	out := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var asked request
		answer := response{Parts: []part{}}
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			answer.Error = err.Error()
		} else if asked.Write != nil {
			if answer.Pdus, err = write(*asked.Write); err != nil {
				answer.Error = err.Error()
			}
		} else {
			answer = judge(asked)
		}
		if err := out.Encode(answer); err != nil {
			os.Exit(1)
		}
	}
}

func judge(asked request) response {
	answer := response{Parts: []part{}}
	collector := sms.NewCollector()
	defer collector.Close()
	var whole []*tpdu.TPDU
	for _, pdu := range asked.Pdus {
		read, said := readPart(pdu, asked.Direction)
		answer.Parts = append(answer.Parts, said)
		if read == nil || said.Kind == "status-report" {
			continue
		}
		segments, err := collector.Collect(*read)
		if err != nil {
			answer.Error = err.Error()
		}
		if segments != nil {
			whole = segments
		}
	}
	if whole == nil || answer.Error != "" {
		return answer
	}
	text, err := sms.Decode(whole)
	if err != nil {
		answer.Error = err.Error()
		return answer
	}
	if alphabet, _ := whole[0].Alphabet(); alphabet == tpdu.Alpha8Bit {
		return answer
	}
	joined := string(text)
	answer.Text = &joined
	return answer
}

func readPart(pdu string, direction string) (*tpdu.TPDU, part) {
	framed, err := pdumode.UnmarshalHexString(pdu)
	if err != nil {
		return nil, part{Error: err.Error()}
	}
	option := sms.AsMT
	if direction == "mo" {
		option = sms.AsMO
	}
	read, err := sms.Unmarshal(framed.TPDU, option)
	if err != nil {
		return nil, part{Error: err.Error()}
	}
	address, kind := read.OA, "deliver"
	switch read.SmsType() {
	case tpdu.SmsSubmit:
		address, kind = read.DA, "submit"
	case tpdu.SmsStatusReport:
		address, kind = read.RA, "status-report"
	}
	total, number, reference, ok := read.ConcatInfo()
	if !ok {
		total, number, reference = 1, 1, 0
	}
	said := part{
		Kind: kind, Smsc: framed.SMSC.Number(), FirstOctet: int(read.FirstOctet), Reference: int(read.MR),
		Number: address.Number(), NumberType: int(address.TOA), Pid: int(read.PID), Dcs: int(read.DCS),
		ValiditySeconds: int64(read.VP.Duration / time.Second), ValidityAbsolute: stamp(read.VP.Time), SentAt: stamp(read.SCTS), DoneAt: stamp(read.DT),
		Status: int(read.ST), Elements: []element{}, Units: hex.EncodeToString(read.UD),
		Total: total, Part: number, PartReference: reference,
	}
	for _, one := range read.UDH {
		said.Elements = append(said.Elements, element{ID: int(one.ID), Data: hex.EncodeToString(one.Data)})
	}
	return read, said
}

func stamp(at tpdu.Timestamp) string {
	if at.IsZero() {
		return ""
	}
	return at.Format(time.RFC3339)
}

func write(asked writing) ([]string, error) {
	at, err := time.Parse(time.RFC3339, asked.At)
	if err != nil {
		return nil, err
	}
	stamp := tpdu.Timestamp{Time: at}
	var parts []tpdu.TPDU
	if asked.To != "" {
		report := tpdu.TPDU{Direction: tpdu.MT, FirstOctet: 0x02, MR: asked.Reference, SCTS: stamp, DT: stamp, ST: asked.Status}
		report.RA = addressOf(asked.To)
		parts = []tpdu.TPDU{report}
	} else {
		template := tpdu.TPDU{Direction: tpdu.MT, SCTS: stamp}
		template.OA = addressOf(asked.From)
		// Not with all charsets: v0.3.0 forgets TP-UDHI before the header of a language.
		if parts, err = sms.Encode([]byte(asked.Text), sms.WithTemplate(template), sms.AsDeliver); err != nil {
			return nil, err
		}
	}
	var pdus []string
	for _, one := range parts {
		octets, err := one.MarshalBinary()
		if err != nil {
			return nil, err
		}
		framed := pdumode.PDU{TPDU: octets}
		text, err := framed.MarshalHexString()
		if err != nil {
			return nil, err
		}
		pdus = append(pdus, text)
	}
	return pdus, nil
}

// A number with a plus is international, digits are of an unknown type, and anything else is a name.
func addressOf(text string) tpdu.Address {
	address := tpdu.NewAddress()
	if text[0] == '+' {
		address.SetNumber(text)
		return address
	}
	address.Addr = text
	address.SetNumberingPlan(tpdu.NpISDN)
	for _, letter := range text {
		if letter < '0' || letter > '9' {
			address.SetTypeOfNumber(tpdu.TonAlphanumeric)
		}
	}
	return address
}
