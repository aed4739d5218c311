// Judges PDUs by a codec that is not ours: github.com/warthog618/sms. It reads one request a line from standard input,
// {"pdus": ["0001…"], "direction": "mo"}, and writes one line for each with what every PDU says and the text that they make together.
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
	Text  *string `json:"text"`
	Error string  `json:"error,omitempty"`
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
