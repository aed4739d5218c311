// Reads and writes SMS PDUs with github.com/warthog618/sms: one JSON request a line, one JSON answer a line.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/warthog618/sms"
	"github.com/warthog618/sms/encoding/pdumode"
	"github.com/warthog618/sms/encoding/tpdu"
)

type request struct {
	// "read" joins what the PDUs say; "write" makes those that a network sends.
	Do string `json:"do"`
	// Hexadecimal, with the service centre before each.
	Pdus []string `json:"pdus"`
	// "mo": a modem has written them. "mt": a network has.
	Direction string `json:"direction"`

	From string `json:"from"`
	Text string `json:"text"`
	// RFC 3339
	At     string `json:"at"`
	To     string `json:"to"`
	Status byte   `json:"status"`
	Mr     byte   `json:"mr"`
}

type answer struct {
	Error string   `json:"error,omitempty"`
	Pdus  []string `json:"pdus,omitempty"`

	Centre    string `json:"centre"`
	Type      string `json:"type"`
	From      string `json:"from"`
	FromType  byte   `json:"fromType"`
	To        string `json:"to"`
	ToType    byte   `json:"toType"`
	Report    bool   `json:"report"`
	Text      string `json:"text"`
	Pid       byte   `json:"pid"`
	Dcs       byte   `json:"dcs"`
	Mr        byte   `json:"mr"`
	At        string `json:"at"`
	Status    byte   `json:"status"`
	Seconds   int    `json:"seconds"`
	Until     string `json:"until"`
	Places    []int  `json:"places"`
	Reference int    `json:"reference"`
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(make([]byte, 1<<20), 1<<24)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for in.Scan() {
		var asked request
		result := answer{}
		err := json.Unmarshal(in.Bytes(), &asked)
		if err == nil && asked.Do == "write" {
			err = write(asked, &result)
		} else if err == nil {
			err = read(asked, &result)
		}
		if err != nil {
			result = answer{Error: err.Error()}
		}
		line, _ := json.Marshal(result)
		fmt.Fprintln(out, string(line))
	}
}

func read(asked request, result *answer) error {
	direction := tpdu.MT
	if asked.Direction == "mo" {
		direction = tpdu.MO
	}
	var parts []*tpdu.TPDU
	for _, text := range asked.Pdus {
		pdu, err := pdumode.UnmarshalHexString(text)
		if err != nil {
			return err
		}
		part := &tpdu.TPDU{Direction: direction}
		if err := part.UnmarshalBinary(pdu.TPDU); err != nil {
			return err
		}
		if pdu.SMSC.Addr != "" {
			result.Centre = pdu.SMSC.Number()
		}
		if total, seq, reference, ok := part.ConcatInfo(); ok {
			result.Places = append(result.Places, total, seq)
			result.Reference = reference
		}
		parts = append(parts, part)
	}
	first := parts[0]
	result.Type = first.SmsType().String()
	result.From, result.FromType = first.OA.Number(), byte(first.OA.TypeOfNumber())
	result.To, result.ToType = first.DA.Number(), byte(first.DA.TypeOfNumber())
	result.Report = first.FirstOctet.SRR()
	result.Pid, result.Dcs, result.Mr, result.Status = first.PID, byte(first.DCS), first.MR, first.ST
	if first.SmsType() == tpdu.SmsStatusReport {
		result.To, result.ToType = first.RA.Number(), byte(first.RA.TypeOfNumber())
	}
	if direction == tpdu.MT {
		result.At = first.SCTS.Time.Format(time.RFC3339)
	}
	result.Seconds = int(first.VP.Duration.Seconds())
	if first.VP.Format == tpdu.VpfAbsolute {
		result.Until = first.VP.Time.Time.UTC().Format(time.RFC3339)
	}
	if first.SmsType() == tpdu.SmsStatusReport {
		return nil
	}
	text, err := sms.Decode(parts)
	result.Text = string(text)
	return err
}

func write(asked request, result *answer) error {
	at, err := time.Parse(time.RFC3339, asked.At)
	if err != nil {
		return err
	}
	stamp := tpdu.Timestamp{Time: at}
	var parts []tpdu.TPDU
	if asked.To != "" {
		report := tpdu.TPDU{Direction: tpdu.MT, FirstOctet: 0x02, MR: asked.Mr, SCTS: stamp, DT: stamp, ST: asked.Status}
		report.RA = addressOf(asked.To)
		parts = []tpdu.TPDU{report}
	} else {
		template := tpdu.TPDU{Direction: tpdu.MT, SCTS: stamp}
		template.OA = addressOf(asked.From)
		// Not with all charsets: v0.3.0 forgets TP-UDHI before the header of a language.
		parts, err = sms.Encode([]byte(asked.Text), sms.WithTemplate(template), sms.AsDeliver)
		if err != nil {
			return err
		}
	}
	for _, part := range parts {
		octets, err := part.MarshalBinary()
		if err != nil {
			return err
		}
		pdu := pdumode.PDU{TPDU: octets}
		text, err := pdu.MarshalHexString()
		if err != nil {
			return err
		}
		result.Pdus = append(result.Pdus, text)
	}
	return nil
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
