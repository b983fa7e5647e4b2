package wire

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"fara/model"
)

// rule is one thing that servers say, whichever status comes with it.
type rule struct {
	kind  error
	words *regexp.Regexp
	hint  string
}

// rules are asked in turn: what speaks of pictures or a schema often speaks of a
// length too.
var rules = []rule{
	{model.ErrBadRequest, say(`image input is not supported|not support image input|data required for image input|not a multimodal model|` +
		`does not support (images?|vision|multimodal)|supports text input only|only supports text input|no (vision|multimodal) (support|projector)`),
		"choose a model that sees, with its projector file for llama.cpp"},
	{model.ErrTooManyImages, say(`at most \d+ images?\b|\bimage=\d+.*but passed \d+|image count \d+ exceeds|too many images|` +
		`number of images .*(exceed|more than|greater than)|(up to|maximum( of| is)?|no more than|limited to|supports) \d+ images?|` +
		`more than one image|single image per`), "vLLM's --limit-mm-per-prompt and SGLang's --limit-mm-data-per-request raise the limit"},
	{model.ErrTools, say(`pars(e|ing) tool call|not support (tools|tool|function)|(tools?|functions?)( call\w*| use)? (is|are) not (supported|enabled)|` +
		`tool-call-parser|enable-auto-tool-choice|requires? --jinja|unsupported param: tools`), "leave --tools out for this model, or start its server with a tool parser"},
	{model.ErrSchema, say(`json ?_?schema|response_format|^invalid format:|required for format|grammar|guided[ _](decoding|json)|structured[ _]outputs?`),
		"leave --constrain out for this server"},
	{model.ErrContext, tooLong, ""},
	{model.ErrPicture, say(`failed to process inputs|unknown format|cut picture|` +
		`(failed|unable|cannot|could not|error|exception)\b.{0,60}\b(images?|pictures?|bitmaps?|multimodal data)\b|` +
		`(invalid|unsupported|corrupt(ed)?|broken|truncated) image|image( file)? is (truncated|corrupt|invalid|too)|` +
		`aspect ratio must be|larger than factor|decompression bomb`), "a smaller or differently shaped picture may pass"},
	{model.ErrNotFound, say(`model\b.*(does not exist|not found)|no models? (is )?loaded`), ""},
	{model.ErrBusy, say(`loading model|model is (still )?(being )?load|server (is )?busy|overloaded|queue is full|no slots? available|rate limit`), ""},
}

// tooLong is what servers say of a prompt beyond the model's context.
var tooLong = say(`context (length|size|window)|maximum (model|input|allowed) length|max_seq_len|input length .*exceed|` +
	`prompt is too long|too long to fit|exceed_context_size|context_length_exceeded|overflows?\b.*context|context the overflows|` +
	`input tokens exceed|inputs` + "`" + `? (tokens|must have)|after expanding multimodal tokens|number of tokens allowed`)

// Where refusals name numbers. The first that matches counts.
var (
	contextSize = []*regexp.Regexp{
		say(`\bn_ctx"?: ?(\d+)`),
		say(`context (?:length|size|window)(?: is| of)?(?: only)? \(?([\d,]+)`),
		say(`(?:maximum model length|configured limit|exceeds limit) of ([\d,]+)`),
		say(`(?:maximum allowed length|tokens allowed|max_seq_len) \(?([\d,]+)`),
		say(`=> \d+ >=? (\d+)`),
		say(`(?:must be <=|must have less than|>) ([\d,]+)`),
	}
	promptSize = []*regexp.Regexp{
		say(`\b(?:n_prompt_tokens|n_keep)"?: ?(\d+)`),
		say(`([\d,]+) (?:tokens )?(?:in the messages|from the input messages|input tokens)`),
		say(`(?:request|prompt|input|input length|requested tokens|token count) \((?:length )?([\d,]+)`),
		say(`(?:you requested(?: a total of)?|resulted in|too long:|keep the first|given:) ([\d,]+)`),
		say(`=> (\d+) >=? \d+`),
	}
	imageLimit = []*regexp.Regexp{
		say(`at most (\d+) image`),
		say(`image=(\d+)`),
		say(`exceeds (?:the )?(?:maximum |limit )?(?:of )?\D{0,12}(\d+)`),
		say(`(?:up to|maximum of|maximum is|maximum|max is|no more than|more than|limited to|supports|limit is|limit of|at most) (\d+)`),
	}
)

func say(words string) *regexp.Regexp { return regexp.MustCompile(`(?is)` + words) }

// Refusal reads what a server said to a request: of which kind it is, by the
// words before the status, and the numbers it names. Below 400 the status is that
// of a stream in which the error came. The body is the refusal as it came, for
// numbers that stand beside the message; it may be nil.
func Refusal(req model.Request, status int, message string, body []byte) *model.Error {
	e := &model.Error{Kind: Kind(status), Status: status, Message: short(message)}
	switch {
	case status == http.StatusTooManyRequests, status == http.StatusUnauthorized:
		return e
	case status < http.StatusBadRequest:
		e.Kind = model.ErrServer
	}
	for _, r := range rules {
		if kind := r.of(req); kind != nil && r.words.MatchString(message) {
			e.Kind, e.Hint = kind, r.hint
			break
		}
	}
	if status == http.StatusRequestEntityTooLarge && images(req) > 0 {
		e.Kind, e.Hint = model.ErrPicture, "what stands before the server takes no request of this size; raise its limit"
	}
	if WantsTLS(message) {
		e.Kind, e.Hint = model.ErrUnreachable, "the server speaks https; write https:// in the endpoint"
		e.Final = true
	}
	text := message + "\n" + string(body)
	switch e.Kind {
	case model.ErrContext:
		e.Context, e.Prompt = number(contextSize, text), number(promptSize, text)
	case model.ErrTooManyImages:
		e.MaxImages = number(imageLimit, text)
		if e.MaxImages == 0 && oneImage.MatchString(text) {
			e.MaxImages = 1
		}
	}
	return e
}

// maxMessage bounds what is kept of a server's words, in bytes: some give the
// whole request back, pictures too.
const maxMessage = 1000

// tag is what a web page has between its words.
var tag = regexp.MustCompile(`(?is)<(style|script).*?</(style|script)>|</?[a-z!][^>]*>`)

// short gives a server's words as one line, a web page's without its tags.
func short(message string) string {
	if strings.HasPrefix(strings.TrimSpace(message), "<") {
		message = tag.ReplaceAllString(message, " ")
	}
	message = strings.Join(strings.Fields(message), " ")
	if len(message) <= maxMessage {
		return message
	}
	return strings.ToValidUTF8(message[:maxMessage], "") + "…"
}

// oneImage is a limit in words.
var oneImage = say(`more than one image|single image per|only one image`)

// of gives the rule's kind for a request that it can speak of; nil for others.
func (r rule) of(req model.Request) error {
	switch r.kind {
	case model.ErrTooManyImages, model.ErrPicture:
		if images(req) == 0 {
			return nil
		}
	case model.ErrTools:
		if req.Tools == nil {
			return nil
		}
	case model.ErrSchema:
		if req.Schema == nil && req.Tools != nil {
			return model.ErrTools // llama.cpp holds calls to a grammar too
		}
		if req.Schema == nil {
			return nil
		}
	}
	return r.kind
}

func images(req model.Request) int {
	n := 0
	for _, m := range req.Messages {
		n += len(m.Images)
	}
	return n
}

// number gives what the first matching pattern names; 0 when none does.
func number(patterns []*regexp.Regexp, text string) int {
	for _, p := range patterns {
		for _, found := range p.FindAllStringSubmatch(text, -1) {
			if n, err := strconv.Atoi(strings.ReplaceAll(found[1], ",", "")); err == nil && n > 0 {
				return n
			}
		}
	}
	return 0
}
