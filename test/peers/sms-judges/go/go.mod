module onesixty/sms-judge

go 1.19

require github.com/warthog618/sms v0.3.0
